// SPDX-License-Identifier: Apache-2.0
// Mistyped words: which known word was probably meant.
#ifndef CORE_TEXT_SIMILAR_H
#define CORE_TEXT_SIMILAR_H

// What `word` was more probably meant to be: `known`, or `nearest` as before. NULL: nothing that is near enough.
const char *similar_nearer(const char *word, const char *known, const char *nearest);

#endif
