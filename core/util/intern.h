// SPDX-License-Identifier: Apache-2.0
// One copy of each text, so that equal texts have equal addresses. For paths, which repeat a lot.
#ifndef CORE_UTIL_INTERN_H
#define CORE_UTIL_INTERN_H

struct intern; // NULL: empty

// The copy of the text, valid until intern_free. "" if there is no memory for it.
const char *intern_text(struct intern **texts, const char *text);
void intern_free(struct intern *texts);

#endif
