// SPDX-License-Identifier: Apache-2.0
#include "profiler/output/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/text/diag.h"

enum { PROGRESS_PATIENCE_MS = 1000 };

void progress_begin(struct progress *progress, const char *what)
{
    *progress = (struct progress){.what = what, .begun = clock_now(), .percent = -1};
}

// A line that is written over itself; where that cannot be done, one line must do.
void progress_tell(struct progress *progress, size_t done, size_t all)
{
    int percent = all > 0 ? (int)(done * 100 / all) : 0;
    if (!progress->what || percent == progress->percent ||
        clock_now() - progress->begun < PROGRESS_PATIENCE_MS * CLOCK_MS)
        return;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rnumaprof: %s: %d %%", progress->what, percent);
    else if (progress->percent < 0)
        diag_info("%s: this takes a while", progress->what);
    progress->percent = percent;
}

void progress_end(struct progress *progress)
{
    if (progress->percent >= 0 && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); // erases the line (ECMA-48, EL)
    progress->percent = -1;
}
