// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: transfers between few accounts, each with its lock beside it: contended lines, placement cannot help
// fix: none
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

class Account {
public:
    void add(long amount)
    {
        while (lock.exchange(1, std::memory_order_acquire))
            std::this_thread::yield();
        balance += amount;
        moves++;
        lock.store(0, std::memory_order_release);
    }
    long held() const { return balance; }

private:
    std::atomic<int> lock{0};
    int moves = 0;
    long balance = 1000;
};

class Bank {
public:
    explicit Bank(size_t size) : accounts(size) {}
    void transfer(size_t from, size_t to, long amount)
    {
        accounts[from % accounts.size()].add(-amount);
        accounts[to % accounts.size()].add(amount);
    }
    long total() const
    {
        long sum = 0;
        for (const Account &each : accounts)
            sum += each.held();
        return sum;
    }

private:
    std::vector<Account> accounts;
};

int main()
{
    Bank bank(96);
    std::vector<std::thread> tellers;
    for (unsigned t = 0; t < 8; t++)
        tellers.emplace_back([&bank, t] {
            unsigned seed = t + 1;
            for (int i = 0; i < 400000; i++) {
                seed = seed * 1664525u + 1013904223u;
                bank.transfer(seed >> 16, seed >> 8, long(seed % 10));
            }
        });
    for (auto &teller : tellers)
        teller.join();
    std::printf("%ld\n", bank.total());
}
