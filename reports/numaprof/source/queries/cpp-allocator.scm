((call_expression function: (qualified_identifier name: (identifier) @name)) @allocator
  (#any-of? @name "malloc" "calloc" "aligned_alloc" "realloc"))
(new_expression declarator: (new_declarator)) @allocator
((call_expression function: [
    (template_function name: (identifier) @name)
    (qualified_identifier name: (template_function name: (identifier) @name))]) @allocator
  (#any-of? @name "make_unique" "make_unique_for_overwrite" "make_shared" "make_shared_for_overwrite"))
