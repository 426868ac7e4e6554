// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/windows.h"

#include <errno.h>
#include <string.h>

#include "core/system/clock.h"
#include "core/text/diag.h"

int windows_open(struct windows *windows)
{
    char clean[512];
    const char *path = windows->options->control;
    windows->control.fd = -1;
    windows->is_on = !windows->options->paused && windows->options->delay_ms == 0;
    int status = path ? control_open(&windows->control, path) : 0;
    if (status == 0)
        return 0;
    diag_error(status == -EEXIST ? "give the name of a FIFO, or of one to be made" : "choose a place you can write to",
               "--control %s: %s", diag_clean(clean, sizeof clean, path),
               status == -EEXIST ? "is there, and is not a FIFO" : strerror(-status));
    return DIAG_EXIT_FAILED;
}

void windows_close(struct windows *windows)
{
    control_close(&windows->control);
}

void windows_start(const struct windows *windows)
{
    if (windows->is_on)
        RECORD(windows->tasks->queue, RECORDING_WINDOW, RECORD_NUMBER(0), RECORD_NULL, RECORD_TEXT("run"));
}

void windows_switch(struct windows *windows, bool on, const char *cause)
{
    if (windows->is_on == on)
        return;
    uint64_t now = clock_now();
    windows->is_on = on;
    counter_sets_switch(windows->sets, on);
    if (on)
        RECORD(windows->tasks->queue, RECORDING_WINDOW, RECORD_NUMBER(tasks_time(windows->tasks, now)), RECORD_NULL,
               RECORD_TEXT(cause));
    else
        RECORD(windows->tasks->queue, RECORDING_WINDOW_END, RECORD_NUMBER(tasks_time(windows->tasks, now)));
}

void windows_tick(struct windows *windows, uint64_t now)
{
    enum control_order order;
    while ((order = control_next(&windows->control)) != CONTROL_NOTHING)
        windows_switch(windows, order == CONTROL_START, "control");
    const struct run_options *options = windows->options;
    uint64_t ms = (now - windows->tasks->epoch) / CLOCK_MS;
    if (options->delay_ms > 0 && !windows->delay_is_over && ms >= options->delay_ms) {
        windows->delay_is_over = true;
        windows_switch(windows, true, "delay");
    }
    if (options->duration_ms > 0 && windows->is_on && ms >= options->delay_ms + options->duration_ms)
        windows_switch(windows, false, "duration");
}
