[(for_statement) (while_statement) (do_statement)] @loop
