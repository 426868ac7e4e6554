; Intrinsic functions, which look like elements of arrays.
((call_expression . (identifier) @name) @pure
  (#match? @name "(?i)^(a?(sin|cos|tan)h?|atan2|d?exp|log|log10|d?sqrt|d?abs|mod|modulo|min|max|int|real|dble|float|nint|floor|ceiling|cmplx|merge|sign|size|[lu]bound|iand|ior|ieor|ishft|kind|aimag|conjg|sum|product|minval|maxval|dot_product|count|any|all|spread|reshape|huge|tiny|epsilon)$"))
