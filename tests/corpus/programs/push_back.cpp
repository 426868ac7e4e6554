// SPDX-License-Identifier: Apache-2.0
// truth: a vector grows by push_back in main; blocks
// fix: parts
#include <cstdio>
#include <vector>
int main()
{
    std::vector<double> a;
    for (int i = 0; i < 600000; i++)
        a.push_back(i);
    double sum = 0;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < a.size(); i++)
            sum += a[i];
    }
    std::printf("%.1f\n", sum);
}
