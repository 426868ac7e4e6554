; Calls that return fresh memory.
((call_expression function: (identifier) @name) @allocator
  (#any-of? @name "malloc" "calloc" "aligned_alloc" "memalign" "valloc" "posix_memalign" "mmap" "realloc"))
