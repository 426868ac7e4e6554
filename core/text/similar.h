// SPDX-License-Identifier: Apache-2.0
// Mistyped words: which known word was probably meant.
#ifndef CORE_TEXT_SIMILAR_H
#define CORE_TEXT_SIMILAR_H

#include <stddef.h>

// Letters to change, add, leave out, or swap with the next one to get from `word` to `known`; SIZE_MAX where that is
// more than two, or half of `word` or more: then hardly anybody meant it.
size_t similar_distance(const char *word, const char *known);

#endif
