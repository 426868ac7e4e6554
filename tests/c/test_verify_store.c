// SPDX-License-Identifier: Apache-2.0
// The file of a verification, and what a recording says and leaves out by it.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"
#include "profiler/recorder/evidence/verification.h"
#include "profiler/verify/result/verify_store.h"

static struct topology_node node = {.id = 0};
static int distance = 10;
static struct topology machine = {.nodes = &node, .node_count = 1, .distance = &distance};

static const struct event_entry reads_local = {.class = "demand_rd", .placement = "local_dram"},
                                reads_remote = {.class = "demand_rd", .placement = "remote_dram"},
                                prefetch = {.class = "pf_any", .placement = "local_dram"};

static struct verify_event event(const char *class, const char *placement, uint64_t config1, enum verify_word word)
{
    struct verify_event made = {.config = 0x1b7, .config1 = config1, .word = word};
    snprintf(made.class, sizeof made.class, "%s", class);
    snprintf(made.placement, sizeof made.placement, "%s", placement);
    return made;
}

// In the test's own folder.
static void save(enum verify_word remote)
{
    char folder[PATH_MAX], path[PATH_MAX];
    static struct verify verify;
    verify = (struct verify){.at = "2026-11-22T12:00:00Z", .local = "the memory of the own node", .event_count = 4};
    verify.events[0] = event("demand_rd", "local_dram", 1, VERIFY_RIGHT);
    verify.events[1] = event("demand_rd", "remote_dram", 2, remote);
    verify.events[2] = event("pf_any", "local_dram", 3, VERIFY_PARTLY);
    verify.events[3] = event("loads", "", 0, VERIFY_UNKNOWN);
    snprintf(verify.events[3].why, sizeof verify.events[3].why, "few samples");
    setenv("XDG_CACHE_HOME", getcwd(folder, sizeof folder), 1);
    CHECK_EQ(verify_store_save(&verify, &machine, path, sizeof path), 0);
}

static void put(struct counters *counters, const struct event_entry *source, uint64_t config1)
{
    counters->groups[counters->group_count++] = (struct counters_group){
        .count = 1, .events[0] = {.source = source, .attr = {.config = 0x1b7, .config1 = config1}}};
}

static struct counters all_events(void)
{
    struct counters counters = {.loads_group = -1};
    put(&counters, &reads_local, 1);
    put(&counters, &reads_remote, 2);
    put(&counters, &prefetch, 3);
    return counters;
}

TEST(what_is_saved_is_loaded)
{
    static struct verify verify;
    char path[PATH_MAX];
    save(VERIFY_DOUBLE);
    CHECK_EQ(verify_store_load(&verify, &machine, path, sizeof path), 0);
    CHECK_EQ(verify.event_count, 4);
    CHECK_STR(verify.at, "2026-11-22T12:00:00Z");
    CHECK_STR(verify.local, "the memory of the own node");
    CHECK_STR(verify.events[1].class, "demand_rd");
    CHECK_EQ(verify.events[1].config1, 2);
    CHECK_EQ(verify.events[1].word, VERIFY_DOUBLE);
    CHECK_STR(verify.events[3].placement, "");
    CHECK_STR(verify.events[3].why, "few samples");
}

TEST(another_machine_has_no_verification)
{
    static struct verify verify;
    char path[PATH_MAX];
    save(VERIFY_RIGHT);
    distance = 11;
    CHECK_EQ(verify_store_load(&verify, &machine, path, sizeof path), -ENOENT);
}

// Writes the file anew, with a text inserted after the first `after`, which must be there.
static void insert(const char *path, const char *after, const char *text)
{
    static char whole[65536];
    FILE *file = fopen(path, "r+");
    CHECK(file);
    whole[fread(whole, 1, sizeof whole - 1, file)] = '\0';
    const char *at = strstr(whole, after);
    CHECK(at);
    at += strlen(after);
    rewind(file);
    fprintf(file, "%.*s%s%s", (int)(at - whole), whole, text, at);
    CHECK_EQ(fclose(file), 0);
}

// As if their names met: the identity of the machine that wrote the file decides.
TEST(another_kernel_or_microcode_has_no_verification)
{
    static struct verify verify;
    char path[PATH_MAX], kernel[256];
    struct utsname system;
    CHECK_EQ(uname(&system), 0);
    snprintf(kernel, sizeof kernel, "|Linux %s", system.release);
    const char *const changes[] = {kernel, "|microcode "};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        save(VERIFY_RIGHT);
        CHECK_EQ(verify_store_load(&verify, &machine, path, sizeof path), 0);
        insert(path, changes[i], "9");
        CHECK_EQ(verify_store_load(&verify, &machine, path, sizeof path), -ENOENT);
        CHECK_EQ(verify.event_count, 0);
    }
}

TEST(a_file_that_was_cut_off_is_damaged)
{
    static struct verify verify;
    char path[PATH_MAX];
    save(VERIFY_RIGHT);
    CHECK_EQ(verify_store_load(&verify, &machine, path, sizeof path), 0);
    CHECK_EQ(truncate(path, 200), 0);
    CHECK_EQ(verify_store_load(&verify, &machine, path, sizeof path), -EINVAL);
    CHECK_EQ(verify.event_count, 0);
}

TEST(words_of_the_evidence_line)
{
    static struct verification verification;
    static struct counters counters;
    char words[128];
    counters = all_events();
    CHECK_STR(verification_words(&verification, &counters, false, words, sizeof words),
              ", not verified here: numaprof verify, 20 s");
    save(VERIFY_RIGHT);
    verification_open(&verification, &machine, &counters);
    CHECK_EQ(counters.wrong_count, 0);
    CHECK_STR(verification_words(&verification, &counters, false, words, sizeof words),
              ", verified on this machine (pf_any in part)");
    counters.group_count = 2;
    CHECK_STR(verification_words(&verification, &counters, false, words, sizeof words), ", verified on this machine");
    CHECK_STR(verification_words(&verification, &counters, true, words, sizeof words),
              ", not verified: numaprof verify says why"); // no retired loads were looked at
    CHECK_STR(verification_words_of_loads(&verification, words, sizeof words),
              ", not verified: numaprof verify says why");
}

TEST(a_wrong_event_is_handed_to_the_counters)
{
    static struct verification verification;
    static struct counters counters;
    counters = all_events();
    save(VERIFY_NOTHING);
    verification_open(&verification, &machine, &counters);
    CHECK_EQ(counters.wrong_count, 1);
    CHECK_STR(counters.wrong[0].class, "demand_rd");
    CHECK_EQ(counters.wrong[0].config1, 2);
}
