// SPDX-License-Identifier: Apache-2.0
#include "core/topology/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cpulist_add(struct cpulist *set, int number)
{
    if (number >= 0 && number < CPULIST_MAX)
        set->bits[number / 64] |= UINT64_C(1) << (number % 64);
}

void cpulist_remove(struct cpulist *set, int number)
{
    if (number >= 0 && number < CPULIST_MAX)
        set->bits[number / 64] &= ~(UINT64_C(1) << (number % 64));
}

bool cpulist_has(const struct cpulist *set, int number)
{
    return number >= 0 && number < CPULIST_MAX && (set->bits[number / 64] >> (number % 64) & 1);
}

int cpulist_count(const struct cpulist *set)
{
    int count = 0;
    for (size_t i = 0; i < CPULIST_MAX / 64; i++)
        count += __builtin_popcountll(set->bits[i]);
    return count;
}

int cpulist_next(const struct cpulist *set, int from)
{
    for (int i = from; i < CPULIST_MAX; i++) {
        if (i % 64 == 0 && set->bits[i / 64] == 0)
            i += 63;
        else if (cpulist_has(set, i))
            return i;
    }
    return -1;
}

static int cpulist_number(const char **text, long *number)
{
    if (!isdigit((unsigned char)**text))
        return -EINVAL;
    char *end;
    errno = 0;
    *number = strtol(*text, &end, 10);
    *text = end;
    return errno || *number >= CPULIST_MAX ? -ERANGE : 0;
}

// One element: N, N-M, or N-M:USED/GROUP, the first USED of every GROUP. Calls add for each number.
static int cpulist_element(const char **text, void (*add)(void *to, int number), void *to)
{
    long first, last, used = 1, group = 1;
    int status = cpulist_number(text, &first);
    if (status < 0)
        return status;
    last = first;
    if (**text == '-') {
        ++*text;
        if ((status = cpulist_number(text, &last)) < 0)
            return status;
        if (**text == ':') {
            ++*text;
            if ((status = cpulist_number(text, &used)) < 0)
                return status;
            if (*(*text)++ != '/')
                return -EINVAL;
            if ((status = cpulist_number(text, &group)) < 0)
                return status;
        }
    }
    if (last < first || used == 0 || used > group)
        return -EINVAL;
    for (long i = first; i <= last; i++)
        if ((i - first) % group < used)
            add(to, (int)i);
    return 0;
}

static int cpulist_elements(const char *text, void (*add)(void *to, int number), void *to)
{
    if (*text == '\0' || *text == '\n')
        return 0;
    for (;;) {
        int status = cpulist_element(&text, add, to);
        if (status < 0)
            return status;
        if (*text == '\0' || (*text == '\n' && text[1] == '\0'))
            return 0;
        if (*text++ != ',')
            return -EINVAL;
    }
}

static void cpulist_add_to_set(void *to, int number)
{
    cpulist_add(to, number);
}

int cpulist_parse(struct cpulist *set, const char *text)
{
    *set = (struct cpulist){0};
    return cpulist_elements(text, cpulist_add_to_set, set);
}

int cpulist_parse_mask(struct cpulist *set, const char *text)
{
    *set = (struct cpulist){0};
    size_t length = strcspn(text, "\n");
    if (length == 0 || length != strspn(text, "0123456789abcdefABCDEF,"))
        return -EINVAL;
    int number = 0;
    for (size_t i = length; i-- > 0;) {
        if (text[i] == ',') { // the kernel pads each word but the first
            if (number % 32 != 0)
                return -EINVAL;
            continue;
        }
        int digit = text[i] <= '9' ? text[i] - '0' : (text[i] | 0x20) - 'a' + 10;
        if (digit > 0 && number >= CPULIST_MAX)
            return -ERANGE;
        for (int bit = 0; bit < 4; bit++)
            if (digit >> bit & 1)
                cpulist_add(set, number + bit);
        number += 4;
    }
    return 0;
}

struct cpulist_sequence {
    struct cpulist seen;
    int *numbers;
    size_t count, max;
};

static void cpulist_add_to_sequence(void *to, int number)
{
    struct cpulist_sequence *sequence = to;
    if (cpulist_has(&sequence->seen, number) || sequence->count == sequence->max)
        return;
    cpulist_add(&sequence->seen, number);
    sequence->numbers[sequence->count++] = number;
}

int cpulist_order(int *numbers, size_t max, const char *text)
{
    struct cpulist_sequence sequence = {.numbers = numbers, .max = max};
    int status = cpulist_elements(text, cpulist_add_to_sequence, &sequence);
    return status < 0 ? status : (int)sequence.count;
}

char *cpulist_format(char *out, size_t size, const struct cpulist *set)
{
    size_t used = 0;
    if (size > 0)
        out[0] = '\0';
    for (int first = cpulist_next(set, 0); first >= 0 && used < size;) {
        int last = first;
        while (cpulist_has(set, last + 1))
            last++;
        const char *comma = used > 0 ? "," : "";
        int n = first == last ? snprintf(out + used, size - used, "%s%d", comma, first)
                              : snprintf(out + used, size - used, "%s%d-%d", comma, first, last);
        used += (size_t)n;
        first = cpulist_next(set, last + 1);
    }
    return out;
}

char *cpulist_shorten(char *out, size_t size, const struct cpulist *set)
{
    struct cpulist shown;
    char tail[24];
    if (cpulist_parse(&shown, cpulist_format(out, size, set)) == 0 && memcmp(&shown, set, sizeof shown) == 0)
        return out;
    int length = (int)size - 1 - snprintf(tail, sizeof tail, ",... (%d)", cpulist_count(set));
    while (out[length] != ',')
        length--;
    memcpy(out + length, tail, strlen(tail) + 1);
    return out;
}
