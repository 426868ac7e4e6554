// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_text/perf_text_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char perf_text_line_blanks[] = " \t\r";

static char *perf_text_line_word(char *at)
{
    return at + strspn(at, perf_text_line_blanks);
}

static char *perf_text_line_word_end(char *at)
{
    return at + strcspn(at, perf_text_line_blanks);
}

// A whole word in hexadecimal, of at most 64 bits; advances *at past it.
static bool perf_text_line_hex(char **at, uint64_t *number)
{
    char *word = perf_text_line_word(*at), *end = perf_text_line_word_end(word);
    const size_t digits = strspn(word, "0123456789abcdef");
    if (digits == 0 || digits > 16 || word + digits != end)
        return false;
    *number = strtoull(word, NULL, 16);
    *at = end;
    return true;
}

// A whole word in decimal.
static bool perf_text_line_decimal(const char *word, uint64_t *number)
{
    const size_t digits = strspn(word, "0123456789");
    *number = strtoull(word, NULL, 10);
    return digits > 0 && digits < 20 && (word[digits] == '\0' || strchr(perf_text_line_blanks, word[digits]));
}

// --- thread, CPU and time

// "1246.991635173:", with six or nine digits behind the point.
static bool perf_text_line_time(const char *word, const char *end, uint64_t *ns)
{
    const size_t seconds = strspn(word, "0123456789");
    const char *part = word + seconds + 1;
    if (seconds == 0 || seconds > 9 || word[seconds] != '.')
        return false;
    const size_t digits = strspn(part, "0123456789");
    if ((digits != 6 && digits != 9) || part[digits] != ':' || part + digits + 1 != end)
        return false;
    *ns = strtoull(word, NULL, 10) * UINT64_C(1000000000) + strtoull(part, NULL, 10) * (digits == 6 ? 1000 : 1);
    return true;
}

// "100/101" or "101".
static bool perf_text_line_task(const char *word, const char *end, struct perf_text_head *head)
{
    char *stop;
    head->pid = -1;
    head->tid = strtol(word, &stop, 10);
    if (*stop == '/' && stop > word) {
        head->pid = head->tid;
        head->tid = strtol(stop + 1, &stop, 10);
    }
    return stop == end && head->tid >= -1 && head->tid < INT32_MAX && head->pid < INT32_MAX && isdigit(end[-1]);
}

static void perf_text_line_comm(struct perf_text_head *head, const char *start, const char *end)
{
    while (end > start && strchr(perf_text_line_blanks, end[-1]))
        end--;
    snprintf(head->comm, sizeof head->comm, "%.*s", (int)(end - start), start);
}

bool perf_text_line_head(char *line, struct perf_text_head *head)
{
    char *const comm = perf_text_line_word(line);
    char *before[2] = {NULL, NULL}; // the last two words; the task is the last, or the CPU is and the task before it
    for (char *word = comm, *end; *word; word = perf_text_line_word(end)) {
        end = perf_text_line_word_end(word);
        if (perf_text_line_time(word, end, &head->time)) {
            const bool has_cpu = before[1] && *before[1] == '[';
            const char *task = has_cpu ? before[0] : before[1];
            head->cpu = has_cpu ? strtol(before[1] + 1, NULL, 10) : -1;
            head->rest = perf_text_line_word(end);
            if (task && perf_text_line_task(task, perf_text_line_word_end((char *)(uintptr_t)task), head)) {
                perf_text_line_comm(head, comm, task);
                return true;
            }
        }
        before[0] = before[1];
        before[1] = word;
    }
    return false;
}

// --- samples

// "1000 name: ": the name may hold colons and blanks.
static char *perf_text_line_event(char *rest, struct perf_text_sample *sample)
{
    char *colon = strstr(rest, ": ");
    char *end = colon ? colon : rest + strlen(rest) - 1;
    if (end <= rest || *end != ':')
        return NULL;
    *end = '\0';
    sample->has_period = perf_text_line_decimal(rest, &sample->period);
    sample->event = sample->has_period ? perf_text_line_word(perf_text_line_word_end(rest)) : rest;
    return *sample->event ? colon ? colon + 2 : end + 1 : NULL;
}

// Behind the file's ")": the physical address.
static void perf_text_line_physical(char *close, struct perf_text_sample *sample)
{
    close++;
    sample->has_physical = perf_text_line_hex(&close, &sample->physical);
}

