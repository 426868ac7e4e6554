// truth: the sample slab (mmap, 64 channels by row pointers) is synthesised by main alone; afterwards each of eight pthreads filters its own eight adjacent channels pass after pass
// fix: parts
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHANNELS 64
#define WORKERS 8
#define PASSES 8

typedef struct {
    double b0, b1, b2, a1, a2;
} biquad;

typedef struct {
    size_t frames;
    double *pcm[CHANNELS];
    double peak[CHANNELS];
} session;

static session take;
static pthread_barrier_t gate;
static const biquad bands[4] = {
    {0.2929, 0.5858, 0.2929, -0.0001, 0.1716},
    {0.8006, -1.6012, 0.8006, -1.5610, 0.6414},
    {0.1453, 0.0, -0.1453, -1.6300, 0.7094},
    {1.0526, -1.8610, 0.8420, -1.8610, 0.8946},
};

static void *map_slab(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return p;
}

static void open_session(session *s, size_t frames)
{
    double *slab = map_slab(CHANNELS * frames * sizeof *slab);
    s->frames = frames;
    for (int c = 0; c < CHANNELS; c++)
        s->pcm[c] = slab + c * frames;
}

/* stands for the decoder of a recording: a saw tooth of its own pitch and some noise on each channel */
static void synthesise(session *s)
{
    uint32_t noise = 12345;
    for (int c = 0; c < CHANNELS; c++) {
        double *x = s->pcm[c], phase = 0;
        const double pitch = (220.0 + 17 * c) / 48000;
        for (size_t i = 0; i < s->frames; i++) {
            noise = noise * 1664525u + 1013904223u;
            x[i] = phase - 0.5 + 0.1 * ((double)(noise >> 16) / 65536 - 0.5);
            phase += pitch;
            if (phase >= 1)
                phase -= 1;
        }
    }
}

static double run_biquad(const biquad *q, double *x, size_t n)
{
    double z1 = 0, z2 = 0, peak = 1e-9;
    for (size_t i = 0; i < n; i++) {
        const double in = x[i], out = q->b0 * in + z1;
        z1 = q->b1 * in - q->a1 * out + z2;
        z2 = q->b2 * in - q->a2 * out;
        x[i] = out;
        if (fabs(out) > peak)
            peak = fabs(out);
    }
    return peak;
}

static void scale(double *x, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= by;
}

static void *engineer(void *arg)
{
    const int id = (int)(intptr_t)arg;
    const int first = id * CHANNELS / WORKERS, last = (id + 1) * CHANNELS / WORKERS;

    for (int pass = 0; pass < PASSES; pass++) {
        for (int c = first; c < last; c++)
            take.peak[c] = run_biquad(&bands[pass % 4], take.pcm[c], take.frames);
        pthread_barrier_wait(&gate);

        double loudest = 0;
        for (int c = 0; c < CHANNELS; c++)
            if (take.peak[c] > loudest)
                loudest = take.peak[c];
        for (int c = first; c < last; c++)
            scale(take.pcm[c], take.frames, 1 / loudest);
        pthread_barrier_wait(&gate);
    }
    return NULL;
}

int main(void)
{
    pthread_t crew[WORKERS];
    open_session(&take, 24576);
    synthesise(&take);
    pthread_barrier_init(&gate, NULL, WORKERS);
    for (int t = 0; t < WORKERS; t++)
        if (pthread_create(&crew[t], NULL, engineer, (void *)(intptr_t)t))
            return 1;
    for (int t = 0; t < WORKERS; t++)
        pthread_join(crew[t], NULL);

    double energy = 0;
    for (int c = 0; c < CHANNELS; c++)
        for (size_t i = 0; i < take.frames; i += 8)
            energy += take.pcm[c][i] * take.pcm[c][i];
    printf("energy %.6f first %.6f\n", energy, take.pcm[0][100]);
    munmap(take.pcm[0], CHANNELS * take.frames * sizeof(double));
}
