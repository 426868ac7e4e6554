// SPDX-License-Identifier: Apache-2.0
#ifndef CORE_TEXT_UTF8_H
#define CORE_TEXT_UTF8_H

#include <stddef.h>

// Bytes of the UTF-8 sequence that a NUL-terminated text begins with, or 0 where it is not valid (RFC 3629: neither
// overlong nor a surrogate nor beyond U+10FFFF) or the text is empty.
size_t utf8_length(const char *text);

#endif
