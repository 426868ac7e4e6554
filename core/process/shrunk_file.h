// SPDX-License-Identifier: Apache-2.0
// Files that another process makes shorter while they are mapped here: cp and install do so to a program in place.
#ifndef CORE_PROCESS_SHRUNK_FILE_H
#define CORE_PROCESS_SHRUNK_FILE_H

// From here on this thread, and those that it makes, read zeros where a mapped file has become shorter; else SIGBUS
// ends the process. SIGBUS that a process sends stays pending where this thread blocked it.
void shrunk_file_tolerate(void);

#endif
