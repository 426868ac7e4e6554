// SPDX-License-Identifier: Apache-2.0
#include "collectors/events/event_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event_words.h"

const char event_plan_all_topics[] = "demand_rd,demand_rfo,prefetch,any,retired,caches,nodes,slow";
static const char event_plan_usual_topics[] = "demand_rd,demand_rfo,prefetch,retired";
static const char event_plan_tiered_topics[] = "demand_rd,demand_rfo,prefetch,retired,slow";

enum { EVENT_PLAN_WORD_BYTES = 32 };

struct event_plan_context {
    struct event_plan *plan;
    const struct event_catalogue *catalogue;
    const struct event_cpu *cpu;
    bool split;
};

// Copies the text up to a separator; returns where it ended, or NULL if it does not fit.
static const char *event_plan_word(char word[EVENT_PLAN_WORD_BYTES], const char *text, const char *separators)
{
    size_t length = strcspn(text, separators);
    if (length == 0 || length >= EVENT_PLAN_WORD_BYTES)
        return NULL;
    memcpy(word, text, length);
    word[length] = '\0';
    return text + length;
}

// The event for local or remote where a socket is split has a row of its own on some CPUs.
static const struct event_entry *event_plan_entry(const struct event_plan_context *context, const char *class,
                                                  const char *placement)
{
    const struct event_entry *event = NULL;
    if (context->split)
        event = event_catalogue_entry(context->catalogue, context->cpu, class, placement, "snc");
    return event ? event : event_catalogue_entry(context->catalogue, context->cpu, class, placement, NULL);
}

// One group's placements, up to "/" or the end. Returns where it ended, or NULL if the data is wrong.
static const char *event_plan_read_group(const struct event_plan_context *context, const char *class, const char *text,
                                         struct event_plan_group *group)
{
    char placement[EVENT_PLAN_WORD_BYTES];
    *group = (struct event_plan_group){0};
    do {
        text = event_plan_word(placement, text + (*text == ','), ",/");
        const struct event_entry *event = text ? event_plan_entry(context, class, placement) : NULL;
        if (!event || group->count == EVENT_PLAN_GROUP_EVENTS)
            return NULL;
        group->events[group->count++] = event;
    } while (*text == ',');
    return text;
}

static int event_plan_add_group(struct event_plan *plan, const struct event_plan_group *group)
{
    for (int i = 0; i < plan->group_count; i++)
        if (memcmp(plan->groups[i].events, group->events, sizeof group->events) == 0)
            return 0; // two questions with one answer, as reads and RFO on Zen
    if (plan->group_count == EVENT_PLAN_GROUPS)
        return -EINVAL;
    plan->groups[plan->group_count++] = *group;
    return 0;
}

static int event_plan_add_groups(const struct event_plan_context *context, const char *class, const char *groups)
{
    struct event_plan_group group;
    for (const char *rest = groups;; rest++) {
        rest = event_plan_read_group(context, class, rest, &group);
        if (!rest || event_plan_add_group(context->plan, &group) < 0)
            return -EINVAL;
        if (!*rest)
            return 0;
    }
}

static void event_plan_add_words(struct event_plan_answer *answer, const char *words)
{
    size_t used = strlen(answer->why);
    if (words)
        snprintf(answer->why + used, sizeof answer->why - used, "%s%s", used ? " " : "", words);
}

// In a split socket, does the class tell the own cluster from the sibling ones?
static bool event_plan_knows_clusters(const struct event_plan_context *context, const char *class)
{
    const char *word = context->cpu->clusters;
    if (strcmp(word, "snc") == 0)
        return event_catalogue_entry(context->catalogue, context->cpu, class, EVENT_LOCAL_DRAM, "snc") != NULL;
    return strcmp(word, "never") == 0 || strcmp(word, "node") == 0;
}

// What the class may call local in a split socket, if that is not the own cluster; NULL: it is.
static const char *event_plan_clusters_doubt(const struct event_plan_context *context, const char *class)
{
    const struct event_cpu *cpu = context->cpu;
    if (!context->split || event_plan_knows_clusters(context, class))
        return NULL;
    return strcmp(cpu->clusters, "snc") == 0 ? "In a split socket local may mean all of it." : cpu->clusters_text;
}

