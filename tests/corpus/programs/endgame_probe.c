// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: main generates the endgame table, a static array of 16 MiB, by itself; all eight C11 threads play their own games and probe it all over at random: half of the threads reach over all the time, and one node's memory serves everyone
// fix: spread
#include <stdint.h>
#include <stdio.h>
#include <threads.h>

/* Self play in a made-up endgame: every move probes a table of outcomes for each candidate. */

#define POSITIONS (1u << 23)
enum { PLAYERS = 8, GAMES = 10000, MAX_PLIES = 30, CANDIDATES = 4 };

/* two bits of outcome above fourteen of distance to the end */
static uint16_t table[POSITIONS];

struct player {
    uint32_t seed;
    long won, drawn, lost, plies;
    thrd_t thread;
};

static inline uint32_t make_move(uint32_t position, uint32_t move)
{
    uint32_t key = position ^ (move + 1) * 0x9e3779b9u;
    key ^= key >> 15;
    key *= 0x2c1b3c6du;
    key ^= key >> 12;
    key *= 0x297a2d39u;
    return (key ^ key >> 15) & (POSITIONS - 1);
}

static void generate_table(void)
{
    uint64_t state = 0x853c49e6748fea9bu;

    for (uint32_t p = 0; p < POSITIONS; p++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t random = (uint32_t)(state >> 40);
        unsigned outcome = random % 16 < 6 ? 2 : random % 16 < 11 ? 1 : 0;
        table[p] = (uint16_t)(outcome << 14 | (random >> 4 & 0x3fff));
    }
}

static int play(void *argument)
{
    struct player *me = argument;
    uint32_t state = me->seed;

    for (int game = 0; game < GAMES; game++) {
        state = state * 747796405u + 2891336453u;
        uint32_t position = state >> 9;
        unsigned outcome = 1;
        int ply;
        for (ply = 0; ply < MAX_PLIES; ply++) {
            uint32_t best = 0;
            int best_score = -1;
            for (uint32_t move = 0; move < CANDIDATES; move++) {
                uint32_t next = make_move(position, move + 4 * (unsigned)(ply & 1));
                unsigned entry = table[next];
                int score = (int)(entry >> 14) * 16384 + 16383 - (int)(entry & 0x3fff);
                if (score > best_score) {
                    best_score = score;
                    best = next;
                }
            }
            position = best;
            outcome = table[position] >> 14;
            if ((table[position] & 0x3fff) < 24)
                break;
        }
        if (ply % 2)
            outcome = 2 - outcome;
        me->won += outcome == 2;
        me->drawn += outcome == 1;
        me->lost += outcome == 0;
        me->plies += ply;
    }
    return 0;
}

int main(void)
{
    struct player players[PLAYERS] = {0};
    long won = 0, drawn = 0, lost = 0, plies = 0;

    generate_table();
    for (unsigned i = 0; i < PLAYERS; i++) {
        players[i].seed = 12345 + 7919 * i;
        if (thrd_create(&players[i].thread, play, &players[i]) != thrd_success)
            return 1;
    }
    for (int i = 0; i < PLAYERS; i++) {
        thrd_join(players[i].thread, NULL);
        won += players[i].won;
        drawn += players[i].drawn;
        lost += players[i].lost;
        plies += players[i].plies;
    }
    printf("+%ld =%ld -%ld in %ld plies\n", won, drawn, lost, plies);
}
