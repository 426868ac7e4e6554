// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>

#include "core/system/clock.h"
#include "profiler/recorder/session.h"

void session_note(struct session *session, const char *kind, int64_t value, const char *remedy, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    RECORD(session->queue, RECORDING_NOTE, RECORD_NUMBER(tasks_time(&session->tasks, clock_now())), RECORD_TEXT(kind),
           RECORD_NULL, RECORD_NULL, RECORD_NUMBER(value), RECORD_TEXT(text), RECORD_TEXT(remedy));
}
