// SPDX-License-Identifier: Apache-2.0
#include "core/text/similar.h"

#include <stdint.h>
#include <string.h>

enum { WORD_SIZE = 16, NEAR = 2 };

static size_t similar_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Letters to change, add, leave out, or swap with the next one to get from `word` to `known` (optimal string
// alignment); SIZE_MAX where that is more than two, or half of `word` or more: then hardly anybody meant it.
static size_t similar_distance(const char *word, const char *known)
{
    size_t rows[WORD_SIZE][WORD_SIZE], lengths[] = {strlen(word), strlen(known)};
    if (lengths[0] >= WORD_SIZE || lengths[1] >= WORD_SIZE)
        return SIZE_MAX;
    for (size_t i = 0; i <= lengths[0]; i++) {
        for (size_t j = 0; j <= lengths[1]; j++) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            size_t changed = rows[i - 1][j - 1] + (word[i - 1] != known[j - 1]);
            rows[i][j] = similar_least(changed, 1 + similar_least(rows[i - 1][j], rows[i][j - 1]));
            if (i > 1 && j > 1 && word[i - 1] == known[j - 2] && word[i - 2] == known[j - 1])
                rows[i][j] = similar_least(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    size_t distance = rows[lengths[0]][lengths[1]];
    return distance <= NEAR && 2 * distance < lengths[0] ? distance : SIZE_MAX;
}

const char *similar_nearer(const char *word, const char *known, const char *nearest)
{
    const size_t distance = similar_distance(word, known);
    return distance < (nearest ? similar_distance(word, nearest) : SIZE_MAX) ? known : nearest;
}
