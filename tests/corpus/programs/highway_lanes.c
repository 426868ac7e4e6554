// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fourth
// truth: cars on 1024 lanes (a row of 8 KiB each, aligned_alloc, 8 MiB in all): the loop of fill_road that writes the lanes first deals them out by schedule(static, 1), while the loop of drive gives each thread a block of 128 lanes by schedule(static), in all steps: nobody's first touch is at fault but the order of it; half of all requests are remote, nearly all of them would go if both loops had one schedule, static
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANES = 1024, CARS = 512 };

// The intelligent driver model, in metres and seconds.
static const float ACCELERATION = 1.4f, BRAKING = 2.0f, STANDSTILL = 2.0f;

struct car {
    float position, speed, desired, headway;
};

struct road {
    struct car (*lane)[CARS];
    float length;
    unsigned passed[LANES]; // cars at the end of each lane; they enter it again
};

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill_lane(struct road *road, int l)
{
    unsigned state = 77u + 13u * (unsigned)l;
    float gap = road->length / CARS;

    for (int c = 0; c < CARS; c++) {
        struct car *car = &road->lane[l][c];
        car->position = gap * ((float)c + 0.4f * (float)next_random(&state) / (1 << 24));
        car->desired = 25 + (float)(next_random(&state) % 12);
        car->headway = 1 + 0.1f * (float)(next_random(&state) % 8);
        car->speed = 0.3f * car->desired;
        for (int draw = 0; draw < l % 16; draw++) // a lane near the city has more kinds of drivers
            car->headway += 0.001f * (float)(next_random(&state) % 3);
    }
}

static int fill_road(struct road *road, float length)
{
    road->length = length;
    road->lane = aligned_alloc(4096, sizeof *road->lane * LANES);
    if (road->lane == NULL)
        return -1;
    // Neighbouring lanes take unlike time: deal them out.
#pragma omp parallel for schedule(static, 1)
    for (int l = 0; l < LANES; l++)
        fill_lane(road, l);
    return 0;
}

static float follow(const struct car *car, float gap, float ahead)
{
    float wanted = STANDSTILL + car->speed * car->headway +
                   car->speed * (car->speed - ahead) / (2 * sqrtf(ACCELERATION * BRAKING));
    float free = car->speed / car->desired, near = wanted / fmaxf(gap, 0.5f);
    return ACCELERATION * (1 - free * free * free * free - near * near);
}

static unsigned drive_lane(struct car *lane, float length, float dt)
{
    struct car first = lane[0]; // as it was: the last car follows it
    unsigned passed = 0;

    for (int c = 0; c < CARS; c++) {
        const struct car *ahead = c + 1 < CARS ? &lane[c + 1] : &first;
        float gap = ahead->position - lane[c].position;
        if (gap < 0)
            gap += length;
        lane[c].speed = fmaxf(0, lane[c].speed + dt * follow(&lane[c], gap - 4.5f, ahead->speed));
        lane[c].position += dt * lane[c].speed;
        if (lane[c].position >= length) {
            lane[c].position -= length;
            passed++;
        }
    }
    return passed;
}

static void drive(struct road *road, float dt)
{
#pragma omp parallel for schedule(static)
    for (int l = 0; l < LANES; l++)
        road->passed[l] += drive_lane(road->lane[l], road->length, dt);
}

int main(void)
{
    static struct road road;
    double speed = 0;
    unsigned long passed = 0;

    if (fill_road(&road, 20000) != 0) {
        perror("fill_road");
        return EXIT_FAILURE;
    }
    for (int step = 0; step < 20; step++)
        drive(&road, 0.5f);
    for (int l = 0; l < LANES; l++) {
        passed += road.passed[l];
        speed += road.lane[l][l % CARS].speed;
    }
    printf("passed %lu, mean speed %.3f m/s\n", passed, speed / LANES);
    free(road.lane);
    return EXIT_SUCCESS;
}
