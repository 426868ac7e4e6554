// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: page rank in pull direction; neighbours lie in an array of new[] that main fills, ranges of vertices divided
// fix: parts
#include <cstdio>
#include <utility>

typedef int NodeID;

template <typename T> class pvector {
public:
    explicit pvector(size_t n) : start_(new T[n]), size_(n) {}
    pvector(size_t n, T value) : pvector(n)
    {
#pragma omp parallel for
        for (size_t i = 0; i < size_; i++)
            start_[i] = value;
    }
    ~pvector() { delete[] start_; }
    T &operator[](size_t i) { return start_[i]; }
    size_t size() const { return size_; }

private:
    T *start_;
    size_t size_;
};

class CSRGraph {
public:
    CSRGraph(NodeID n, int degree) : n_(n)
    {
        index_ = new NodeID *[n + 1];
        neighs_ = new NodeID[(size_t)n * degree];
        unsigned seed = 27491095;
        for (NodeID u = 0; u < n; u++) {
            index_[u] = neighs_ + (size_t)u * degree;
            for (int d = 0; d < degree; d++) {
                seed = seed * 1664525u + 1013904223u;
                index_[u][d] = (NodeID)((seed >> 8) % (unsigned)n);
            }
        }
        index_[n] = neighs_ + (size_t)n * degree;
    }
    NodeID *begin(NodeID u) const { return index_[u]; }
    NodeID *end(NodeID u) const { return index_[u + 1]; }
    NodeID num_nodes() const { return n_; }

private:
    NodeID n_, **index_, *neighs_;
};

int main()
{
    CSRGraph g(30000, 40);
    NodeID n = g.num_nodes();
    pvector<float> scores(n, 1.0f / n), outgoing(n, 0);
    for (int iter = 0; iter < 10; iter++) {
#pragma omp parallel for
        for (NodeID u = 0; u < n; u++)
            outgoing[u] = scores[u] / 40;
#pragma omp parallel for schedule(static)
        for (NodeID u = 0; u < n; u++) {
            float incoming = 0;
            for (NodeID *v = g.begin(u); v < g.end(u); v++)
                incoming += outgoing[*v];
            scores[u] = 0.15f / n + 0.85f * incoming;
        }
    }
    std::printf("%d\n", scores[5] > 0);
}
