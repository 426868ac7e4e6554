// SPDX-License-Identifier: Apache-2.0
#include "collectors/placement/placement_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct word {
    const char *text;
    size_t length;
};

struct parser {
    struct placement *placement;
    const char *at, *end;            // rest of the current line
    uint32_t line;
    const char *cause;               // NULL: no error yet
    struct placement_subject *subject; // that is open; NULL: none
};

static int parser_fail(struct parser *parser, const char *cause)
{
    if (!parser->cause)
        parser->cause = cause;
    return -EINVAL;
}

// --- words of a line

static bool parser_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct word parser_word(struct parser *parser)
{
    while (parser->at < parser->end && parser_is_blank(*parser->at))
        parser->at++;
    struct word word = {.text = parser->at};
    while (parser->at < parser->end && !parser_is_blank(*parser->at))
        parser->at++;
    word.length = (size_t)(parser->at - word.text);
    return word;
}

static bool word_is(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

// Decimal, or hexadecimal after 0x; at most `most`.
static bool word_number(struct word word, uint64_t most, uint64_t *number)
{
    bool is_hex = word.length > 2 && word.text[0] == '0' && word.text[1] == 'x';
    uint64_t base = is_hex ? 16 : 10, value = 0;
    size_t i = is_hex ? 2 : 0;
    if (i == word.length)
        return false;
    for (; i < word.length; i++) {
        uint64_t d = (uint64_t)digit(word.text[i]);
        if (d >= base || d > most || value > (most - d) / base)
            return false;
        value = value * base + d;
    }
    *number = value;
    return true;
}

// 0 to 1 in decimals, without an exponent.
static bool word_fraction(struct word word, double *fraction)
{
    double value = 0, unit = 1;
    bool has_point = false, has_digit = false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.text[i];
        if (c == '.' && !has_point) {
            has_point = true;
        } else if (c >= '0' && c <= '9') {
            has_digit = true;
            unit = has_point ? unit / 10 : unit;
            value = has_point ? value + unit * (c - '0') : value * 10 + (c - '0');
        } else {
            return false;
        }
    }
    *fraction = value;
    return has_digit && value > 0 && value <= 1 + 1e-9;
}

static bool word_split(struct word word, char separator, struct word *left, struct word *right)
{
    const char *found = memchr(word.text, separator, word.length);
    if (!found)
        return false;
    *left = (struct word){.text = word.text, .length = (size_t)(found - word.text)};
    *right = (struct word){.text = found + 1, .length = word.length - left->length - 1};
    return true;
}

// --- modules

static int parser_module(struct parser *parser, uint32_t *index)
{
    struct placement *p = parser->placement;
    struct placement_module module = {0};
    struct word word = parser_word(parser);
    if (word.length < 2 || word.length % 2 || word.length / 2 > PLACEMENT_BUILD_ID)
        return parser_fail(parser, "needs a build id of 2 to 64 hexadecimal digits");
    for (size_t i = 0; i < word.length; i += 2) {
        int high = digit(word.text[i]), low = digit(word.text[i + 1]);
        if (high > 15 || low > 15)
            return parser_fail(parser, "needs a build id of 2 to 64 hexadecimal digits");
        module.build_id[module.length++] = (uint8_t)(high << 4 | low);
    }
    for (*index = 0; *index < p->module_count; (*index)++)
        if (memcmp(&p->modules[*index], &module, sizeof module) == 0)
            return 0;
    if (p->module_count == PLACEMENT_MODULES)
        return parser_fail(parser, "more than 256 modules");
    p->modules[p->module_count++] = module;
    return 0;
}

// --- placements

static int parser_add_piece(struct parser *parser, uint64_t node, double end)
{
    struct placement *p = parser->placement;
    if (p->piece_count == PLACEMENT_PIECES)
        return parser_fail(parser, "more than 32768 pieces");
    p->pieces[p->piece_count++] = (struct placement_piece){.node = (uint32_t)node, .end = end};
    p->places[p->place_count - 1].piece_count++;
    return 0;
}

static int parser_one_node(struct parser *parser)
{
    uint64_t node;
    if (!word_number(parser_word(parser), PLACEMENT_NODES - 1, &node))
        return parser_fail(parser, "node: must be a number below 1024");
    return parser_add_piece(parser, node, 1);
}

// NODE:END ..., ascending, to 1.
static int parser_blocks(struct parser *parser)
{
    double before = 0;
    for (struct word word = parser_word(parser); word.length > 0; word = parser_word(parser)) {
        struct word left, right;
        uint64_t node;
        double end;
        if (!word_split(word, ':', &left, &right) || !word_number(left, PLACEMENT_NODES - 1, &node) ||
            !word_fraction(right, &end) || end <= before)
            return parser_fail(parser, "blocks: NODE:END pairs with rising ends up to 1 are wanted");
        before = end;
        if (parser_add_piece(parser, node, end) < 0)
            return -EINVAL;
    }
    const double rounding = 1e-6; // of decimals that were written with six digits
    if (before < 1 - rounding)
        return parser_fail(parser, "blocks: the last end has to be 1");
    return 0;
}

