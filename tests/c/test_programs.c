// SPDX-License-Identifier: Apache-2.0
// What is noted of programs that cannot have the preload library.
#include "profiler/recorder/targets/programs.h"

#include <errno.h>

#include "hand_modules.h"

enum { PROCESS = 1 << 29, MOST_NOTES = 64 }; // PROCESS: beyond any pid there is (PID_MAX_LIMIT)

static struct process *process;

static void begin(void)
{
    hand_modules();
    process = tasks_add_process(&tasks, PROCESS, NULL, 1, "preload");
    CHECK(process != NULL);
}

static void finish(void)
{
    programs_finish(&targets.programs, "/lib/libnumaprof-preload.so", NULL);
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(a_static_program_is_pinned_from_outside_with_a_note)
{
    begin();
    programs_announce(&targets.programs, process, ELF_KIND_STATIC, "/bin/static");
    CHECK(!programs_is_outside(process)); // it runs from the exec on
    programs_executed(&targets.programs, process);
    CHECK(programs_is_outside(process));
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM note WHERE kind = 'not_followed' AND text LIKE '/bin/static %'"), 1);
}

TEST(a_program_that_may_not_be_measured_is_not_followed)
{
    begin();
    programs_announce(&targets.programs, process, -EPERM, "/bin/su");
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM process WHERE followed = 'no'"), 1);
    CHECK_EQ(hand_number("SELECT count(*) FROM note WHERE kind = 'not_followed'"), 1);
}

TEST(a_program_that_could_load_the_library_and_never_connected_is_noted_once)
{
    begin();
    for (int i = 0; i < 3; i++) {
        programs_announce(&targets.programs, process, ELF_KIND_GLIBC, "/bin/ls");
        programs_executed(&targets.programs, process);
        programs_ended(&targets.programs, process);
    }
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM note"), 1);
    CHECK_EQ(hand_number("SELECT value FROM note WHERE kind = 'not_followed'"), 3);
}

TEST(notes_of_single_programs_are_bounded_and_the_rest_is_counted)
{
    begin();
    for (int i = 0; i < MOST_NOTES + 6; i++)
        programs_announce(&targets.programs, process, -EPERM, "/bin/su");
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM note WHERE kind = 'not_followed'"), MOST_NOTES);
    CHECK_EQ(hand_number("SELECT value FROM note WHERE kind = 'not_noted'"), 6);
}
