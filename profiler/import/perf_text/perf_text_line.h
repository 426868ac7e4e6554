// SPDX-License-Identifier: Apache-2.0
// The fields of one line of perf script. The fields have no names; their form and order tell them.
#ifndef PROFILER_IMPORT_PERF_TEXT_PERF_TEXT_LINE_H
#define PROFILER_IMPORT_PERF_TEXT_PERF_TEXT_LINE_H

#include <stdbool.h>
#include <stdint.h>

// "  solve  100/101 [004]  1.000003:  rest": of a sample or of another record.
struct perf_text_head {
    char comm[16];
    int64_t pid, tid, cpu;           // -1: the line does not tell, or the thread had ended
    uint64_t time;                   // ns
    char *rest;                      // behind the time
};

// False: the line has no thread or no time.
bool perf_text_line_head(char *line, struct perf_text_head *head);

// "1000 cpu/mem-loads/:  7f00 sym+0x8 (//anon)  1a00000002 |OP LOAD|LVL RAM|...  300  401000 main+0x4 (/bin/solve)  8"
// Numbers that are in doubt are left out.
struct perf_text_sample {
    const char *event;
    uint64_t period, address, source, weight, ip, physical;
    bool has_period, has_address, has_source, has_weight, has_ip, has_physical;
};

// is_chain: call chain lines follow, so the line itself has neither instruction nor physical address.
// False: no event. Changes the text.
bool perf_text_line_sample(char *rest, bool is_chain, struct perf_text_sample *sample);

// "  401000 main+0x4 (/bin/solve)" of a call chain: address or place in the file, and the file, which is cut out of the
// line; "": none. False: it is no such line.
bool perf_text_line_frame(char *line, uint64_t *address, const char **file);

// A number and nothing else: the physical address behind a call chain.
bool perf_text_line_number(const char *line, uint64_t *number);

#endif
