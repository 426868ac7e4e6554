[
  (declaration) (expression_statement) (return_statement) (break_statement) (continue_statement) (goto_statement)
  (if_statement) (for_statement) (while_statement) (do_statement) (switch_statement)
] @statement
