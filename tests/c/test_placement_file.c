// SPDX-License-Identifier: Apache-2.0
#include "collectors/placement/placement_file.h"
#include "tests/c/check.h"

static const char good[] = "numaprof-placement 1\n"
                           "# a comment\n"
                           "pin 0,2,1\n"
                           "threads 0,2,0,1\n"
                           "\n"
                           "allocation   # sum.c:13\n"
                           "  bytes 1048576 0x1fffff\n"
                           "  frame 00ff10 0x1104\n"
                           "  frame 881f 12\n"
                           "  place 3 node 1\n"
                           "  place * blocks 0:0.25 1:0.500001 0:1\n"
                           "end\n"
                           "static\r\n"
                           "\trange 881f 0x4000 8192\n"
                           "\tplace * interleave 0-2,5\n"
                           "end\n"
                           "mapping\n"
                           "frame 881f 13\n"
                           "place * weighted 0,1\n"
                           "end"; // without a last newline

static struct placement placement;
static struct placement_error error;

static int parse(const char *text)
{
    error = (struct placement_error){0};
    return placement_parse(&placement, text, strlen(text), &error);
}

TEST(a_file_is_read_as_it_was_written)
{
    CHECK_EQ(parse(good), 0);
    CHECK_EQ(placement.subject_count, 3);
    CHECK_EQ(placement.module_count, 2);
    CHECK_EQ(placement.cpu_count, 3);
    CHECK_EQ(placement.cpus[1], 2);
    CHECK_EQ(placement.thread_count, 4);
    CHECK_EQ(placement.threads[3], 1);
    const struct placement_subject *heap = &placement.subjects[0];
    CHECK_EQ(heap->kind, PLACEMENT_ALLOCATION);
    CHECK_EQ(heap->line, 6);
    CHECK_EQ(heap->bytes_max, 0x1fffff);
    CHECK_EQ(heap->frame_count, 2);
    CHECK_EQ(placement.modules[0].length, 3);
    CHECK_EQ(placement.modules[0].build_id[1], 0xff);
    CHECK_EQ(placement.frames[0].offset, 0x1104);
    CHECK_EQ(placement.subjects[1].bytes, 8192);
    CHECK_EQ(placement.subjects[1].module, 1);
    const struct placement_place *nodes = placement_find_place(&placement, &placement.subjects[1], 0);
    CHECK_EQ(nodes->piece_count, 4);
    CHECK_EQ(placement.pieces[nodes->first_piece + 3].node, 5);
    CHECK_EQ(placement_find_place(&placement, &placement.subjects[2], 9)->mode, PLACEMENT_WEIGHTED);
}

TEST(an_ordinal_of_its_own_goes_before_the_general_one)
{
    CHECK_EQ(parse(good), 0);
    const struct placement_subject *heap = &placement.subjects[0];
    CHECK_EQ(placement_find_place(&placement, heap, 3)->piece_count, 1);
    CHECK_EQ(placement_find_place(&placement, heap, 4)->piece_count, 3);
    CHECK_EQ(parse("numaprof-placement 1\nmapping\nframe 00 1\nplace 0 node 0\nend\n"), 0);
    CHECK(!placement_find_place(&placement, &placement.subjects[0], 1));
}

TEST(borders_are_rounded_to_the_nearest_page_and_stay_inside)
{
    CHECK_EQ(parse(good), 0);
    const struct placement_place *blocks = placement_find_place(&placement, &placement.subjects[0], 0);
    CHECK_EQ(placement_border(&placement, blocks, 0x10000, 0x8000, 0x1000, 0), 0x12000);
    CHECK_EQ(placement_border(&placement, blocks, 0x10000, 0x8000, 1, 1), 0x14000);
    CHECK_EQ(placement_border(&placement, blocks, 0x10000, 0x8000, 0x4000, 0), 0x14000);
    CHECK_EQ(placement_border(&placement, blocks, 0x10000, 0x7000, 0x200000, 0), 0x10000); // not before the start
    CHECK_EQ(placement_border(&placement, blocks, 0x1f0000, 0x7000, 0x200000, 0), 0x1f7000); // nor behind the end
    CHECK_EQ(placement_border(&placement, blocks, 0x10000, 0x7000, 0x200000, 2), 0x17000);
}

