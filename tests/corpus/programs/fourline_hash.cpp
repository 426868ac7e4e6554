// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-sixth
// truth: a solver of connect-four positions: eight std::threads take positions from a counter and share one transposition table, an 8 MiB new Entry[] (std::atomic members, whose constructors touch nothing) that the same eight threads clear first, each a stripe of 1 MiB (clear_stripe), so that each node has half of it; all threads probe and store all over it, by a hash; half of the requests are remote, and would be with any other placing: both nodes serve the same share already, and the table is written all the time, so a copy for each node is no way out either: nothing to gain
// fix: none
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

// Seven columns of six cells and an empty one on top, a bit each.
class Board {
public:
    static constexpr int columns = 7, rows = 6, pitch = rows + 1;
    static constexpr std::uint64_t centre = 0x7full << 2 * pitch | 0x7full << 3 * pitch | 0x7full << 4 * pitch;

    bool open(int column) const { return !(all_ >> (column * pitch + rows - 1) & 1); }
    bool wins(int column) const { return open(column) && four(mine_ | drop(column)); }
    int stones() const { return stones_; }
    std::uint64_t key() const { return mine_ + all_ + 1; }
    void play(int column)
    {
        mine_ ^= all_; // the other player is to move
        all_ |= drop(column);
        stones_++;
    }
    int lead() const { return __builtin_popcountll(mine_ & centre) - __builtin_popcountll((mine_ ^ all_) & centre); }

private:
    std::uint64_t drop(int column) const
    {
        return (all_ + (1ull << column * pitch)) & ((1ull << rows) - 1) << column * pitch;
    }
    static bool four(std::uint64_t b)
    {
        for (int step : {1, pitch, pitch - 1, pitch + 1})
            if (b & b >> step & b >> 2 * step & b >> 3 * step)
                return true;
        return false;
    }

    std::uint64_t mine_ = 0, all_ = 0;
    int stones_ = 0;
};

class HashTable {
public:
    enum Bound : std::uint8_t { EXACT = 1, LOWER, UPPER };
    using Found = std::pair<int, Bound>;

    explicit HashTable(unsigned bits) : shift_(64 - bits), size_(1ull << bits), entries_(new Entry[size_]) {}
    void clear_stripe(int part, int parts)
    {
        for (std::size_t i = size_ * part / parts; i < size_ * (part + 1) / parts; i++) {
            entries_[i].check.store(0, std::memory_order_relaxed);
            entries_[i].data.store(0, std::memory_order_relaxed);
        }
    }
    bool probe(std::uint64_t key, Found &found) const
    {
        const Entry &entry = entries_[slot(key)];
        const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
        // Another thread may be writing it: the two words have to match.
        if (data == 0 || (entry.check.load(std::memory_order_relaxed) ^ data) != key)
            return false;
        found = {static_cast<int>(data & 0xffff) - 0x8000, static_cast<Bound>(data >> 16)};
        return true;
    }
    void store(std::uint64_t key, Found found)
    {
        Entry &entry = entries_[slot(key)];
        const std::uint64_t data = static_cast<std::uint64_t>(found.second) << 16 | (found.first + 0x8000);
        entry.data.store(data, std::memory_order_relaxed);
        entry.check.store(key ^ data, std::memory_order_relaxed);
    }

private:
    struct Entry { std::atomic<std::uint64_t> check, data; };
    std::size_t slot(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15u >> shift_; }
    unsigned shift_;
    std::size_t size_;
    std::unique_ptr<Entry[]> entries_;
};

static int score(HashTable &table, const Board &board, int horizon, int alpha, int beta)
{
    static constexpr int order[] = {3, 2, 4, 1, 5, 0, 6};
    for (int c : order)
        if (board.wins(c))
            return 1000 - board.stones();
    if (board.stones() >= horizon)
        return board.lead();
    HashTable::Found found;
    if (table.probe(board.key(), found) &&
        (found.second == HashTable::EXACT || (found.second == HashTable::LOWER && found.first >= beta) ||
         (found.second == HashTable::UPPER && found.first <= alpha)))
        return found.first;
    int best = -2000, reached = alpha;
    for (int c : order) {
        if (!board.open(c) || reached >= beta)
            continue;
        Board next = board;
        next.play(c);
        best = std::max(best, -score(table, next, horizon, -beta, -reached));
        reached = std::max(reached, best);
    }
    const auto bound = best >= beta ? HashTable::LOWER : best <= alpha ? HashTable::UPPER : HashTable::EXACT;
    table.store(board.key(), {best, bound});
    return best;
}

static std::vector<Board> openings(std::size_t count, int stones)
{
    std::vector<Board> boards(count);
    std::minstd_rand random(20261128);
    for (Board &board : boards)
        while (board.stones() < stones) {
            const int c = static_cast<int>(random() / 64 % Board::columns);
            if (board.open(c) && !board.wins(c))
                board.play(c);
        }
    return boards;
}

int main()
{
    constexpr int workers = 8, horizon = 20;
    const auto boards = openings(96, 8);
    HashTable table(19);
    std::atomic<std::size_t> next{0};
    std::atomic<int> cleared{0};
    std::atomic<long> sum{0};
    std::vector<std::thread> threads;

    for (int t = 0; t < workers; t++)
        threads.emplace_back([&, t] {
            table.clear_stripe(t, workers);
            for (cleared++; cleared < workers;)
                std::this_thread::yield();
            for (std::size_t i; (i = next++) < boards.size();)
                sum += score(table, boards[i], horizon, -2000, 2000) * static_cast<long>(i + 1);
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%zu positions, sum of scores %ld\n", boards.size(), sum.load());
}