// Behind the words of the data source: weight, perhaps more numbers, the instruction with its function and file, the
// physical address. Functions may hold blanks and parentheses: the file is behind the last one. Without names, numbers
// are known only if there are three.
static void perf_text_line_rest(char *at, bool is_chain, struct perf_text_sample *sample)
{
    enum { NUMBERS = 4 };
    uint64_t numbers[NUMBERS];
    int count = 0;
    char *const start = perf_text_line_word(at), *const close = strrchr(start, ')');
    for (at = start; count < NUMBERS && perf_text_line_hex(&at, &numbers[count]);)
        count++;
    const bool has_name = close && !is_chain && count > 0, is_whole = !close && !is_chain && count == 3;
    if (is_chain || is_whole || (has_name && count > 1))
        sample->has_weight = perf_text_line_decimal(start, &sample->weight);
    sample->has_ip = has_name || is_whole;
    sample->has_physical = is_whole;
    if (sample->has_ip)
        sample->ip = numbers[is_whole ? 1 : count - 1];
    if (is_whole)
        sample->physical = numbers[2];
    if (has_name)
        perf_text_line_physical(close, sample);
}

// "|OP LOAD|LVL RAM|SNP None|TLB N/A|LCK No|BLK  N/A   300": behind the last word of it.
static char *perf_text_line_source_end(char *source)
{
    uint64_t number;
    char *at = source;
    for (char *bar = source; bar; bar = strchr(bar + 1, '|'))
        if (isupper((unsigned char)bar[1]) && isupper((unsigned char)bar[2]))
            at = bar;
    at = perf_text_line_word_end(at);
    for (char *next = at; *next && !perf_text_line_hex(&next, &number); next = at)
        at = perf_text_line_word_end(perf_text_line_word(at));
    return at;
}

// The address, perhaps with its symbol and file, then the data source: the word before the bar.
static void perf_text_line_source(char *at, const char *bar, struct perf_text_sample *sample)
{
    const char *end = bar;
    char *first = at;
    while (end > at && strchr(perf_text_line_blanks, end[-1]))
        end--;
    char *word = at + (end - at);
    while (word > at && !strchr(perf_text_line_blanks, word[-1]))
        word--;
    const bool has_first = perf_text_line_hex(&first, &sample->address);
    sample->has_source = perf_text_line_hex(&word, &sample->source);
    sample->has_address = has_first && first < end;
}

// Without data source: the address, its symbol and file, then the instruction, its symbol and file, or a call chain. A
// single number may be either.
static void perf_text_line_no_source(char *at, bool is_chain, struct perf_text_sample *sample)
{
    if (!perf_text_line_hex(&at, &sample->address))
        return;
    sample->has_address = is_chain;
    for (char *number = at; number && !sample->has_address;) {
        sample->has_address = sample->has_ip = perf_text_line_hex(&number, &sample->ip);
        char *next = sample->has_ip ? NULL : strstr(number, ") "), *close = strrchr(number, ')');
        if (sample->has_ip && close)
            perf_text_line_physical(close, sample);
        number = next ? next + 1 : NULL;
    }
}

bool perf_text_line_sample(char *rest, bool is_chain, struct perf_text_sample *sample)
{
    *sample = (struct perf_text_sample){0};
    char *at = perf_text_line_event(rest, sample), *bar = at ? strstr(at, " |OP ") : NULL;
    if (!at)
        return false;
    if (bar) {
        perf_text_line_source(at, bar + 1, sample);
        perf_text_line_rest(perf_text_line_source_end(bar + 1), is_chain, sample);
    } else {
        perf_text_line_no_source(at, is_chain, sample);
    }
    return true;
}

// --- call chains

bool perf_text_line_frame(char *line, uint64_t *address, const char **file)
{
    char *open = strrchr(line, '('), *close = strrchr(line, ')');
    *file = "";
    if (*line != '\t' || !perf_text_line_hex(&line, address))
        return false;
    for (char *at = open; at && at > line && close; at--) // a path may hold parentheses: "(/bin/x (deleted))"
        if (at[0] == '(' && at[-1] == ' ' && (at[1] == '/' || at[1] == '['))
            open = at;
    if (open && close > open) {
        *close = '\0';
        *file = open + 1;
    }
    return true;
}

bool perf_text_line_number(const char *line, uint64_t *number)
{
    char *at = (char *)(uintptr_t)line;
    return perf_text_line_hex(&at, number) && *perf_text_line_word(at) == '\0';
}
