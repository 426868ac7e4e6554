[(for_range_loop) (field_initializer_list) (throw_statement) (field_declaration)] @statement
