// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: main parses a text of accounts line by line and constructs each account by placement new in a slab that mmap reserves with MAP_NORESERVE (64 MiB, of which 200000 accounts of 96 bytes, 18.3 MiB, are used); each std::thread charges its own range of accounts, month after month
// fix: parts
#include <sys/mman.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct Account {
    Account(std::uint64_t number, std::int64_t balance, unsigned terms) : number(number), balance(balance), terms(terms) {}
    void month(int m)
    {
        std::int64_t interest = balance > 0 ? balance * rates[terms % 4] / 120000 : balance * 9 / 1200;
        history[m % 6] = interest;
        balance += interest - 3;
        overdrawn += balance < 0;
    }
    static constexpr int rates[4] = {10, 25, 40, 5};
    std::uint64_t number;
    std::int64_t balance;
    std::int64_t history[6] = {};
    unsigned terms, overdrawn = 0;
    char currency[8] = "EUR";
    double reserve = 0, fee = 0;
};

template <typename T> class Slab {
public:
    explicit Slab(std::size_t bytes) : bytes_(bytes)
    {
        void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            throw std::bad_alloc();
        base_ = static_cast<T *>(memory);
    }
    Slab(const Slab &) = delete;
    ~Slab() { munmap(base_, bytes_); }

    template <typename... Args> T &make(Args... args) { return *new (base_ + used_++) T(args...); }
    T *begin() { return base_; }
    T *end() { return base_ + used_; }
    std::size_t size() const { return used_; }

private:
    std::size_t bytes_, used_ = 0;
    T *base_;
};

static std::string dump(int accounts)
{
    std::string text;
    std::uint32_t state = 4711;
    for (int i = 0; i < accounts; i++) {
        state = state * 1103515245u + 12345u;
        text += std::to_string(1000000 + i) + ';' + std::to_string(int(state >> 12) - 150000) + ';' +
                std::to_string(state >> 30) + '\n';
    }
    return text;
}

static void load(std::istream &in, Slab<Account> &slab)
{
    std::string line;
    while (std::getline(in, line)) {
        std::uint64_t number = 0;
        std::int64_t balance = 0;
        unsigned terms = 0;
        const char *end = line.data() + line.size();
        const char *at = std::from_chars(line.data(), end, number).ptr;
        at = std::from_chars(at + 1, end, balance).ptr;
        std::from_chars(at + 1, end, terms);
        slab.make(number, balance, terms);
    }
}

int main()
{
    Slab<Account> slab(64u << 20);
    {
        std::istringstream in(dump(200000));
        load(in, slab);
    }
    constexpr std::size_t workers = 8;
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < workers; w++) {
        Account *from = slab.begin() + slab.size() * w / workers, *to = slab.begin() + slab.size() * (w + 1) / workers;
        threads.emplace_back([from, to] {
            for (int m = 0; m < 24; m++)
                for (Account *a = from; a != to; ++a)
                    a->month(m);
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    std::int64_t sum = 0, overdrawn = 0;
    for (const Account &a : slab)
        sum += a.balance, overdrawn += a.overdrawn;
    std::printf("%zu accounts, %lld, %lld\n", slab.size(), (long long)sum, (long long)overdrawn);
}
