// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/run/note.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/system/clock.h"

void note_write(const struct tasks *tasks, const char *kind, int64_t value, const char *remedy, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    RECORD(tasks->queue, RECORDING_NOTE, RECORD_NUMBER(tasks_time(tasks, clock_now())), RECORD_TEXT(kind), RECORD_NULL,
           RECORD_NULL, RECORD_NUMBER(value), RECORD_TEXT(text), RECORD_TEXT(remedy));
}

void note_count(const struct tasks *tasks, const char *kind, uint64_t count, const char *remedy, const char *one,
                const char *several)
{
    if (count > 0)
        note_write(tasks, kind, (int64_t)count, remedy, "%llu %s", (unsigned long long)count,
                   count == 1 ? one : several);
}

void note_evidence(const struct tasks *tasks, int level, const char *collector, bool used, const char *detail,
                   struct note_missing missing)
{
    RECORD(tasks->queue, RECORDING_EVIDENCE, RECORD_NUMBER(level), RECORD_TEXT(collector), RECORD_NUMBER(used),
           RECORD_TEXT(used ? detail : NULL), RECORD_TEXT(used ? NULL : missing.why),
           RECORD_TEXT(used ? NULL : missing.remedy));
}
