(do_loop) @loop
