// SPDX-License-Identifier: Apache-2.0
// What doctor found, as a table and as JSON, and which evidence a run would rest on.
#ifndef PROFILER_DOCTOR_DOCTOR_REPORT_H
#define PROFILER_DOCTOR_DOCTOR_REPORT_H

#include "profiler/doctor/doctor.h"

struct doctor_row {
    const char *id, *title;
    doctor_probe *run;
    struct doctor_finding finding;
};

void doctor_report_print(const struct doctor_row *rows, size_t count);
void doctor_report_json(const struct doctor_row *rows, size_t count);

#endif
