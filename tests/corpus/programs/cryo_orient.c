// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-sixth
// truth: orientations of particles in cryo-electron microscopy: main writes both memories first, the reference volume (128 x 128 x 128 floats, calloc, 8 MiB) in make_reference and the stack of 112 images (64 KiB each, one malloc, 7 MiB) in expose; in each of 30 rounds a static loop gives each thread the same 14 images, of which it reads each once and alone (about 30 % of the requests), and compares it with a tilted section through the volume, which crosses pages all over it, others for each image, so that every thread reads all of the volume (about 70 %); half of the requests are remote; first touch of the images by their threads makes the 30 % local, which leaves about 35 % remote; spreading the volume takes load off main's node but leaves half of its requests remote
// fix: parts, spread
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOX = 128, HALF = BOX / 2, PARTICLES = 112, ROUNDS = 30, BLOBS = 7 };

struct rotation {
    float x[3], y[3]; // the axes of the image in the volume
};

struct particle {
    float (*pixels)[BOX];
    float angle[3], score; // rotation, tilt, in-plane rotation: the best so far
    uint64_t random;
};

static float uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(*state >> 40) / (1 << 24);
}

static struct rotation rotation_of(const float angle[3])
{
    float ca = cosf(angle[0]), sa = sinf(angle[0]), cb = cosf(angle[1]), sb = sinf(angle[1]);
    float cg = cosf(angle[2]), sg = sinf(angle[2]);
    return (struct rotation){{cg * cb * ca - sg * sa, cg * cb * sa + sg * ca, -cg * sb},
                             {-sg * cb * ca - cg * sa, -sg * cb * sa + cg * ca, sg * sb}};
}

static inline float voxel_at(const float *volume, const struct rotation *r, int x, int y)
{
    int at[3];
    for (int d = 0; d < 3; d++)
        at[d] = (int)(HALF + 0.5f + r->x[d] * (float)x + r->y[d] * (float)y);
    return volume[(at[2] * BOX + at[1]) * BOX + at[0]];
}

// A protein of a few soft blobs; each is a product of three curves.
static float *make_reference(void)
{
    float *volume = calloc((size_t)BOX * BOX * BOX, sizeof *volume);
    uint64_t state = 2026;

    for (int b = 0; b < BLOBS && volume != NULL; b++) {
        float curve[3][BOX];
        for (int d = 0; d < 3; d++) {
            float centre = BOX * (0.25f + 0.5f * uniform(&state)), width = 6 + 9 * uniform(&state);
            for (int i = 0; i < BOX; i++)
                curve[d][i] = expf(-((float)i - centre) * ((float)i - centre) / (2 * width * width));
        }
        for (int z = 0; z < BOX; z++)
            for (int y = 0; y < BOX; y++)
                for (int x = 0; x < BOX; x++)
                    volume[(z * BOX + y) * BOX + x] += curve[2][z] * curve[1][y] * curve[0][x];
    }
    return volume;
}

// Stands in for the microscope: a section of the reference and noise, and a rough guess of the angles.
static void expose(struct particle *p, const float *volume, int number)
{
    float truth[3];

    p->random = 0x9e3779b97f4a7c15u * (uint64_t)(number + 1);
    p->score = -1;
    for (int d = 0; d < 3; d++) {
        truth[d] = 6.2831853f * uniform(&p->random);
        p->angle[d] = truth[d] + 0.3f * (uniform(&p->random) - 0.5f);
    }
    struct rotation r = rotation_of(truth);
    for (int y = -HALF; y < HALF; y++)
        for (int x = -HALF; x < HALF; x++) {
            float value = x * x + y * y < (HALF - 2) * (HALF - 2) ? voxel_at(volume, &r, x, y) : 0;
            p->pixels[y + HALF][x + HALF] = value + 0.6f * (uniform(&p->random) - 0.5f);
        }
}

static struct particle *read_stack(const float *volume, int count)
{
    float (*pixels)[BOX][BOX] = malloc((size_t)count * sizeof *pixels);
    struct particle *particles = calloc((size_t)count, sizeof *particles);

    if (pixels == NULL || particles == NULL)
        return NULL;
    for (int n = 0; n < count; n++) {
        particles[n].pixels = pixels[n];
        expose(&particles[n], volume, n);
    }
    return particles;
}

// The correlation with the section of the reference, at half the resolution; the centre counts most.
static float correlate(const struct particle *p, const float *volume, const float angle[3])
{
    struct rotation r = rotation_of(angle);
    float product = 0, images = 1e-6f, sections = 1e-6f;

    for (int y = -HALF + 2; y < HALF - 2; y += 2) {
        const float *row = p->pixels[y + HALF], *below = p->pixels[y + HALF + 1];
        int reach = 2 * (int)(sqrtf((float)((HALF - 2) * (HALF - 2) - y * y)) / 2);
        for (int x = -reach; x < reach; x += 2) {
            float image = 0.25f * (row[x + HALF] + row[x + HALF + 1] + below[x + HALF] + below[x + HALF + 1]);
            float section = voxel_at(volume, &r, x, y), weight = expf(-(float)(x * x + y * y) / 3200);
            product += weight * image * section;
            images += weight * image * image;
            sections += weight * section * section;
        }
    }
    return product / sqrtf(images * sections);
}

static void refine(struct particle *particles, int count, const float *volume, float width)
{
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; n++) {
        struct particle *p = &particles[n];
        float trial[3];
        for (int d = 0; d < 3; d++)
            trial[d] = p->angle[d] + width * (uniform(&p->random) - 0.5f);
        float score = correlate(p, volume, trial);
        if (score > p->score)
            memcpy(p->angle, trial, sizeof trial);
        p->score = fmaxf(p->score, score);
    }
}

int main(void)
{
    float *reference = make_reference();
    struct particle *particles = reference != NULL ? read_stack(reference, PARTICLES) : NULL;
    double score = 0;

    if (particles == NULL) {
        perror("cryo_orient");
        return EXIT_FAILURE;
    }
    for (int round = 0; round < ROUNDS; round++)
        refine(particles, PARTICLES, reference, 0.3f / (1 + 0.1f * (float)round));
    for (int n = 0; n < PARTICLES; n++)
        score += particles[n].score;
    printf("mean correlation %.4f\n", score / PARTICLES);
    return EXIT_SUCCESS;
}
