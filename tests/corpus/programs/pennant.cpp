// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: a hydrodynamics mesh as in PENNANT: arrays of a template over malloc, read and set by main; chunks in a loop of OpenMP
// fix: parts
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct double2 {
    double x, y;
};

namespace Memory {
template <typename T> inline T *alloc(int count) { return static_cast<T *>(std::malloc(count * sizeof(T))); }
template <typename T> inline void free(T *ptr) { std::free(ptr); }
}

class Mesh {
public:
    int nump, numz, chunksize;
    std::vector<int> chunkfirst, chunklast;
    double2 *px, *pu, *pf;
    double *zr, *ze, *zp;
    explicit Mesh(int n, int chunk);
    ~Mesh();
};

Mesh::Mesh(int n, int chunk) : nump(n), numz(n), chunksize(chunk)
{
    px = Memory::alloc<double2>(nump);
    pu = Memory::alloc<double2>(nump);
    pf = Memory::alloc<double2>(nump);
    zr = Memory::alloc<double>(numz);
    ze = Memory::alloc<double>(numz);
    zp = Memory::alloc<double>(numz);
    for (int first = 0; first < nump; first += chunksize) {
        chunkfirst.push_back(first);
        chunklast.push_back(std::min(first + chunksize, nump));
    }
    for (int p = 0; p < nump; ++p)
        px[p] = double2{p % 300 * 0.1, p / 300 * 0.1};
    std::fill(pu, pu + nump, double2{0., 0.});
    std::fill(pf, pf + nump, double2{0., 0.});
    std::fill_n(zr, numz, 1.3);
    std::fill_n(ze, numz, 2.7);
    std::fill_n(zp, numz, 0.);
}

Mesh::~Mesh()
{
    Memory::free(px), Memory::free(pu), Memory::free(pf);
    Memory::free(zr), Memory::free(ze), Memory::free(zp);
}

static void calcEos(Mesh &mesh, int zfirst, int zlast)
{
    for (int z = zfirst; z < zlast; ++z)
        mesh.zp[z] = 0.4 * mesh.zr[z] * mesh.ze[z];
}

static void advance(Mesh &mesh, double dt, int pfirst, int plast)
{
    for (int p = pfirst; p < plast; ++p) {
        mesh.pf[p] = double2{mesh.zp[p] * 0.1, mesh.zp[p] * -0.1};
        mesh.pu[p].x += dt * mesh.pf[p].x;
        mesh.pu[p].y += dt * mesh.pf[p].y;
        mesh.px[p].x += dt * mesh.pu[p].x;
        mesh.px[p].y += dt * mesh.pu[p].y;
        mesh.ze[p] *= 1 - dt * std::fabs(mesh.pu[p].x);
    }
}

int main()
{
    Mesh mesh(120000, 1024);
    const int chunks = mesh.chunkfirst.size();
    for (int cycle = 0; cycle < 14; ++cycle) {
#pragma omp parallel for schedule(static)
        for (int ch = 0; ch < chunks; ++ch)
            calcEos(mesh, mesh.chunkfirst[ch], mesh.chunklast[ch]);
#pragma omp parallel for schedule(static)
        for (int ch = 0; ch < chunks; ++ch)
            advance(mesh, 0.001, mesh.chunkfirst[ch], mesh.chunklast[ch]);
    }
    std::printf("%.9f %.9f\n", mesh.ze[17], mesh.px[119999].y);
}
