// SPDX-License-Identifier: Apache-2.0
#include "core/text/utf8.h"

#include <stdbool.h>

size_t utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] > 0 && s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    size_t tail = s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    for (size_t i = 1; i <= tail; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : tail + 1;
}
