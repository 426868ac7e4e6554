// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fourth
// truth: main maps a file of laser returns (7.3 MiB, mmap, read by main alone, once) and appends each as a point of 16 bytes to an array that realloc grows by half (append, 7.3 MiB at the end), so that all of it lies on main's node; eight C11 threads then sweep forth and back over their own eighth of the points in all rounds; the number of points is known from the size of the file, so the array may be made at its full size and touched first by the threads, each its part; half of the requests are remote, nearly all of them would go
// fix: parts
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>

enum { THREADS = 8, ROUNDS = 12, RETURNS = 480000, PER_LINE = 600 };

struct record { // as the scanner writes it: centimetres
    int32_t x, y, z;
    uint16_t intensity;
    uint8_t echo, flags;
};

struct point {
    float x, y, z, ground;
};

struct cloud {
    struct point *points;
    size_t count, room;
};

struct part {
    struct point *first, *end;
    size_t on_ground;
};

static void scan(FILE *file)
{
    uint32_t state = 5;

    for (int i = 0; i < RETURNS; i++) {
        int column = i % PER_LINE, line = i / PER_LINE;
        state = state * 1103515245u + 12345u;
        int tree = (state >> 16) % 5 < 2 ? (int)((state >> 8) % 1800) : 0;
        struct record r = {.x = 50 * column, .y = 70 * line, .intensity = (uint16_t)(state >> 20)};
        r.z = (int)(3000 + 400 * sin(0.02 * column) + 250 * cos(0.011 * line)) + tree;
        r.echo = tree == 0;
        fwrite(&r, sizeof r, 1, file);
    }
}

static int append(struct cloud *cloud, struct point point)
{
    if (cloud->count == cloud->room) {
        size_t room = cloud->room + cloud->room / 2 + 4096;
        struct point *longer = realloc(cloud->points, room * sizeof *longer);
        if (longer == NULL)
            return -1;
        cloud->points = longer;
        cloud->room = room;
    }
    cloud->points[cloud->count++] = point;
    return 0;
}

static int read_cloud(struct cloud *cloud, FILE *file)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size <= 0 || fflush(file) != 0)
        return -1;
    const struct record *records = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (records == MAP_FAILED)
        return -1;
    int failed = 0;
    for (size_t i = 0; i < (size_t)size / sizeof *records && !failed; i++) {
        float x = 0.01f * (float)records[i].x, y = 0.01f * (float)records[i].y, z = 0.01f * (float)records[i].z;
        failed = append(cloud, (struct point){x, y, z, z});
    }
    munmap((void *)records, (size_t)size);
    return failed;
}

// The ground rises no steeper than the slope from the lowest returns on both sides.
static int find_ground(void *argument)
{
    struct part *part = argument;

    for (int round = 0; round < ROUNDS; round++) {
        float slope = 0.9f - 0.06f * (float)round;
        for (struct point *p = part->first + 1; p < part->end; p++)
            p->ground = fminf(p->ground, p[-1].ground + slope * fabsf(p->x - p[-1].x));
        for (struct point *p = part->end - 1; p-- > part->first;)
            p->ground = fminf(p->ground, p[1].ground + slope * fabsf(p->x - p[1].x));
    }
    for (const struct point *p = part->first; p < part->end; p++)
        part->on_ground += p->z - p->ground < 0.3f;
    return 0;
}

int main(void)
{
    struct cloud cloud = {0};
    struct part parts[THREADS] = {0};
    thrd_t threads[THREADS];
    size_t on_ground = 0;
    FILE *file = tmpfile();

    if (file == NULL)
        return EXIT_FAILURE;
    scan(file);
    if (read_cloud(&cloud, file) != 0)
        return EXIT_FAILURE;
    fclose(file);
    for (size_t t = 0; t < THREADS; t++) {
        parts[t].first = cloud.points + cloud.count * t / THREADS;
        parts[t].end = cloud.points + cloud.count * (t + 1) / THREADS;
        if (thrd_create(&threads[t], find_ground, &parts[t]) != thrd_success)
            return EXIT_FAILURE;
    }
    for (size_t t = 0; t < THREADS; t++) {
        thrd_join(threads[t], NULL);
        on_ground += parts[t].on_ground;
    }
    printf("%zu of %zu returns are from the ground\n", on_ground, cloud.count);
    free(cloud.points);
    return EXIT_SUCCESS;
}
