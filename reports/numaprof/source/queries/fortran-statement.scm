[
  (allocate_statement) (assignment_statement) (do_loop) (call_expression) (subroutine_call) (variable_declaration)
  (read_statement) (if_statement) (where_statement)
] @statement
