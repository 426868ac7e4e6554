[(program) (subroutine) (function) (module_procedure)] @function
