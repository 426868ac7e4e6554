// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: main fills the 8 MiB of accounts alone and each thread uses its eighth, half of it remote; but every account (one cache line) is read and written once and hashed for thousands of cycles between: the work is limited by arithmetic, nothing to gain
// fix: none
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t accounts = 131072;
constexpr unsigned workers = 8;
constexpr int iterations = 250;

struct alignas(64) Account {
    std::array<std::uint32_t, 4> password;
    std::array<std::uint32_t, 4> salt;
    std::array<std::uint32_t, 8> key;
};

inline std::uint32_t rotated(std::uint32_t value, int by) { return value << by | value >> (32 - by); }

inline void quarter(std::uint32_t &a, std::uint32_t &b, std::uint32_t &c, std::uint32_t &d)
{
    a += b, d = rotated(d ^ a, 16);
    c += d, b = rotated(b ^ c, 12);
    a += b, d = rotated(d ^ a, 8);
    c += d, b = rotated(b ^ c, 7);
}

class Vault {
public:
    explicit Vault(std::size_t count) : size_(count), account_(new Account[count])
    {
        std::uint64_t state = 0x2545f4914f6cdd1du;
        auto next = [&state] {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            return static_cast<std::uint32_t>(state >> 32);
        };
        std::for_each(account_, account_ + count, [&](Account &account) {
            std::generate(account.password.begin(), account.password.end(), next);
            std::generate(account.salt.begin(), account.salt.end(), next);
            account.key.fill(0);
        });
    }
    ~Vault() { delete[] account_; }
    Vault(const Vault &) = delete;
    Vault &operator=(const Vault &) = delete;

    void derive(std::size_t from, std::size_t to)
    {
        for (std::size_t i = from; i < to; i++)
            stretch(account_[i]);
    }
    std::uint32_t digest() const
    {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < size_; i++)
            for (std::uint32_t word : account_[i].key)
                sum = rotated(sum, 3) ^ word;
        return sum;
    }

private:
    std::size_t size_;
    Account *account_;

    static void stretch(Account &account)
    {
        auto a = account.password, b = account.salt;
        std::array<std::uint32_t, 8> sum{};
        for (int i = 0; i < iterations; i++) {
            a[0] ^= static_cast<std::uint32_t>(i);
            quarter(a[0], a[1], a[2], a[3]);
            quarter(b[0], b[1], b[2], b[3]);
            quarter(a[0], b[1], a[2], b[3]);
            quarter(b[0], a[1], b[2], a[3]);
            for (int w = 0; w < 4; w++)
                sum[w] ^= a[w], sum[w + 4] ^= b[w];
        }
        account.key = sum;
    }
};

} // namespace

int main()
{
    Vault vault(accounts);
    std::vector<std::thread> pool;
    for (unsigned w = 0; w < workers; w++)
        pool.emplace_back([&vault, w] {
            vault.derive(accounts * w / workers, accounts * (w + 1) / workers);
        });
    std::for_each(pool.begin(), pool.end(), std::mem_fn(&std::thread::join));
    std::printf("%08x\n", vault.digest());
}
