; Calls without an effect beside their value.
((call_expression function: (identifier) @name) @pure
  (#any-of? @name
    "sin" "cos" "tan" "asin" "acos" "atan" "atan2" "sinh" "cosh" "tanh" "exp" "exp2" "expm1" "log" "log2" "log10"
    "log1p" "pow" "sqrt" "cbrt" "hypot" "fabs" "floor" "ceil" "round" "lround" "trunc" "rint" "fmod" "fmin" "fmax"
    "fma" "erf" "erfc" "tgamma" "copysign" "sinf" "cosf" "tanf" "atan2f" "expf" "logf" "powf" "sqrtf" "fabsf" "floorf"
    "ceilf" "roundf" "fmodf" "fminf" "fmaxf" "fmaf" "abs" "labs" "llabs" "cexp" "cabs" "creal" "cimag"))
