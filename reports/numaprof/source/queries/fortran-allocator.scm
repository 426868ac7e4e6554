(allocate_statement) @allocator