static int parser_node_range(struct parser *parser, struct word word)
{
    struct word left, right;
    uint64_t first, last;
    if (!word_split(word, '-', &left, &right))
        left = right = word;
    if (!word_number(left, PLACEMENT_NODES - 1, &first) || !word_number(right, PLACEMENT_NODES - 1, &last) ||
        last < first)
        return parser_fail(parser, "needs a list of nodes such as 0-3,6");
    for (; first <= last; first++)
        if (parser_add_piece(parser, first, 1) < 0)
            return -EINVAL;
    return 0;
}

static int parser_node_list(struct parser *parser)
{
    struct word rest = parser_word(parser), first;
    int status = 0;
    while (status == 0 && word_split(rest, ',', &first, &rest))
        status = parser_node_range(parser, first);
    return status < 0 ? status : parser_node_range(parser, rest);
}

// place ORDINAL|* node N | interleave NODES | weighted NODES | blocks NODE:END ...
static int parser_place(struct parser *parser)
{
    struct placement *p = parser->placement;
    struct word ordinal = parser_word(parser);
    uint64_t number = PLACEMENT_ANY_ORDINAL;
    if (!word_is(ordinal, "*") && !word_number(ordinal, PLACEMENT_ANY_ORDINAL - 1, &number))
        return parser_fail(parser, "place: needs the number of an allocation, or *");
    if (p->place_count == PLACEMENT_PLACES)
        return parser_fail(parser, "more than 4096 places");
    struct placement_place *place = &p->places[p->place_count++];
    *place = (struct placement_place){.ordinal = (uint32_t)number, .first_piece = p->piece_count};
    parser->subject->place_count++;
    struct word mode = parser_word(parser);
    if (word_is(mode, "node"))
        return parser_one_node(parser);
    if (word_is(mode, "blocks"))
        return parser_blocks(parser);
    if (!word_is(mode, "interleave") && !word_is(mode, "weighted"))
        return parser_fail(parser, "place: needs node, interleave, weighted or blocks");
    place->mode = word_is(mode, "weighted") ? PLACEMENT_WEIGHTED : PLACEMENT_INTERLEAVE;
    return parser_node_list(parser);
}

// --- subjects

static int parser_begin(struct parser *parser, enum placement_kind kind)
{
    struct placement *p = parser->placement;
    if (parser->subject)
        return parser_fail(parser, "the subject before has no end");
    if (p->subject_count == PLACEMENT_SUBJECTS)
        return parser_fail(parser, "more than 256 subjects");
    parser->subject = &p->subjects[p->subject_count++];
    *parser->subject = (struct placement_subject){.kind = kind,
                                                  .line = parser->line,
                                                  .bytes_max = UINT64_MAX,
                                                  .first_frame = p->frame_count,
                                                  .first_place = p->place_count};
    return 0;
}

static int parser_end(struct parser *parser)
{
    const struct placement_subject *subject = parser->subject;
    parser->subject = NULL;
    if (subject->place_count == 0)
        return parser_fail(parser, "the subject has no place");
    if (subject->kind == PLACEMENT_STATIC && subject->bytes == 0)
        return parser_fail(parser, "the static variable has no range");
    if (subject->kind != PLACEMENT_STATIC && subject->frame_count == 0)
        return parser_fail(parser, "the subject has no frame");
    return 0;
}

static int parser_bytes(struct parser *parser)
{
    struct placement_subject *subject = parser->subject;
    if (!word_number(parser_word(parser), UINT64_MAX, &subject->bytes_min) ||
        !word_number(parser_word(parser), UINT64_MAX, &subject->bytes_max) || subject->bytes_max < subject->bytes_min)
        return parser_fail(parser, "bytes: the smallest and the largest size are wanted");
    return 0;
}

static int parser_frame(struct parser *parser)
{
    struct placement *p = parser->placement;
    struct placement_frame frame;
    if (p->frame_count == PLACEMENT_FRAMES || parser->subject->frame_count == PLACEMENT_DEPTH)
        return parser_fail(parser, "more than 32 frames of a subject, or 4096 of all");
    if (parser_module(parser, &frame.module) < 0)
        return -EINVAL;
    if (!word_number(parser_word(parser), UINT64_MAX, &frame.offset))
        return parser_fail(parser, "frame: a build id and an offset are wanted");
    p->frames[p->frame_count++] = frame;
    parser->subject->frame_count++;
    return 0;
}

// range BUILD-ID ADDRESS BYTES
static int parser_range(struct parser *parser)
{
    struct placement_subject *subject = parser->subject;
    if (subject->kind != PLACEMENT_STATIC)
        return parser_fail(parser, "range: only static variables have one");
    if (parser_module(parser, &subject->module) < 0)
        return -EINVAL;
    if (!word_number(parser_word(parser), UINT64_MAX / 2, &subject->offset) ||
        !word_number(parser_word(parser), UINT64_MAX / 2, &subject->bytes))
        return parser_fail(parser, "range: a build id, an address and a size are wanted");
    return 0;
}

