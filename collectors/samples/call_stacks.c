// SPDX-License-Identifier: Apache-2.0
#include "collectors/samples/call_stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/grow.h"

static const char call_stacks_kernel[] = "[kernel]";

// The upper half of the address space, on all machines there are.
static bool call_stacks_is_kernel(uint64_t address)
{
    return address >> 63;
}

// Anonymous executable memory is a just-in-time compiler's.
static const char *call_stacks_module(const struct mapping *mapping)
{
    if (!mapping)
        return NULL;
    return *mapping->path ? mapping->path : "[anonymous code]";
}

// Returns the id of the place, or RECORDING_NULL.
static int64_t call_stacks_place(struct call_stacks *stacks, const struct address_space *space, uint64_t address)
{
    const struct mapping *mapping = address_space_find(space, address);
    bool in_file = mapping && *mapping->path == '/', in_kernel = call_stacks_is_kernel(address);
    struct call_stacks_place place = {
        .path = in_kernel ? call_stacks_kernel
                : mapping ? mapping->path
                          : "",
        .address = in_file ? address - mapping->start + mapping->file_offset : address,
        .pid = in_file || in_kernel ? 0 : space->pid,
    };
    uint64_t hash = table_mix(table_mix((uint64_t)place.pid, (uintptr_t)place.path), place.address), id;
    if (table_get(&stacks->place_ids, hash, &id))
        return (int64_t)id;
    if (stacks->place_count >= CALL_STACKS_MAX_PLACES)
        return RECORDING_NULL;
    struct call_stacks_place *places =
        grow_array(stacks->places, &stacks->places_size, (size_t)stacks->place_count + 1, sizeof place);
    stacks->places = places ? places : stacks->places;
    if (!places || table_put(&stacks->place_ids, hash, (uint64_t)stacks->place_count + 1) < 0)
        return RECORDING_NULL;
    stacks->places[stacks->place_count++] = place;
    RECORD(stacks->queue, RECORDING_PLACE, RECORD_NUMBER(stacks->place_count),
           RECORD_TEXT(in_kernel ? call_stacks_kernel : call_stacks_module(mapping)), RECORD_NULL,
           RECORD_NUMBER(place.address), RECORD_NULL, RECORD_NULL, RECORD_NULL, RECORD_NULL, RECORD_NULL);
    return stacks->place_count;
}

// caller 0: none.
static int64_t call_stacks_link(struct call_stacks *stacks, int64_t place, int64_t caller, bool is_truncated)
{
    uint64_t hash = table_mix(table_mix((uint64_t)is_truncated, (uint64_t)place), (uint64_t)caller), id;
    if (table_get(&stacks->stack_ids, hash, &id))
        return (int64_t)id;
    if (stacks->stack_count >= CALL_STACKS_MAX_PATHS)
        return RECORDING_NULL;
    struct call_stacks_link *links =
        grow_array(stacks->links, &stacks->links_size, (size_t)stacks->stack_count + 1, sizeof *links);
    stacks->links = links ? links : stacks->links;
    if (!links || table_put(&stacks->stack_ids, hash, (uint64_t)stacks->stack_count + 1) < 0)
        return RECORDING_NULL;
    stacks->links[stacks->stack_count++] =
        (struct call_stacks_link){.place = (int32_t)place, .caller = (int32_t)caller};
    RECORD(stacks->queue, RECORDING_STACK, RECORD_NUMBER(stacks->stack_count), RECORD_NUMBER(place),
           caller ? RECORD_NUMBER(caller) : RECORD_NULL, RECORD_NUMBER(is_truncated));
    return stacks->stack_count;
}

// Our own frames in the program's calls say nothing about the program.
static bool call_stacks_is_hidden(const struct call_stacks *stacks, const struct address_space *space, uint64_t address)
{
    const struct mapping *mapping = stacks->hidden ? address_space_find(space, address) : NULL;
    return mapping && strcmp(mapping->path, stacks->hidden) == 0;
}

static int64_t call_stacks_add(struct call_stacks *stacks, const struct address_space *space, uint64_t address,
                               int64_t caller, bool is_truncated)
{
    int64_t place = call_stacks_place(stacks, space, address);
    return place == RECORDING_NULL ? place : call_stacks_link(stacks, place, caller, is_truncated);
}

// Outermost first, so that a caller is written before what it calls. 0: there is none to show; RECORDING_NULL: no room.
static int64_t call_stacks_build_callers(struct call_stacks *stacks, const struct address_space *space,
                                         const uint64_t *addresses, size_t count, bool is_truncated)
{
    int64_t caller = 0;
    for (size_t i = count; i-- > 1 && caller != RECORDING_NULL;)
        if (!call_stacks_is_hidden(stacks, space, addresses[i])) // a return address may already belong to the next line
            caller = call_stacks_add(stacks, space, addresses[i] - 1, caller, is_truncated && i + 1 == count);
    return caller;
}

