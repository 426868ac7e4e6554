// SPDX-License-Identifier: Apache-2.0
// Result of numaprof verify: for each event, access pattern and pair of nodes the counted lines, and for each event a
// word. docs/verify.md explains patterns, words and tolerances.
#ifndef PROFILER_VERIFY_VERIFY_H
#define PROFILER_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verify_word {
    VERIFY_UNKNOWN,  // not verified: no count could be compared
    VERIFY_RIGHT,    // verified
    VERIFY_PARTLY,   // counts only the right accesses; how many it should count is not known beforehand
    VERIFY_NOTHING,  // counts nothing
    VERIFY_HALF,     // counts half
    VERIFY_DOUBLE,   // counts double
    VERIFY_OTHER,    // counts other accesses, too
};

enum verify_pattern {
    VERIFY_RANDOM,        // dependent loads in random order
    VERIFY_STREAM,        // every line in order
    VERIFY_STORES,        // stores in random order
    VERIFY_CACHED,        // loads that the CPU's own cache answers
    VERIFY_NEIGHBOUR,     // VERIFY_CACHED, while another CPU of the node (the sibling thread, if any) accesses memory
    VERIFY_TAKEN,         // VERIFY_RANDOM of lines that a CPU of another node has just modified
    VERIFY_TAKEN_STREAM,  // VERIFY_STREAM of such lines
    VERIFY_TAKEN_STORES,  // VERIFY_STORES to such lines
    VERIFY_BESIDE,        // VERIFY_RANDOM of lines that another core of the same node has just modified
    VERIFY_BESIDE_STREAM, // VERIFY_STREAM of such lines
    VERIFY_BESIDE_STORES, // VERIFY_STORES to such lines
    VERIFY_SOFTWARE,      // prefetch instructions in random order
    VERIFY_PATTERNS
};

// A pattern runs in rounds. Where the first round is not as expected, up to four more follow.
enum { VERIFY_REPEATS = 3, VERIFY_ROUNDS = 5, VERIFY_RUNS = VERIFY_REPEATS * VERIFY_ROUNDS };
enum { VERIFY_EVENTS = 72, VERIFY_WORDS_BYTES = 24, VERIFY_TEXT_BYTES = 160, VERIFY_NOTES = 24 };

struct verify_cell {
    bool counted;            // false: the pattern was not run, or the event did not count all the time
    bool compared;           // false: the expected lines are not known
    bool open;               // its runs disagree with one another: another round decides, or none does
    int run_count, wrong;    // runs; of these, runs that are not as expected
    uint64_t runs[VERIFY_RUNS];
    uint64_t lines;          // median of the runs
    double least, most;      // expected lines
    enum verify_word word;   // if compared
};

struct verify_event {
    char class[VERIFY_WORDS_BYTES], placement[VERIFY_WORDS_BYTES]; // as in docs/events.md; class "loads": sampled loads
    uint64_t config, config1;
    bool by_home;              // counts by the node of the page, also lines that a cache answered
    enum verify_word word;
    char why[VERIFY_TEXT_BYTES]; // for every word except VERIFY_RIGHT
};

// Sampled loads of VERIFY_RANDOM whose source agrees with the node of the page, and those whose source differs.
struct verify_loads {
    uint64_t agree, differ;
};

struct verify {
    char at[VERIFY_TEXT_BYTES];  // UTC
    char cpu[VERIFY_TEXT_BYTES]; // as the kernel prints it
    char uarch[VERIFY_TEXT_BYTES], kernel[VERIFY_TEXT_BYTES], microcode[VERIFY_TEXT_BYTES];
    char emulated[VERIFY_TEXT_BYTES]; // name of the emulated machine, or ""
    char local[VERIFY_TEXT_BYTES];    // what local means on this machine; "": not known
    char loads_method[VERIFY_TEXT_BYTES];
    uint64_t lines;              // of one run of a pattern
    double seconds;
    bool partial;                // a part was left out that this machine can verify
    size_t from_count, to_count; // nodes with CPUs, nodes with memory
    int *from, *to;
    size_t event_count;
    struct verify_event events[VERIFY_EVENTS];
    struct verify_cell *cells;   // [event][pattern][from][to]
    struct verify_loads *loads;  // [from][to]
    size_t note_count;
    char notes[VERIFY_NOTES][2 * VERIFY_TEXT_BYTES];
};

// Copies the nodes and makes room for VERIFY_EVENTS events. -ENOMEM. verify_free frees it.
int verify_make(struct verify *verify, const int *from, size_t from_count, const int *to, size_t to_count);
void verify_free(struct verify *verify);

struct verify_cell *verify_cell(const struct verify *verify, size_t event, enum verify_pattern pattern, size_t from,
                                size_t to);
// Adds a run and updates the median.
void verify_cell_add(struct verify_cell *cell, uint64_t lines);
struct verify_loads *verify_loads(const struct verify *verify, size_t from, size_t to);

// Adds a sentence for people, unless it is there already or VERIFY_NOTES are.
void verify_note(struct verify *verify, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The word as text, JSON and recordings have it: "verified", "counts nothing", ...
const char *verify_word_name(enum verify_word word);
const char *verify_pattern_name(enum verify_pattern pattern);
// Whether the event must not be used.
bool verify_word_is_wrong(enum verify_word word);

// Whether local means the memory of the own node, as recordings use the word. The meaning must be known.
bool verify_local_is_the_node(const struct verify *verify);
#define VERIFY_LOCAL_NODE "the memory of the own node"

#endif