// pin CPU,CPU,... and threads CPU,CPU,...
static int parser_cpus(struct parser *parser, uint32_t *cpus, uint32_t *count)
{
    struct word rest = parser_word(parser), first;
    bool more = true;
    while (more) {
        uint64_t cpu;
        more = word_split(rest, ',', &first, &rest);
        if (*count == PLACEMENT_CPUS || !word_number(more ? first : rest, 8191, &cpu))
            return parser_fail(parser, "at most 1024 CPUs such as 0,2,4 are wanted");
        cpus[(*count)++] = (uint32_t)cpu;
    }
    return 0;
}

static int parser_statement(struct parser *parser, struct word word)
{
    if (word_is(word, "allocation"))
        return parser_begin(parser, PLACEMENT_ALLOCATION);
    if (word_is(word, "mapping"))
        return parser_begin(parser, PLACEMENT_MAPPING);
    if (word_is(word, "static"))
        return parser_begin(parser, PLACEMENT_STATIC);
    if (word_is(word, "pin"))
        return parser_cpus(parser, parser->placement->cpus, &parser->placement->cpu_count);
    if (word_is(word, "threads"))
        return parser_cpus(parser, parser->placement->threads, &parser->placement->thread_count);
    if (!parser->subject)
        return parser_fail(parser, "needs allocation, mapping, static, pin or threads");
    if (word_is(word, "bytes"))
        return parser_bytes(parser);
    if (word_is(word, "frame"))
        return parser_frame(parser);
    if (word_is(word, "range"))
        return parser_range(parser);
    if (word_is(word, "place"))
        return parser_place(parser);
    if (word_is(word, "end"))
        return parser_end(parser);
    return parser_fail(parser, "needs bytes, frame, range, place or end");
}

// The first statement: numaprof-placement VERSION.
static int parser_version(struct parser *parser, struct word word)
{
    uint64_t version;
    if (!word_is(word, "numaprof-placement"))
        return parser_fail(parser, "not a placement file: it begins with \"numaprof-placement 1\"");
    if (!word_number(parser_word(parser), UINT32_MAX, &version) || version != PLACEMENT_VERSION)
        return parser_fail(parser, "another version of the format than 1");
    return 0;
}

static int parser_line(struct parser *parser, bool *has_version)
{
    const char *comment = memchr(parser->at, '#', (size_t)(parser->end - parser->at));
    if (comment)
        parser->end = comment;
    struct word word = parser_word(parser);
    if (word.length == 0)
        return 0;
    int status = *has_version ? parser_statement(parser, word) : parser_version(parser, word);
    *has_version = true;
    if (status == 0 && parser_word(parser).length > 0)
        return parser_fail(parser, "more words than the statement has");
    return status;
}

int placement_parse(struct placement *placement, const char *text, size_t length, struct placement_error *error)
{
    struct parser parser = {.placement = placement};
    const char *end = text + length;
    bool has_version = false;
    int status = 0;
    placement->module_count = placement->subject_count = placement->frame_count = 0;
    placement->place_count = placement->piece_count = placement->cpu_count = placement->thread_count = 0;
    for (const char *at = text; at < end && status == 0;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        parser.at = at;
        parser.end = line_end ? line_end : end;
        parser.line++;
        at = line_end ? line_end + 1 : end;
        status = parser_line(&parser, &has_version);
    }
    if (status == 0 && !has_version)
        status = parser_fail(&parser, "the file is empty");
    if (status == 0 && parser.subject)
        status = parser_fail(&parser, "the last subject has no end: the file was cut short");
    if (status < 0) {
        placement->subject_count = 0;
        *error = (struct placement_error){.line = parser.line, .cause = parser.cause};
    }
    return status;
}

const struct placement_place *placement_find_place(const struct placement *placement,
                                                   const struct placement_subject *subject, uint32_t ordinal)
{
    const struct placement_place *any = NULL;
    for (uint32_t i = 0; i < subject->place_count; i++) {
        const struct placement_place *place = &placement->places[subject->first_place + i];
        if (place->ordinal == ordinal)
            return place;
        if (place->ordinal == PLACEMENT_ANY_ORDINAL)
            any = place;
    }
    return any;
}

uint64_t placement_border(const struct placement *placement, const struct placement_place *place, uint64_t start,
                          uint64_t bytes, uint64_t unit, uint32_t piece)
{
    double fraction = placement->pieces[place->first_piece + piece].end;
    uint64_t end = start + bytes;
    if (piece + 1 == place->piece_count || fraction >= 1)
        return end;
    uint64_t rounded = (start + (uint64_t)((double)bytes * fraction) + unit / 2) & ~(unit - 1);
    return rounded > end ? end : rounded < start ? start : rounded;
}
