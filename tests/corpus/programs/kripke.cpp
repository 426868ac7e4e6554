// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: a vector of vectors, one for each direction, sized and filled by main; directions are divided among threads
// fix: parts
#include <cstdio>
#include <vector>

struct Subdomain {
    std::vector<std::vector<double>> psi, rhs;
    int zones;
};

static void sweep(Subdomain &s, int d)
{
    std::vector<double> &psi = s.psi[d], &rhs = s.rhs[d];
    double left = 0;
    for (int z = 0; z < s.zones; z++) {
        psi[z] = (rhs[z] + 2 * left) / 3;
        left = psi[z];
    }
}

int main()
{
    Subdomain s;
    int directions = 64;
    s.zones = 12000;
    s.psi.resize(directions);
    s.rhs.resize(directions);
    for (int d = 0; d < directions; d++) {
        s.psi[d].resize(s.zones);
        s.rhs[d].resize(s.zones);
        for (int z = 0; z < s.zones; z++)
            s.rhs[d][z] = 1 + (d + z) % 3;
    }
    for (int iteration = 0; iteration < 12; iteration++)
#pragma omp parallel for schedule(static)
        for (int d = 0; d < directions; d++)
            sweep(s, d);
    std::printf("%.6f\n", s.psi[3][100] + s.psi[60][5]);
}
