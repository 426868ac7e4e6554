// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, eighteenth
// truth: main opens 384 order books, each a vector of price levels, each level a std::deque of orders (24 MiB in blocks of 512 bytes); afterwards one std::thread for each eighth of the books trades in its books alone, day after day
// fix: parts
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

// An exchange: orders wait at price levels in the order of their arrival; market orders take from the front.

struct Order {
    std::uint32_t id;
    std::int32_t left;
    std::int64_t stamp;
    double limit, fee;
};

using Level = std::deque<Order>;

class Book {
public:
    Book(int symbol, int levels, int depth) : state_(symbol * 977 + 5), levels_(levels)
    {
        for (int l = 0; l < levels; l++)
            for (int d = 0; d < depth; d++)
                levels_[l].push_back({serial_++, std::int32_t(1 + random() % 90), serial_, 10.0 + 0.01 * l, 0.0});
    }

    // Every waiting order is charged for the day; then some are filled, and others come.
    void trade(int day)
    {
        for (Level &level : levels_)
            for (Order &order : level)
                order.fee += 0.0001 * order.left * order.limit;
        for (std::size_t n = 0; n < levels_.size(); n++) {
            Level &level = levels_[random() % levels_.size()];
            std::int32_t wanted = 1 + random() % 200;
            while (wanted > 0 && !level.empty()) {
                Order &first = level.front();
                std::int32_t taken = first.left < wanted ? first.left : wanted;
                wanted -= taken, first.left -= taken, volume_ += taken, fees_ += first.fee;
                if (first.left > 0)
                    break;
                double limit = first.limit;
                level.pop_front();
                level.push_back({serial_++, std::int32_t(1 + random() % 90), day, limit, 0.0});
            }
        }
    }
    long volume() const { return volume_; }
    double fees() const { return fees_; }

private:
    std::uint32_t random()
    {
        state_ = state_ * 1664525u + 1013904223u;
        return state_ >> 8;
    }
    std::uint32_t state_, serial_ = 0;
    long volume_ = 0;
    double fees_ = 0;
    std::vector<Level> levels_;
};

static void session(std::vector<Book> &books, std::size_t from, std::size_t to, int days)
{
    for (int day = 1; day <= days; day++)
        for (std::size_t b = from; b < to; b++)
            books[b].trade(day);
}

int main()
{
    constexpr std::size_t kBooks = 384, kThreads = 8;
    std::vector<Book> books;
    books.reserve(kBooks);
    for (std::size_t b = 0; b < kBooks; b++)
        books.emplace_back(int(b), 40, 48);
    std::vector<std::thread> desks;
    for (std::size_t t = 0; t < kThreads; t++)
        desks.emplace_back(session, std::ref(books), kBooks * t / kThreads, kBooks * (t + 1) / kThreads, 60);
    for (std::thread &desk : desks)
        desk.join();
    long volume = 0;
    double fees = 0;
    for (const Book &book : books)
        volume += book.volume(), fees += book.fees();
    std::printf("volume %ld fees %.3f\n", volume, fees);
}
