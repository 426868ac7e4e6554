# Filled in the order in which it is read.
s|a\[count - 1 - i\]|a[i]|