static int event_plan_add_answer(const struct event_plan_context *context, const char *topic)
{
    const struct event_answer *known = event_catalogue_answer(context->catalogue, context->cpu, topic);
    struct event_plan *plan = context->plan;
    if (!known || plan->answer_count == EVENT_PLAN_TOPICS)
        return -EINVAL;
    struct event_plan_answer *answer = &plan->answers[plan->answer_count++];
    *answer = (struct event_plan_answer){.topic = known->topic, .status = known->status, .class = known->class};
    event_plan_add_words(answer, known->text);
    if (!known->class)
        return 0;
    answer->in_turn = strchr(known->groups, '/') != NULL;
    const char *doubt = event_plan_clusters_doubt(context, known->class);
    if (doubt && strstr(known->groups, EVENT_LOCAL_DRAM)) {
        answer->status = "partial";
        event_plan_add_words(answer, doubt);
        if (strcmp(topic, "retired") == 0)
            plan->clusters_doubt_of_retired = doubt;
        else
            plan->clusters_doubt = doubt;
    }
    if (answer->in_turn)
        event_plan_add_words(answer, "Counted in turn, not at the same time.");
    return 0;
}

// The groups of the answers that are, or are not, in turn.
static int event_plan_add_groups_of(const struct event_plan_context *context, bool in_turn)
{
    const struct event_plan *plan = context->plan;
    int status = 0;
    for (int i = 0; i < plan->answer_count && status == 0; i++) {
        const struct event_answer *known =
            event_catalogue_answer(context->catalogue, context->cpu, plan->answers[i].topic);
        if (known->class && plan->answers[i].in_turn == in_turn)
            status = event_plan_add_groups(context, known->class, known->groups);
    }
    return status;
}

static const char *event_plan_local(const struct event_cpu *cpu, bool split)
{
    if (!split || strcmp(cpu->clusters, "never") == 0)
        return "the memory of the own socket";
    if (strcmp(cpu->clusters, "unknown") == 0)
        return "not known for sockets that are split into clusters";
    if (strcmp(cpu->clusters, "socket") == 0)
        return "the own socket, all its clusters";
    return "the memory of the own cluster (NUMA node) within the socket";
}

bool event_plan_sockets_are_split(const struct topology *topology)
{
    for (size_t i = 0; i < topology->node_count; i++)
        if (topology_package_nodes_before(topology, i) > 0)
            return true;
    return false;
}

const char *event_plan_usual(const struct topology *topology)
{
    for (size_t i = 0; i < topology->node_count; i++)
        if (topology_is_slow_tier(topology, topology->nodes[i].id))
            return event_plan_tiered_topics;
    return event_plan_usual_topics;
}

bool event_plan_knows_topics(const char *topics)
{
    char topic[EVENT_PLAN_WORD_BYTES], known[EVENT_PLAN_WORD_BYTES];
    for (const char *rest = topics;; rest++) {
        rest = event_plan_word(topic, rest, ",");
        bool found = false;
        for (const char *all = event_plan_all_topics; rest && *all && !found; all += *all == ',') {
            all = event_plan_word(known, all, ",");
            found = strcmp(topic, known) == 0;
        }
        if (!found || !*rest)
            return found;
    }
}

int event_plan_make(struct event_plan *plan, const struct event_catalogue *catalogue, const struct event_cpu *cpu,
                    const struct event_plan_request *request)
{
    const struct event_plan_context context = {
        .plan = plan, .catalogue = catalogue, .cpu = cpu, .split = request->split};
    *plan = (struct event_plan){.local = event_plan_local(cpu, request->split)};
    char topic[EVENT_PLAN_WORD_BYTES];
    for (const char *rest = request->topics;; rest++) {
        rest = event_plan_word(topic, rest, ",");
        if (!rest || event_plan_add_answer(&context, topic) < 0)
            return -EINVAL;
        if (!*rest)
            break;
    }
    int status = event_plan_add_groups_of(&context, false);
    return status < 0 ? status : event_plan_add_groups_of(&context, true);
}