// Of many paths that are new only the innermost address is. hash: of the others.
static int64_t call_stacks_callers(struct call_stacks *stacks, const struct address_space *space, uint64_t hash,
                                   const uint64_t *addresses, size_t count, bool is_truncated)
{
    uint64_t id;
    if (table_get(&stacks->caller_paths, hash, &id))
        return (int64_t)id;
    int64_t built = call_stacks_build_callers(stacks, space, addresses, count, is_truncated);
    if (built != RECORDING_NULL && stacks->caller_paths.used < CALL_STACKS_MAX_PATHS)
        table_put(&stacks->caller_paths, hash, (uint64_t)built);
    return built;
}

int64_t call_stacks_intern(struct call_stacks *stacks, const struct address_space *space, uint64_t key,
                           const uint64_t *addresses, size_t count, bool is_truncated)
{
    if (count == 0)
        return RECORDING_NULL;
    if (count > CALL_STACKS_MAX_DEPTH) {
        count = CALL_STACKS_MAX_DEPTH;
        is_truncated = true;
    }
    uint64_t callers = table_mix(key, is_truncated), id;
    for (size_t i = 1; i < count; i++)
        callers = table_mix(callers, addresses[i]);
    uint64_t hash = table_mix(callers, addresses[0]);
    if (table_get(&stacks->whole_paths, hash, &id))
        return (int64_t)id;
    int64_t built = call_stacks_callers(stacks, space, callers, addresses, count, is_truncated);
    if (built == 0 || (built != RECORDING_NULL && !call_stacks_is_hidden(stacks, space, addresses[0])))
        built = call_stacks_add(stacks, space, addresses[0], built, is_truncated && count == 1);
    if (built == RECORDING_NULL)
        stacks->refused++;
    else if (stacks->whole_paths.used < CALL_STACKS_MAX_PATHS)
        table_put(&stacks->whole_paths, hash, (uint64_t)built); // a cache: without it the path is built again
    return built;
}

void call_stacks_weigh(struct call_stacks *stacks, int64_t stack, uint64_t weight)
{
    if (stack != RECORDING_NULL)
        stacks->links[stack - 1].weight += weight;
}

static const struct call_stacks_link *call_stacks_caller(const struct call_stacks *stacks,
                                                         const struct call_stacks_link *link)
{
    return link->caller ? &stacks->links[link->caller - 1] : NULL;
}

static bool call_stacks_is_in(const struct call_stacks *stacks, const struct call_stacks_link *link,
                              const struct table *programs)
{
    uint64_t unused;
    return table_get(programs, (uintptr_t)stacks->places[link->place - 1].path, &unused);
}

// The outermost place of a program on a path, but for the path's own end: that is the program's entry, and between the
// two only code of the C library that starts programs. NULL: none.
static const struct call_stacks_link *
call_stacks_last_in(const struct call_stacks *stacks, const struct call_stacks_link *link, const struct table *programs)
{
    const struct call_stacks_link *last = NULL;
    for (; link; link = call_stacks_caller(stacks, link))
        if (call_stacks_is_in(stacks, link, programs) && (link->caller || !last))
            last = link;
    return last;
}

uint64_t *call_stacks_place_weights(const struct call_stacks *stacks, const struct table *programs)
{
    uint64_t *weights = calloc((size_t)stacks->place_count + 1, sizeof *weights);
    for (int64_t i = 0; weights && i < stacks->stack_count; i++) {
        const struct call_stacks_link *link = &stacks->links[i];
        uint64_t weight = link->weight;
        const struct call_stacks_link *last = weight > 0 ? call_stacks_last_in(stacks, link, programs) : NULL;
        int in_program = 0;
        while (weight > 0 && link && in_program < CALL_STACKS_PROGRAM_PLACES) {
            weights[link->place - 1] += weight;
            in_program += call_stacks_is_in(stacks, link, programs);
            weight = link == last ? 1 : weight;
            link = call_stacks_caller(stacks, link);
        }
    }
    return weights;
}

void call_stacks_free(struct call_stacks *stacks)
{
    free(stacks->links);
    table_free(&stacks->place_ids);
    table_free(&stacks->stack_ids);
    table_free(&stacks->whole_paths);
    table_free(&stacks->caller_paths);
    free(stacks->places);
    *stacks = (struct call_stacks){0};
}
