// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: main builds a big index of strings, threads look up a few hot ones for long: all of it stays in caches
// fix: none
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class Index {
public:
    void add(std::string key, int value) { entries.emplace(std::move(key), value); }
    int find(const std::string &key) const
    {
        auto found = entries.find(key);
        return found == entries.end() ? -1 : found->second;
    }

private:
    std::unordered_map<std::string, int> entries;
};

struct Worker {
    const Index &index;
    const std::vector<std::string> &hot;
    long &sum;
    void operator()() const
    {
        long mine = 0;
        for (int round = 0; round < 1200; round++)
            for (const std::string &key : hot)
                mine += index.find(key);
        sum = mine;
    }
};

int main()
{
    Index index;
    for (int i = 0; i < 25000; i++)
        index.add("a key that is longer than a short string " + std::to_string(i), i);
    std::vector<std::string> hot;
    for (int i = 0; i < 40; i++)
        hot.push_back("a key that is longer than a short string " + std::to_string(i * 601));
    std::vector<long> sums(8);
    std::vector<std::thread> team;
    for (long &sum : sums)
        team.emplace_back(Worker{index, hot, sum});
    for (std::thread &one : team)
        one.join();
    std::printf("%ld\n", sums[0] + sums[7]);
}
