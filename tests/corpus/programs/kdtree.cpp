// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: a kd-tree whose nodes main takes from chunks of an arena as it inserts; std::threads walk it for points of their own
// fix: spread
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Node {
    float at[3];
    int axis;
    Node *child[2];
};

class Arena {
public:
    Node *take()
    {
        if (used == kChunk) {
            chunks.emplace_back(new Node[kChunk]);
            used = 0;
        }
        return &chunks.back()[used++];
    }

private:
    static const int kChunk = 8192;
    std::vector<std::unique_ptr<Node[]>> chunks;
    int used = kChunk;
};

static uint32_t next(uint32_t &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

class Tree {
public:
    void insert(const float *at)
    {
        Node **place = &root;
        int axis = 0;
        while (*place) {
            place = &(*place)->child[at[axis] >= (*place)->at[axis]];
            axis = (axis + 1) % 3;
        }
        Node *node = arena.take();
        *node = Node{{at[0], at[1], at[2]}, axis, {nullptr, nullptr}};
        *place = node;
    }
    int depth(const float *at) const
    {
        int steps = 0;
        for (const Node *node = root; node; node = node->child[at[node->axis] >= node->at[node->axis]])
            steps++;
        return steps;
    }

private:
    Arena arena;
    Node *root = nullptr;
};

int main()
{
    Tree tree;
    uint32_t state = 12345;
    for (int i = 0; i < 150000; i++) {
        float at[3] = {next(state) / 4.3e9f, next(state) / 4.3e9f, next(state) / 4.3e9f};
        tree.insert(at);
    }
    std::vector<std::thread> team;
    std::vector<long> sums(64);
    for (int t = 0; t < 8; t++)
        team.emplace_back([t, &tree, &sums] {
            uint32_t own = 77 + t;
            long sum = 0;
            for (int i = 0; i < 60000; i++) {
                float at[3] = {next(own) / 4.3e9f, next(own) / 4.3e9f, next(own) / 4.3e9f};
                sum += tree.depth(at);
            }
            sums[t * 8] = sum;
        });
    for (auto &one : team)
        one.join();
    long sum = 0;
    for (long each : sums)
        sum += each;
    std::printf("%ld\n", sum);
}
