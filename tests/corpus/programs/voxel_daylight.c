// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-sixth
// truth: the light of a voxel world, 48 levels of 256 rows of 128 voxels (8 bytes each, one malloc of 12 MiB): make_world writes it first with its omp parallel for over the levels (static, so six levels a thread), but sunlight() goes down level by level with the parallel loop over the rows of a level, and glow() is parallel over the rows with all their levels: a thread has 32 rows (8 pages) of every level, in all of 12 hours; half of the requests are remote, and in sunlight() all threads are at one level, on one node, at a time; nearly all would be local if make_world were parallel over the rows as well (order of the loops exchanged)
// fix: parts
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 48, ROWS = 256, COLUMNS = 128, HOURS = 12 };

enum kind { AIR, LEAVES, WATER, STONE, TORCH };

struct voxel {
    float light;
    uint8_t kind, temper, damp, state;
};

typedef struct voxel level[ROWS][COLUMNS];

static const float passes[] = {[AIR] = 0.995f, [LEAVES] = 0.7f, [WATER] = 0.85f, [STONE] = 0, [TORCH] = 0.9f};

static uint32_t mix(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t h = x * 0x8da6b343u ^ y * 0xd8163841u ^ z * 0xcb1ab31fu;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 13;
}

static enum kind material(int z, int y, int x)
{
    float ground = 14 + 6 * sinf(0.05f * (float)x) + 5 * cosf(0.031f * (float)y);
    uint32_t draw = mix((uint32_t)x, (uint32_t)y, (uint32_t)z) % 1000;

    if ((float)z < ground)
        return draw < 180 ? AIR : draw < 186 ? TORCH : STONE; // caves
    if (z < 12)
        return WATER;
    if ((float)z < ground + 7 && mix((uint32_t)x / 5, (uint32_t)y / 5, 7) % 4 == 0)
        return draw < 600 ? LEAVES : AIR;
    return AIR;
}

static level *make_world(void)
{
    level *world = malloc(sizeof *world * LEVELS);
    if (world == NULL)
        return NULL;
#pragma omp parallel for
    for (int z = 0; z < LEVELS; z++)
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLUMNS; x++) {
                struct voxel *v = &world[z][y][x];
                v->light = 0;
                v->kind = (uint8_t)material(z, y, x);
                v->temper = (uint8_t)(40 - z / 2);
                v->damp = v->kind == WATER ? 255 : 0;
                v->state = 0;
            }
    return world;
}

// The sun shifts the light a little on its way down.
static void sunlight(level *world, float noon, float slant)
{
    for (int z = LEVELS - 1; z >= 0; z--) {
#pragma omp parallel for
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLUMNS; x++) {
                struct voxel *v = &world[z][y][x];
                float above = noon;
                if (z + 1 < LEVELS) {
                    const struct voxel *up = world[z + 1][y];
                    int west = x > 0 ? x - 1 : COLUMNS - 1;
                    above = (1 - slant) * up[x].light + slant * up[west].light;
                }
                v->light = passes[v->kind] * above;
            }
    }
}

static void glow_row(struct voxel *row)
{
    float carried = 0;

    for (int x = 0; x < COLUMNS; x++) {
        carried = row[x].kind == TORCH ? 0.9f : 0.8f * passes[row[x].kind] * carried;
        row[x].light = fmaxf(row[x].light, carried);
    }
    carried = 0;
    for (int x = COLUMNS - 1; x >= 0; x--) {
        carried = row[x].kind == TORCH ? 0.9f : 0.8f * passes[row[x].kind] * carried;
        row[x].light = fmaxf(row[x].light, carried);
        row[x].damp = (uint8_t)(row[x].damp - (row[x].light > 0.6f && row[x].damp > 0));
    }
}

static void glow(level *world)
{
#pragma omp parallel for
    for (int y = 0; y < ROWS; y++)
        for (int z = 0; z < LEVELS; z++)
            glow_row(world[z][y]);
}

static double brightness(level *world)
{
    double sum = 0;

    for (int z = 0; z < LEVELS; z++)
        for (int y = z % 16; y < ROWS; y += 16)
            for (int x = 0; x < COLUMNS; x++)
                sum += world[z][y][x].light + 0.001 * world[z][y][x].damp;
    return sum;
}

int main(void)
{
    level *world = make_world();
    if (world == NULL) {
        perror("make_world");
        return EXIT_FAILURE;
    }
    for (int hour = 0; hour < HOURS; hour++) {
        float angle = (float)M_PI * ((float)hour + 0.5f) / HOURS;
        sunlight(world, sinf(angle), 0.4f * fabsf(cosf(angle)));
        glow(world);
    }
    printf("brightness %.3f\n", brightness(world));
    free(world);
    return EXIT_SUCCESS;
}
