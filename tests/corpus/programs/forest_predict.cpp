// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: main grows the trees (ten of 2 MiB, walked at random by all threads) and draws the samples (12 MiB, each task reads its eighth of them again for each tree and drift), both alone: half of the threads read both remotely
// fix: parts, spread
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

struct Node {
    float threshold;
    std::uint32_t feature;
    std::uint32_t left; // the right child follows; 0 at a leaf
    float value;
};

class Tree {
public:
    Tree(int depth, std::uint32_t features, std::minstd_rand &random)
        : count_((std::size_t{2} << depth) - 1), nodes_(new Node[count_])
    {
        std::uniform_real_distribution<float> cut(0.35f, 0.65f);
        const std::size_t inner = count_ / 2;
        for (std::size_t i = 0; i < count_; i++) {
            Node &node = nodes_[i];
            node.threshold = cut(random);
            node.feature = static_cast<std::uint32_t>(random() % features);
            node.left = i < inner ? static_cast<std::uint32_t>(2 * i + 1) : 0;
            node.value = static_cast<float>(random() % 64);
        }
    }

    float predict(const float *sample, float drift) const
    {
        const Node *node = &nodes_[0];
        while (node->left)
            node = &nodes_[node->left + (sample[node->feature] + drift > node->threshold)];
        return node->value;
    }

private:
    std::size_t count_;
    std::unique_ptr<Node[]> nodes_;
};

class Samples {
public:
    Samples(std::size_t rows, std::size_t columns, std::minstd_rand &random)
        : rows_(rows), columns_(columns), data_(std::make_unique<float[]>(rows * columns))
    {
        std::uniform_real_distribution<float> uniform;
        std::generate_n(data_.get(), rows * columns, [&] { return uniform(random); });
    }
    std::size_t rows() const { return rows_; }
    const float *operator[](std::size_t row) const { return data_.get() + row * columns_; }

private:
    std::size_t rows_, columns_;
    std::unique_ptr<float[]> data_;
};

using Forest = std::vector<Tree>;

// How robust are predictions when all sensors drift?
static const float drifts[] = {-0.1f, -0.05f, 0.0f, 0.05f, 0.1f};

// The votes are whole numbers, so that their sums are exact.
static double evaluate(const Forest &forest, const Samples &samples, std::size_t from, std::size_t to)
{
    std::vector<float> votes(to - from);
    for (float drift : drifts)
        for (const Tree &tree : forest)
            for (std::size_t i = from; i < to; i++)
                votes[i - from] += tree.predict(samples[i], drift);
    return std::accumulate(votes.begin(), votes.end(), 0.0);
}

int main()
{
    constexpr std::size_t features = 64, rows = 49152, tasks = 8;
    constexpr int trees = 10, depth = 16;

    std::minstd_rand random(2001);
    Forest forest;
    forest.reserve(trees);
    for (int t = 0; t < trees; t++)
        forest.emplace_back(depth, features, random);
    Samples samples(rows, features, random);

    std::vector<std::future<double>> results;
    for (std::size_t t = 0; t < tasks; t++)
        results.push_back(std::async(std::launch::async, evaluate, std::cref(forest), std::cref(samples),
                                     rows * t / tasks, rows * (t + 1) / tasks));
    double sum = 0;
    for (auto &result : results)
        sum += result.get();
    std::printf("mean prediction %.5f\n", sum / (double(rows) * trees * std::size(drifts)));
}
