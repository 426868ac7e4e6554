// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: triangles of a CSR graph that main builds; vertices are handed out dynamically and read lists of any vertex
// fix: spread
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <vector>

typedef int32_t NodeID;

class Graph {
public:
    class Neighborhood {
    public:
        Neighborhood(NodeID *b, NodeID *e) : b_(b), e_(e) {}
        NodeID *begin() const { return b_; }
        NodeID *end() const { return e_; }

    private:
        NodeID *b_, *e_;
    };

    Graph(int64_t num_nodes, std::unique_ptr<NodeID *[]> index, std::unique_ptr<NodeID[]> neighs)
        : num_nodes_(num_nodes), index_(std::move(index)), neighs_(std::move(neighs))
    {
    }
    int64_t num_nodes() const { return num_nodes_; }
    int64_t out_degree(NodeID n) const { return index_[n + 1] - index_[n]; }
    Neighborhood out_neigh(NodeID n) const { return Neighborhood(index_[n], index_[n + 1]); }

private:
    int64_t num_nodes_;
    std::unique_ptr<NodeID *[]> index_;
    std::unique_ptr<NodeID[]> neighs_;
};

class Builder {
public:
    static Graph Uniform(int64_t nodes, int degree)
    {
        std::unique_ptr<NodeID[]> neighs(new NodeID[nodes * degree]);
        std::unique_ptr<NodeID *[]> index(new NodeID *[nodes + 1]);
        uint64_t seed = 27491095;
        for (int64_t n = 0; n <= nodes; n++) {
            index[n] = &neighs[n * degree];
            if (n == nodes)
                break;
            for (int d = 0; d < degree; d++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                index[n][d] = NodeID((seed >> 33) % nodes);
            }
            std::sort(index[n], index[n] + degree);
        }
        return Graph(nodes, std::move(index), std::move(neighs));
    }
};

static size_t OrderedCount(const Graph &g)
{
    size_t total = 0;
#pragma omp parallel for reduction(+ : total) schedule(dynamic, 64)
    for (NodeID u = 0; u < g.num_nodes(); u++) {
        for (NodeID v : g.out_neigh(u)) {
            if (v > u)
                break;
            auto it = g.out_neigh(v).begin();
            for (NodeID w : g.out_neigh(u)) {
                if (w > v)
                    break;
                while (it < g.out_neigh(v).end() && *it < w)
                    it++;
                if (it < g.out_neigh(v).end() && w == *it)
                    total++;
            }
        }
    }
    return total;
}

int main()
{
    Graph g = Builder::Uniform(48000, 24);
    size_t triangles = 0;
    for (int trial = 0; trial < 3; trial++)
        triangles += OrderedCount(g);
    std::printf("%zu\n", triangles);
}
