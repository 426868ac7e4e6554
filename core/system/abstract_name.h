// SPDX-License-Identifier: Apache-2.0
// A name in the abstract namespace of unix sockets: one socket at a time holds it, and no file is left behind.
#ifndef CORE_SYSTEM_ABSTRACT_NAME_H
#define CORE_SYSTEM_ABSTRACT_NAME_H

#include <sys/socket.h>
#include <sys/un.h>

// For bind and connect: address and size.
struct abstract_name {
    struct sockaddr_un address;
    socklen_t size;
};

// What does not fit in sun_path is cut off.
struct abstract_name abstract_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
