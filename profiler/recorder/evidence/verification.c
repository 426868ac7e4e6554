// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/evidence/verification.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/text/diag.h"
#include "profiler/recorder/run/note.h"
#include "profiler/verify/result/verify_store.h"

static const char verification_none[] = ", not verified here: numaprof verify, 20 s";

void verification_open(struct verification *verification, const struct topology *topology, struct counters *counters)
{
    char path[PATH_MAX], clean[PATH_MAX];
    int status = verify_store_load(&verification->found, topology, path, sizeof path);
    if (status == -EINVAL)
        diag_warn("run numaprof verify again", "%s is damaged: no counter counts as verified",
                  diag_clean(clean, sizeof clean, path));
    verification->is_known = status == 0;
    for (size_t i = 0; i < verification->found.event_count; i++) {
        const struct verify_event *event = &verification->found.events[i];
        if (verify_word_is_wrong(event->word))
            verification->wrong[counters->wrong_count++] = (struct counters_wrong){
                .class = event->class, .placement = event->placement, .config = event->config,
                    .config1 = event->config1};
    }
    counters->wrong = verification->wrong;
}

static const struct verify_event *verification_find(const struct verification *verification, const char *class,
                                                    uint64_t config, uint64_t config1)
{
    for (size_t i = 0; i < verification->found.event_count; i++) {
        const struct verify_event *event = &verification->found.events[i];
        if (strcmp(event->class, class) == 0 && event->config == config && event->config1 == config1)
            return event;
    }
    return NULL;
}

// The worst word of the groups that are used, and one event that has it.
static enum verify_word verification_worst(const struct verification *verification, const struct counters *counters,
                                           bool retired, const char **class, int *right)
{
    enum verify_word worst = VERIFY_RIGHT;
    for (int i = 0; i < counters->group_count; i++) {
        const struct counters_group *group = &counters->groups[i];
        for (int j = 0; j < group->count && group->error == 0 && i != counters->loads_group; j++) {
            const struct counters_event *event = &group->events[j];
            if (!event->source || event_catalogue_is_retired(event->source) != retired)
                continue;
            const struct verify_event *found = verification_find(verification, event->source->class,
                                                                 event->attr.config, event->attr.config1);
            const enum verify_word word = found ? found->word : VERIFY_UNKNOWN;
            *right += word == VERIFY_RIGHT;
            if (word == VERIFY_RIGHT || worst == VERIFY_UNKNOWN)
                continue;
            worst = word;
            *class = event->source->class;
        }
    }
    return worst;
}

const char *verification_words(const struct verification *verification, const struct counters *counters, bool retired,
                               char *out, size_t size)
{
    const char *class = "";
    int right = 0;
    enum verify_word worst = verification_worst(verification, counters, retired, &class, &right);
    if (!verification->is_known)
        snprintf(out, size, "%s", verification_none);
    else if (right == 0)
        snprintf(out, size, ", not verified: numaprof verify says why");
    else if (worst == VERIFY_RIGHT)
        snprintf(out, size, ", verified on this machine");
    else
        snprintf(out, size, ", verified on this machine (%s %s)", class,
                 worst == VERIFY_PARTLY ? "in part" : "not");
    return out;
}

const char *verification_words_of_loads(const struct verification *verification, char *out, size_t size)
{
    enum verify_word word = VERIFY_UNKNOWN;
    for (size_t i = 0; i < verification->found.event_count; i++)
        if (strcmp(verification->found.events[i].class, "loads") == 0)
            word = verification->found.events[i].word;
    snprintf(out, size, "%s", !verification->is_known ? verification_none
                              : word == VERIFY_RIGHT  ? ", verified on this machine"
                                                      : ", not verified: numaprof verify says why");
    return out;
}

static void verification_note(const struct verification *verification, const struct counters *counters,
                              const struct tasks *tasks)
{
    for (int i = 0; i < counters->wrong_count; i++)
        note_write(tasks, "wrong_event", RECORDING_NULL, "numaprof verify shows more",
                   "%s %s is not used: numaprof verify found on %s that it %s",
                   counters->wrong[i].class, *counters->wrong[i].placement ? counters->wrong[i].placement : "sampled",
                   verification->found.at,
                   verify_word_name(verification_find(verification, counters->wrong[i].class, counters->wrong[i].config,
                                                      counters->wrong[i].config1)->word));
}

void verification_write(const struct verification *verification, const struct counters *counters,
                        const struct tasks *tasks)
{
    const struct verify *found = &verification->found;
    struct recording_queue *queue = tasks->queue;
    if (!verification->is_known)
        return;
    RECORD(queue, RECORDING_VERIFICATION, RECORD_NUMBER(1), RECORD_TEXT(found->at), RECORD_NUMBER(found->partial),
           RECORD_TEXT(*found->local ? found->local : NULL));
    for (size_t i = 0; i < found->event_count; i++) {
        const struct verify_event *event = &found->events[i];
        RECORD(queue, RECORDING_VERIFIED, RECORD_TEXT(event->class), RECORD_TEXT(event->placement),
               RECORD_NUMBER((int64_t)event->config), RECORD_NUMBER((int64_t)event->config1),
               RECORD_TEXT(verify_word_name(event->word)), RECORD_TEXT(*event->why ? event->why : NULL));
    }
    verification_note(verification, counters, tasks);
}
