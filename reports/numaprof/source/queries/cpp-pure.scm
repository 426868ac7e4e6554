((call_expression function: (qualified_identifier scope: (namespace_identifier) @scope name: (identifier) @name)) @pure
  (#eq? @scope "std")
  (#any-of? @name
    "sin" "cos" "tan" "asin" "acos" "atan" "atan2" "sinh" "cosh" "tanh" "exp" "exp2" "log" "log2" "log10" "log1p" "pow"
    "sqrt" "cbrt" "hypot" "fabs" "abs" "floor" "ceil" "round" "trunc" "fmod" "fmin" "fmax" "fma" "min" "max" "polar"))
((call_expression function: [(template_function name: (identifier) @name)
    (qualified_identifier name: (template_function name: (identifier) @name))]) @pure
  (#any-of? @name "static_cast" "const_cast" "reinterpret_cast" "min" "max" "complex"))
((call_expression function: (primitive_type)) @pure)
((call_expression function: (field_expression field: (field_identifier) @name)) @pure
  (#any-of? @name "size" "data" "begin" "end" "length" "rows" "cols"))
