// SPDX-License-Identifier: Apache-2.0
#include "collectors/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char plan_all_topics[] = "demand_rd,demand_rfo,prefetch,any,retired,caches,nodes";

enum { PLAN_WORD_BYTES = 32 };

struct plan_context {
    struct plan *plan;
    const struct catalogue *catalogue;
    const struct catalogue_cpu *cpu;
    bool split;
};

// Copies the text up to a separator; returns where it ended, or NULL if it does not fit.
static const char *plan_word(char word[PLAN_WORD_BYTES], const char *text, const char *separators)
{
    size_t length = strcspn(text, separators);
    if (length == 0 || length >= PLAN_WORD_BYTES)
        return NULL;
    memcpy(word, text, length);
    word[length] = '\0';
    return text + length;
}

// The event for local or remote where a socket is split has a row of its own on some CPUs.
static const struct catalogue_event *plan_event(const struct plan_context *context, const char *class,
                                                const char *placement)
{
    const struct catalogue_event *event = NULL;
    if (context->split)
        event = catalogue_event(context->catalogue, context->cpu, class, placement, "snc");
    return event ? event : catalogue_event(context->catalogue, context->cpu, class, placement, NULL);
}

// One group's placements, up to "/" or the end. Returns where it ended, or NULL if the data is wrong.
static const char *plan_read_group(const struct plan_context *context, const char *class, const char *text,
                                   struct plan_group *group)
{
    char placement[PLAN_WORD_BYTES];
    *group = (struct plan_group){0};
    do {
        text = plan_word(placement, text + (*text == ','), ",/");
        const struct catalogue_event *event = text ? plan_event(context, class, placement) : NULL;
        if (!event || group->count == PLAN_GROUP_EVENTS)
            return NULL;
        group->events[group->count++] = event;
    } while (*text == ',');
    return text;
}

static int plan_add_group(struct plan *plan, const struct plan_group *group)
{
    for (int i = 0; i < plan->group_count; i++)
        if (memcmp(plan->groups[i].events, group->events, sizeof group->events) == 0)
            return 0; // two questions with one answer, as reads and RFO on Zen
    if (plan->group_count == PLAN_GROUPS)
        return -EINVAL;
    plan->groups[plan->group_count++] = *group;
    return 0;
}

static int plan_add_groups(const struct plan_context *context, const char *class, const char *groups)
{
    struct plan_group group;
    for (const char *rest = groups;; rest++) {
        rest = plan_read_group(context, class, rest, &group);
        if (!rest || plan_add_group(context->plan, &group) < 0)
            return -EINVAL;
        if (!*rest)
            return 0;
    }
}

static void plan_add_words(struct plan_answer *answer, const char *words)
{
    size_t used = strlen(answer->why);
    if (words)
        snprintf(answer->why + used, sizeof answer->why - used, "%s%s", used ? " " : "", words);
}

// In a split socket, does the class tell the own cluster from the sibling ones?
static bool plan_knows_clusters(const struct plan_context *context, const char *class)
{
    const char *word = context->cpu->clusters;
    if (strcmp(word, "snc") == 0)
        return catalogue_event(context->catalogue, context->cpu, class, "local_dram", "snc") != NULL;
    return strcmp(word, "never") == 0 || strcmp(word, "node") == 0;
}

static const char *plan_clusters_caution(const struct catalogue_cpu *cpu)
{
    return strcmp(cpu->clusters, "snc") == 0 ? "In a split socket local may mean all of it." : cpu->clusters_text;
}

static int plan_add_answer(const struct plan_context *context, const char *topic)
{
    const struct catalogue_answer *known = catalogue_answer(context->catalogue, context->cpu, topic);
    struct plan *plan = context->plan;
    if (!known || plan->answer_count == PLAN_TOPICS)
        return -EINVAL;
    struct plan_answer *answer = &plan->answers[plan->answer_count++];
    *answer = (struct plan_answer){.topic = known->topic, .status = known->status, .class = known->class};
    plan_add_words(answer, known->text);
    if (!known->class)
        return 0;
    answer->in_turn = strchr(known->groups, '/') != NULL;
    if (context->split && strstr(known->groups, "local_dram") && !plan_knows_clusters(context, known->class)) {
        answer->status = "partial";
        plan_add_words(answer, plan_clusters_caution(context->cpu));
    }
    if (answer->in_turn)
        plan_add_words(answer, "Counted in turn, not at the same time.");
    return 0;
}

// The groups of the answers that are, or are not, in turn.
static int plan_add_groups_of(const struct plan_context *context, bool in_turn)
{
    const struct plan *plan = context->plan;
    int status = 0;
    for (int i = 0; i < plan->answer_count && status == 0; i++) {
        const struct catalogue_answer *known = catalogue_answer(context->catalogue, context->cpu, plan->answers[i].topic);
        if (known->class && plan->answers[i].in_turn == in_turn)
            status = plan_add_groups(context, known->class, known->groups);
    }
    return status;
}

static const char *plan_local(const struct catalogue_cpu *cpu, bool split)
{
    if (!split || strcmp(cpu->clusters, "never") == 0)
        return "the memory of the own socket";
    if (strcmp(cpu->clusters, "unknown") == 0)
        return "not known for sockets that are split into clusters";
    if (strcmp(cpu->clusters, "socket") == 0)
        return "the own socket, all its clusters";
    return "the memory of the own cluster (NUMA node) within the socket";
}

bool plan_sockets_are_split(const struct topology *topology)
{
    struct cpulist packages = {0};
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        if (cpulist_next(&node->cpus, 0) < 0)
            continue;
        if (cpulist_has(&packages, node->package))
            return true;
        cpulist_add(&packages, node->package);
    }
    return false;
}

bool plan_knows_topics(const char *topics)
{
    char topic[PLAN_WORD_BYTES], known[PLAN_WORD_BYTES];
    for (const char *rest = topics;; rest++) {
        rest = plan_word(topic, rest, ",");
        bool found = false;
        for (const char *all = plan_all_topics; rest && *all && !found; all += *all == ',') {
            all = plan_word(known, all, ",");
            found = strcmp(topic, known) == 0;
        }
        if (!found || !*rest)
            return found;
    }
}

int plan_make(struct plan *plan, const struct catalogue *catalogue, const struct catalogue_cpu *cpu,
              const struct plan_request *request)
{
    const struct plan_context context = {.plan = plan, .catalogue = catalogue, .cpu = cpu, .split = request->split};
    *plan = (struct plan){.local = plan_local(cpu, request->split)};
    char topic[PLAN_WORD_BYTES];
    for (const char *rest = request->topics;; rest++) {
        rest = plan_word(topic, rest, ",");
        if (!rest || plan_add_answer(&context, topic) < 0)
            return -EINVAL;
        if (!*rest)
            break;
    }
    int status = plan_add_groups_of(&context, false);
    return status < 0 ? status : plan_add_groups_of(&context, true);
}
