[
  (allocate_statement) (assignment_statement) (do_loop) (subroutine_call) (variable_declaration) (if_statement)
  (where_statement) (read_statement) (keyword_statement)
] @statement
