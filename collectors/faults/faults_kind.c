// SPDX-License-Identifier: Apache-2.0
#include "collectors/faults/faults_kind.h"

#include "collectors/pages/pages_state.h"

static bool faults_is_shared(const struct mapping *mapping)
{
    return mapping->kind == MAPPING_FILE || mapping->kind == MAPPING_SPECIAL;
}

// Nothing was mapped: the page is new, or comes back.
static enum faults_kind faults_of_unmapped(const struct faults_facts *facts)
{
    if (facts->mapping->file_backed && facts->mapping->kind == MAPPING_STATIC)
        return facts->is_file_page == 0 ? FAULTS_COPY_ON_WRITE : facts->is_file_page > 0 ? FAULTS_FILE : FAULTS_UNKNOWN;
    if (facts->before == FAULTS_STATE_TOUCHED)
        return FAULTS_REFAULT;
    if (facts->now == PAGES_ZERO)
        return FAULTS_ZERO_PAGE;
    return facts->now >= 0 || facts->now == PAGES_SOMEWHERE ? FAULTS_FIRST_TOUCH : FAULTS_UNKNOWN;
}

// A page was mapped: the zero page or one shared after fork gets a copy, or the balancer asks who uses it.
static enum faults_kind faults_of_mapped(const struct faults_facts *facts)
{
    if (facts->mapping->file_backed)
        return FAULTS_COPY_ON_WRITE;
    if (facts->before == FAULTS_STATE_ZERO)
        return facts->now == PAGES_ZERO ? FAULTS_UNKNOWN : FAULTS_FIRST_TOUCH;
    if (facts->balancing) {
        // A page that was never seen may have been the zero page, if faults went unseen and that happens here.
        bool was_placed = facts->before == FAULTS_STATE_TOUCHED || facts->saw_all || !facts->saw_zero_pages;
        bool certain = !facts->forked && was_placed;
        return certain ? FAULTS_HINT : FAULTS_UNKNOWN;
    }
    if (facts->forked)
        return FAULTS_COPY_ON_WRITE;
    return facts->before == FAULTS_STATE_NEW ? FAULTS_FIRST_TOUCH : FAULTS_UNKNOWN;
}

enum faults_kind faults_kind_of(const struct faults_facts *facts)
{
    if (!facts->mapping)
        return FAULTS_UNKNOWN;
    if (faults_is_shared(facts->mapping))
        return FAULTS_FILE;
    if (facts->tells_mapped)
        return facts->was_mapped ? faults_of_mapped(facts) : faults_of_unmapped(facts);
    // Kernels before 5.11: only what cannot be anything else.
    bool is_new = facts->before == FAULTS_STATE_NEW && facts->saw_all && !facts->forked;
    return is_new || facts->before == FAULTS_STATE_ZERO ? faults_of_unmapped(facts) : FAULTS_UNKNOWN;
}

bool faults_kind_places(enum faults_kind kind)
{
    return kind == FAULTS_FIRST_TOUCH || kind == FAULTS_COPY_ON_WRITE || kind == FAULTS_REFAULT;
}
