// SPDX-License-Identifier: Apache-2.0
// Whether a program gets other rights than its caller's when it starts.
#ifndef CORE_PROCESS_EXEC_RIGHTS_H
#define CORE_PROCESS_EXEC_RIGHTS_H

#include <stdbool.h>

// Setuid, setgid or file capabilities that would take effect for this process: then the kernel ends all measuring by
// others at exec, and the loader ignores preloads. program: what runs in the end, no script.
bool exec_rights_change(const char *program);

#endif
