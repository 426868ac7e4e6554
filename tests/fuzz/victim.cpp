// SPDX-License-Identifier: Apache-2.0
// A program with all that is looked for in files: templates, inlined functions, static and thread-local variables.
#include <cstdio>
#include <vector>

static int table[1000];
thread_local double local[100];

template <class T> struct Grid {
    std::vector<T> cells;
    explicit Grid(int n) : cells(n)
    {
        for (int i = 0; i < n; i++)
            set(i, i);
    }
    void set(int i, T value) { cells[i] = value; }
    T sum() const
    {
        T all = 0;
        for (auto &cell : cells)
            all += cell;
        return all;
    }
};

static inline int twice(int x) { return table[x % 1000] += 2 * x; }

int main(int argc, char **)
{
    Grid<double> wide(argc * 1000);
    Grid<int> narrow(argc * 10);
    for (int i = 0; i < argc; i++)
        local[i] = twice(i) + wide.sum() + narrow.sum();
    printf("%g\n", local[0]);
    return 0;
}
