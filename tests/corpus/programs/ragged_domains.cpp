// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: two vectors of vectors of uneven sizes, one inner vector for each of 24 domains, that main grows and sets; a static loop gives each thread the same three domains in every step
// fix: parts
#include <cstddef>
#include <cstdio>
#include <vector>

using Domain = std::vector<double>;

static constexpr int domains = 24, steps = 12;

static std::size_t cells_of(int domain)
{
    return 24000 + 1700 * static_cast<std::size_t>(domain * 7 % 13);
}

static void build(std::vector<Domain> &heat, std::vector<Domain> &mass)
{
    for (int d = 0; d < domains; d++) {
        heat.emplace_back(cells_of(d), 300.0 + d);
        mass.emplace_back();
        mass.back().reserve(cells_of(d));
        for (std::size_t i = 0; i < cells_of(d); i++)
            mass.back().push_back(1 + static_cast<double>(i * 13 % 101) / 101);
    }
}

static void conduct(Domain &heat, const Domain &mass, double before, double after)
{
    for (std::size_t i = 0; i < heat.size(); i++) {
        const double next = i + 1 < heat.size() ? heat[i + 1] : after;
        const double here = heat[i];
        heat[i] += 0.25 * (before - 2 * here + next) / mass[i];
        before = here;
    }
}

int main()
{
    std::vector<Domain> heat, mass;
    heat.reserve(domains);
    build(heat, mass);
    std::vector<double> first(domains + 2, 300.0), last(domains + 2, 330.0);
    for (int step = 0; step < steps; step++) {
        for (int d = 0; d < domains; d++) {
            first[d + 1] = heat[d].front();
            last[d + 1] = heat[d].back();
        }
#pragma omp parallel for schedule(static) num_threads(8)
        for (int d = 0; d < domains; d++)
            conduct(heat[d], mass[d], last[d], first[d + 2]);
    }
    double sum = 0;
    for (const Domain &domain : heat)
        sum += domain.front() + domain[domain.size() / 3] + domain.back();
    std::printf("%.9f\n", sum);
}