TEST(what_is_wrong_is_said_with_its_line)
{
    static const struct {
        const char *text;
        unsigned int line;
    } bad[] = {
        {"", 0},
        {"#only a comment\n", 1},
        {"ELF\n", 1},
        {"numaprof-placement 2\n", 1},
        {"numaprof-placement 1 1\n", 1},
        {"numaprof-placement 1\nbytes 1 2\n", 2},
        {"numaprof-placement 1\nallocation\nbytes 2 1\n", 3},
        {"numaprof-placement 1\nallocation\nbytes 1 18446744073709551616\n", 3},
        {"numaprof-placement 1\nallocation\nbytes 1 0x\n", 3},
        {"numaprof-placement 1\nallocation\nframe 0 1\n", 3},
        {"numaprof-placement 1\nallocation\nframe 0g 1\n", 3},
        {"numaprof-placement 1\nallocation\nframe 00\n", 3},
        {"numaprof-placement 1\nallocation\nplace * node 0\nend\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nend\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * node 1024\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace x node 1\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * blocks 0:0.5 1:0.4\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * blocks 0:0.5 1:0.9\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * blocks 0:1.1\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * blocks 0:1e0\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * blocks\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * interleave 3-1\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * interleave 0,\n", 4},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * node 0\nallocation\n", 5},
        {"numaprof-placement 1\nallocation\nframe 00 1\nplace * node 0\n", 4},
        {"numaprof-placement 1\nstatic\nplace * node 0\nend\n", 4},
        {"numaprof-placement 1\npin 0,x\n", 2},
        {"numaprof-placement 1\nmapping\nrange 00 1 1\n", 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(parse(bad[i].text), -22);
        CHECK_EQ(error.line, bad[i].line);
        CHECK(error.cause);
        CHECK_EQ(placement.subject_count, 0);
    }
}

TEST(a_file_that_was_cut_short_is_refused_or_has_whole_subjects)
{
    for (size_t length = 0; length < strlen(good); length++)
        if (placement_parse(&placement, good, length, &error) == 0)
            for (uint32_t i = 0; i < placement.subject_count; i++)
                CHECK(placement.subjects[i].place_count > 0);
}

TEST(more_than_there_is_room_for_is_refused)
{
    static char text[8 << 20];
    size_t used = (size_t)sprintf(text, "numaprof-placement 1\nallocation\nframe 00 1\n");
    for (int i = 0; i < 5000; i++)
        used += (size_t)sprintf(text + used, "place %d interleave 0-1023\n", i);
    CHECK_EQ(placement_parse(&placement, text, used, &error), -22);
    CHECK_STR(error.cause, "more than 32768 pieces");
    used = (size_t)sprintf(text, "numaprof-placement 1\n");
    for (int i = 0; i < 300; i++)
        used += (size_t)sprintf(text + used, "mapping\nframe %04x 1\nplace * node 0\nend\n", i);
    CHECK_EQ(placement_parse(&placement, text, used, &error), -22);
}

// Every byte replaced in turn by others, and the same with random bytes at several places.
TEST(no_damage_does_harm)
{
    char text[sizeof good];
    uint64_t state = 1;
    for (int round = 0; round < 200000; round++) {
        memcpy(text, good, sizeof good);
        for (int i = 0; i <= round % 4; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407U; // Knuth's MMIX generator
            text[(state >> 33) % (sizeof good - 1)] = "0129-,:.#* \nxframe\377"[(state >> 20) % 19];
        }
        if (placement_parse(&placement, text, sizeof good - 1, &error) < 0)
            continue;
        for (uint32_t i = 0; i < placement.place_count; i++) {
            const struct placement_place *place = &placement.places[i];
            CHECK(place->piece_count > 0 && place->first_piece + place->piece_count <= placement.piece_count);
            uint64_t before = 0x7000;
            for (uint32_t piece = 0; piece < place->piece_count; piece++) {
                uint64_t end = placement_border(&placement, place, 0x7000, 0x9000, 0x1000, piece);
                CHECK(end >= before && end <= 0x10000);
                before = end;
            }
        }
    }
}
