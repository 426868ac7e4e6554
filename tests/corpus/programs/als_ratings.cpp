// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, eleventh
// truth: users (structures of std::array) and items (arrays of 16 floats) are vectors that main sizes and sets; a static loop over iterators divides the users, who read any of the items at random
// fix: parts, spread
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr std::size_t kRank = 16, kSeen = 12, kUsers = 16384, kItems = 65536;

struct Rating {
    std::uint32_t item;
    float stars;
};

struct User {
    std::array<double, kRank> factor, momentum, variance;
    std::array<Rating, kSeen> seen;
};

using Item = std::array<float, kRank>;

static std::uint32_t scramble(std::uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static void load(std::vector<User> &users, std::vector<Item> &items)
{
    users.resize(kUsers);
    items.resize(kItems);
    std::uint32_t n = 1;
    for (User &user : users) {
        user.factor.fill(0.1);
        user.momentum.fill(0);
        user.variance.fill(0);
        for (Rating &rating : user.seen) {
            std::uint32_t h = scramble(n++);
            rating = {h % static_cast<std::uint32_t>(kItems), static_cast<float>(1 + (h >> 20) % 5)};
        }
    }
    for (Item &item : items)
        for (float &value : item)
            value = static_cast<float>(scramble(n++) % 1000) * 1e-3f;
}

static void adapt(User &user, const std::vector<Item> &items, double rate)
{
    std::array<double, kRank> gradient{};
    for (const Rating &rating : user.seen) {
        const Item &item = items[rating.item];
        double error = -rating.stars;
        for (std::size_t k = 0; k < kRank; k++)
            error += user.factor[k] * item[k];
        for (std::size_t k = 0; k < kRank; k++)
            gradient[k] += error * item[k];
    }
    for (std::size_t k = 0; k < kRank; k++) {
        user.momentum[k] = 0.9 * user.momentum[k] + 0.1 * gradient[k];
        user.variance[k] = 0.99 * user.variance[k] + 0.01 * gradient[k] * gradient[k];
        user.factor[k] -= rate * user.momentum[k] / (std::sqrt(user.variance[k]) + 1e-6);
    }
}

int main()
{
    std::vector<User> users;
    std::vector<Item> items;
    load(users, items);
    for (int epoch = 0; epoch < 10; epoch++) {
        const double rate = 0.05 / (1 + epoch);
#pragma omp parallel for schedule(static)
        for (auto user = users.begin(); user < users.end(); ++user)
            adapt(*user, items, rate);
    }
    double sum = 0;
    for (const User &user : users)
        sum += user.factor[0];
    std::printf("%.9f\n", sum / kUsers);
}
