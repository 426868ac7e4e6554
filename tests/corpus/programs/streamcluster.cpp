// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: points whose coordinates lie in one block that a reader object fills in chunks; pthreads judge ranges between barriers
// fix: parts
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

struct Point {
    float weight;
    float *coord;
    long assign;
    float cost;
};

struct Points {
    long num;
    int dim;
    Point *p;
};

class PStream {
public:
    virtual size_t read(float *dest, int dim, int num) = 0;
    virtual ~PStream() {}
};

class SimStream : public PStream {
public:
    explicit SimStream(long count) : left(count), seed(12345) {}
    size_t read(float *dest, int dim, int num) override
    {
        size_t count = 0;
        for (int i = 0; i < num && left > 0; i++, left--, count++)
            for (int k = 0; k < dim; k++)
                dest[i * dim + k] = (seed = seed * 1103515245u + 12345u) / (float)0xffffffffu;
        return count;
    }

private:
    long left;
    unsigned seed;
};

static const int nproc = 8;
static pthread_barrier_t barrier;
static double gains[nproc];

struct pkmedian_arg_t {
    Points *points;
    int pid;
};

static float dist(Point p1, Point p2, int dim)
{
    float result = 0.0;
    for (int i = 0; i < dim; i++)
        result += (p1.coord[i] - p2.coord[i]) * (p1.coord[i] - p2.coord[i]);
    return result;
}

static double pgain(long x, Points *points, int pid)
{
    long bsize = points->num / nproc, k1 = bsize * pid, k2 = pid == nproc - 1 ? points->num : k1 + bsize;
    double gain = 0;
    for (long i = k1; i < k2; i++) {
        float cost = dist(points->p[i], points->p[x], points->dim) * points->p[i].weight;
        if (cost < points->p[i].cost) {
            gain += points->p[i].cost - cost;
            points->p[i].cost = cost;
            points->p[i].assign = x;
        }
    }
    gains[pid] += gain;
    pthread_barrier_wait(&barrier);
    return gain;
}

static void *localSearchSub(void *arg_)
{
    pkmedian_arg_t *arg = (pkmedian_arg_t *)arg_;
    for (int round = 0; round < 14; round++)
        pgain((round * 977L) % arg->points->num, arg->points, arg->pid);
    return NULL;
}

static void localSearch(Points *points)
{
    pthread_t threads[nproc];
    pkmedian_arg_t arg[nproc];
    pthread_barrier_init(&barrier, NULL, nproc);
    for (int i = 0; i < nproc; i++) {
        arg[i].points = points;
        arg[i].pid = i;
        pthread_create(threads + i, NULL, localSearchSub, (void *)&arg[i]);
    }
    for (int i = 0; i < nproc; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

static void streamCluster(PStream *stream, long chunksize, int dim)
{
    float *block = (float *)malloc(chunksize * dim * sizeof(float));
    Points points;
    points.dim = dim;
    points.num = chunksize;
    points.p = (Point *)malloc(chunksize * sizeof(Point));
    for (int i = 0; i < chunksize; i++)
        points.p[i].coord = &block[i * dim];
    size_t numRead = stream->read(block, dim, chunksize);
    points.num = numRead;
    for (int i = 0; i < points.num; i++) {
        points.p[i].weight = 1.0;
        points.p[i].cost = 1e9;
        points.p[i].assign = 0;
    }
    localSearch(&points);
    free(points.p);
    free(block);
}

int main()
{
    PStream *stream = new SimStream(24000);
    streamCluster(stream, 24000, 48);
    delete stream;
    for (int i = 0; i < nproc; i++)
        printf("%.3e\n", gains[i]);
}
