// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// std: c++20
// truth: main makes 98304 loans of three classes by placement new in one arena of new std::byte[] (24 MiB); eight std::jthreads value an eighth of them each, as a std::span of the pointers, scenario by scenario; the pointers (0.75 MiB) are divided in the same way
// fix: parts
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 8;
constexpr std::size_t kLoans = 98304;
constexpr int kScenarios = 60;
constexpr int kPeriods = 24;

struct Scenario {
    double shift;
    double slope;
};

class Loan {
public:
    explicit Loan(double principal) : principal_(principal) {}
    virtual ~Loan() = default;
    virtual double value(const Scenario &scenario) const = 0;

protected:
    double principal_;
};

class FixedLoan : public Loan {
public:
    FixedLoan(double principal, double rate) : Loan(principal)
    {
        for (int k = 0; k < kPeriods; k++)
            payment_[k] = principal * rate + (k + 1 == kPeriods ? principal : 0.0);
    }

    double value(const Scenario &scenario) const override
    {
        double sum = 0, factor = 1;
        const double step = 1 / (1 + scenario.shift);
        for (double payment : payment_) {
            factor *= step;
            sum += payment * factor;
        }
        return sum;
    }

private:
    std::array<double, kPeriods> payment_;
};

class FloatingLoan : public Loan {
public:
    FloatingLoan(double principal, double spread) : Loan(principal)
    {
        for (int k = 0; k < kPeriods; k++)
            spread_[k] = spread + 0.0001 * (k % 4);
    }

    double value(const Scenario &scenario) const override
    {
        double sum = 0, rate = scenario.shift;
        for (double spread : spread_) {
            rate += scenario.slope;
            sum += principal_ * (rate + spread);
        }
        return sum;
    }

private:
    std::array<double, kPeriods> spread_;
};

class CallableLoan : public Loan {
public:
    CallableLoan(double principal, double strike) : Loan(principal)
    {
        for (int k = 0; k < kPeriods; k++)
            call_[k] = strike * (1 + 0.002 * k);
    }

    double value(const Scenario &scenario) const override
    {
        double best = principal_;
        for (double call : call_)
            best = std::max(best * (1 - scenario.slope), principal_ - call * scenario.shift);
        return best;
    }

private:
    std::array<double, kPeriods> call_;
};

class Arena {
public:
    explicit Arena(std::size_t size) : memory_(new std::byte[size]), size_(size) {}

    void *take(std::size_t size)
    {
        void *place = memory_.get() + used_;
        used_ += (size + 63) / 64 * 64;
        if (used_ > size_)
            throw std::bad_alloc();
        return place;
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_, used_ = 0;
};

std::uint64_t draw(std::uint64_t &state)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

void originate(Arena &arena, std::vector<Loan *> &book)
{
    std::uint64_t state = 88172645463325252u;
    for (std::size_t i = 0; i < kLoans; i++) {
        const double principal = 1000.0 + double(draw(state) % 90000);
        switch (draw(state) % 3) {
        case 0:
            book.push_back(new (arena.take(sizeof(FixedLoan))) FixedLoan(principal, 0.03));
            break;
        case 1:
            book.push_back(new (arena.take(sizeof(FloatingLoan))) FloatingLoan(principal, 0.01));
            break;
        default:
            book.push_back(new (arena.take(sizeof(CallableLoan))) CallableLoan(principal, principal * 0.9));
        }
    }
}

void revalue(std::span<Loan *const> share, std::span<const Scenario> scenarios, double &total)
{
    double sum = 0;
    for (const Scenario &scenario : scenarios)
        for (const Loan *loan : share)
            sum += loan->value(scenario);
    total = sum;
}

} // namespace

int main()
{
    Arena arena(kLoans * 256);
    std::vector<Loan *> book;
    book.reserve(kLoans);
    originate(arena, book);

    std::vector<Scenario> scenarios;
    for (int s = 0; s < kScenarios; s++)
        scenarios.push_back({0.01 + 0.002 * s, 0.0001 * s});

    std::array<double, kThreads> totals{};
    {
        std::vector<std::jthread> desks;
        const std::span<Loan *const> all(book);
        for (int t = 0; t < kThreads; t++)
            desks.emplace_back(revalue, all.subspan(t * (kLoans / kThreads), kLoans / kThreads),
                               std::span<const Scenario>(scenarios), std::ref(totals[t]));
    }
    double total = 0;
    for (double each : totals)
        total += each;
    std::printf("%.2f\n", total / kScenarios);
    return 0;
}
