(for_range_loop) @loop
