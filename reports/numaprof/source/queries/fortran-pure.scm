; Intrinsic functions, which look like elements of arrays.
((call_expression . (identifier) @name) @pure
  (#any-of? @name
    "sin" "cos" "tan" "asin" "acos" "atan" "atan2" "sinh" "cosh" "tanh" "exp" "log" "log10" "sqrt" "abs" "mod" "modulo"
    "min" "max" "int" "real" "dble" "float" "nint" "floor" "ceiling" "cmplx" "merge" "sign" "size" "lbound" "ubound"
    "iand" "ior" "ieor" "ishft" "kind" "aimag" "conjg" "sum" "product" "minval" "maxval" "dot_product" "count" "any" "all"))
