// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/diag.h"

int control_open(struct control *control, const char *path)
{
    struct stat file;
    *control = (struct control){.fd = -1};
    if (mkfifo(path, 0600) == 0)
        control->made = path;
    else if (errno != EEXIST)
        return -errno;
    // For writing too: who writes may come and go without an end of file.
    control->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    int status = control->fd < 0 ? -errno : 0;
    if (status == 0 && (fstat(control->fd, &file) < 0 || !S_ISFIFO(file.st_mode)))
        status = -EEXIST;
    if (status < 0)
        control_close(control);
    return status;
}

// The program may have put a file of its own there since.
static bool control_is_there(const struct control *control)
{
    struct stat own, there;
    return fstat(control->fd, &own) == 0 && lstat(control->made, &there) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

void control_close(struct control *control)
{
    if (control->fd >= 0 && control->made && control_is_there(control))
        unlink(control->made);
    if (control->fd >= 0)
        close(control->fd);
    control->fd = -1;
    control->made = NULL;
}

static enum control_order control_order_of(struct control *control, const char *line)
{
    char clean[64];
    if (strcmp(line, "start") == 0)
        return CONTROL_START;
    if (strcmp(line, "stop") == 0)
        return CONTROL_STOP;
    if (*line && !control->warned) {
        diag_warn("write start or stop, each in a line of its own", "--control: \"%s\" is not an order",
                  diag_clean(clean, sizeof clean, line));
        control->warned = true;
    }
    return CONTROL_NOTHING;
}

enum control_order control_next(struct control *control)
{
    char byte;
    while (control->fd >= 0 && read(control->fd, &byte, 1) == 1) {
        if (byte != '\n') {
            if (control->used < sizeof control->line - 1) // the rest of a longer line is none of ours
                control->line[control->used++] = byte;
            continue;
        }
        control->line[control->used] = '\0';
        control->used = 0;
        enum control_order order = control_order_of(control, control->line);
        if (order != CONTROL_NOTHING)
            return order;
    }
    return CONTROL_NOTHING;
}
