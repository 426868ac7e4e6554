// SPDX-License-Identifier: Apache-2.0
#include "collectors/fault_kind.h"

#include "collectors/page_state.h"

static bool fault_is_shared(const struct mapping *mapping)
{
    return mapping->kind == MAP_KIND_FILE || mapping->kind == MAP_KIND_SPECIAL;
}

// Nothing was mapped: the page is new, or comes back.
static enum fault_kind fault_of_unmapped(const struct fault_facts *facts)
{
    if (facts->mapping->file_backed && facts->mapping->kind == MAP_KIND_STATIC)
        return facts->is_file_page == 0 ? FAULT_COPY_ON_WRITE : facts->is_file_page > 0 ? FAULT_FILE : FAULT_UNKNOWN;
    if (facts->before == FAULT_STATE_TOUCHED)
        return FAULT_REFAULT;
    if (facts->now == PAGE_ZERO)
        return FAULT_ZERO_PAGE;
    return facts->now >= 0 || facts->now == PAGE_SOMEWHERE ? FAULT_FIRST_TOUCH : FAULT_UNKNOWN;
}

// A page was mapped: the zero page or one shared after fork gets a copy, or the balancer asks who uses it.
static enum fault_kind fault_of_mapped(const struct fault_facts *facts)
{
    if (facts->mapping->file_backed)
        return FAULT_COPY_ON_WRITE;
    if (facts->before == FAULT_STATE_ZERO)
        return facts->now == PAGE_ZERO ? FAULT_UNKNOWN : FAULT_FIRST_TOUCH;
    if (facts->balancing) {
        // A page that was never seen may have been the zero page, if faults went unseen and that happens here.
        bool was_placed = facts->before == FAULT_STATE_TOUCHED || facts->saw_all || !facts->saw_zero_pages;
        bool certain = !facts->forked && was_placed;
        return certain ? FAULT_HINT : FAULT_UNKNOWN;
    }
    if (facts->forked)
        return FAULT_COPY_ON_WRITE;
    return facts->before == FAULT_STATE_NEW ? FAULT_FIRST_TOUCH : FAULT_UNKNOWN;
}

enum fault_kind fault_kind_of(const struct fault_facts *facts)
{
    if (!facts->mapping)
        return FAULT_UNKNOWN;
    if (fault_is_shared(facts->mapping))
        return FAULT_FILE;
    if (facts->tells_mapped)
        return facts->was_mapped ? fault_of_mapped(facts) : fault_of_unmapped(facts);
    // Kernels before 5.11: only what cannot be anything else.
    bool is_new = facts->before == FAULT_STATE_NEW && facts->saw_all && !facts->forked;
    return is_new || facts->before == FAULT_STATE_ZERO ? fault_of_unmapped(facts) : FAULT_UNKNOWN;
}

bool fault_kind_places(enum fault_kind kind)
{
    return kind == FAULT_FIRST_TOUCH || kind == FAULT_COPY_ON_WRITE || kind == FAULT_REFAULT;
}
