// SPDX-License-Identifier: Apache-2.0
#include "core/system/abstract_name.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct abstract_name abstract_name(const char *format, ...)
{
    struct abstract_name name = {.address = {.sun_family = AF_UNIX}};
    char *text = name.address.sun_path + 1; // a leading NUL makes it abstract
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof name.address.sun_path - 1, format, arguments);
    va_end(arguments);
    name.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(text));
    return name;
}
