// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-sixth
// truth: a network of 28672 neurons: eight std::threads wire it in pieces, each its eighth of the neurons in vectors of its own, but gather, run by main in the constructor, appends all pieces to one vector (synapses_, reserve and insert, 14 MiB), so that main writes all of it first, and the pieces are freed; eight new std::threads, kept by a barrier, then read the same eighth of the synapses in all 24 steps and change the weights of one neuron of ten or so; the sources of the synapses are looked up anywhere, but in bytes (two vectors of 28 KiB) that stay in caches, as potentials and offsets nearly do; half of the requests are remote, nearly all of them would go if each thread's part of synapses_ lay on its node, for example if each worker copied its own piece to its place; what main reads of the pieces, half of it remote, it reads only once
// fix: parts
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

struct Synapse {
    std::uint32_t source;
    float weight;
};

struct Piece { // what one worker has wired
    std::vector<std::uint32_t> degrees;
    std::vector<Synapse> synapses;
};

class Barrier {
public:
    explicit Barrier(unsigned count) : count_(count) {}
    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const unsigned mine = round_;
        if (++here_ < count_) {
            all_.wait(lock, [&] { return round_ != mine; });
            return;
        }
        here_ = 0;
        round_++;
        all_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable all_;
    unsigned count_, here_ = 0, round_ = 0;
};

class Cortex {
public:
    Cortex(std::uint32_t neurons, unsigned workers)
        : neurons_(neurons), workers_(workers), potential_(neurons)
    {
        std::vector<Piece> pieces(workers);
        onWorkers([&](unsigned t) { pieces[t] = wire(first(t), first(t + 1)); });
        gather(pieces);
        traces_.fill(std::vector<std::uint8_t>(neurons));
        for (std::uint32_t i = 0; i < neurons; i++)
            potential_[i] = 0.01f * static_cast<float>(i * 7 % 100);
    }

    std::uint64_t run(int steps)
    {
        Barrier barrier(workers_);
        std::vector<std::uint64_t> spikes(workers_);
        onWorkers([&](unsigned t) {
            std::uint64_t fired = 0;
            for (int step = 0; step < steps; step++) {
                for (std::uint32_t i = first(t); i < first(t + 1); i++)
                    fired += update(i, traces_[step % 2].data(), traces_[(step + 1) % 2].data(), step);
                barrier.wait();
            }
            spikes[t] = fired;
        });
        return std::accumulate(spikes.begin(), spikes.end(), std::uint64_t{0});
    }

private:
    static constexpr std::uint8_t Fired = 255; // a trace fades from here
    std::uint32_t neurons_;
    unsigned workers_;
    std::vector<float> potential_;
    std::array<std::vector<std::uint8_t>, 2> traces_;
    std::vector<std::uint32_t> offsets_;
    std::vector<Synapse> synapses_; // by target

    std::uint32_t first(unsigned t) const { return neurons_ / workers_ * t; }

    template <class Work> void onWorkers(Work work)
    {
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < workers_; t++)
            threads.emplace_back(work, t);
        for (auto &thread : threads)
            thread.join();
    }

    // Most synapses come from nearby; one source of five inhibits.
    Piece wire(std::uint32_t from, std::uint32_t to) const
    {
        Piece piece;
        for (std::uint32_t i = from; i < to; i++) {
            std::minstd_rand draw(7919 * (i + 1));
            const auto degree = static_cast<std::uint32_t>(48 + draw() % 33);
            for (std::uint32_t s = 0; s < degree; s++) {
                const std::uint32_t reach = draw() % 5 ? 600 : neurons_;
                const auto source = static_cast<std::uint32_t>((i + neurons_ - reach / 2 + draw() % reach) % neurons_);
                piece.synapses.push_back({source, source % 5 ? 0.03f : -0.06f});
            }
            piece.degrees.push_back(degree);
        }
        return piece;
    }

    void gather(const std::vector<Piece> &pieces)
    {
        std::size_t total = 0;
        for (const auto &piece : pieces)
            total += piece.synapses.size();
        synapses_.reserve(total);
        offsets_.assign(1, 0);
        for (const auto &piece : pieces) {
            synapses_.insert(synapses_.end(), piece.synapses.begin(), piece.synapses.end());
            for (std::uint32_t degree : piece.degrees)
                offsets_.push_back(offsets_.back() + degree);
        }
    }

    bool update(std::uint32_t i, const std::uint8_t *now, std::uint8_t *next, int step)
    {
        const bool justFired = now[i] == Fired;
        float input = 0.04f + 0.001f * static_cast<float>((i * 31 + static_cast<unsigned>(step) * 17) % 64);
        for (std::uint32_t s = offsets_[i]; s < offsets_[i + 1]; s++) {
            const std::uint8_t trace = now[synapses_[s].source];
            input += trace == Fired ? synapses_[s].weight : 0;
            if (justFired) // what helped it to fire grows stronger
                synapses_[s].weight *= 0.995f + 2e-5f * static_cast<float>(trace);
        }
        float &v = potential_[i];
        v = justFired ? 0 : 0.95f * v + input;
        const bool fires = v > 1;
        next[i] = fires ? Fired : static_cast<std::uint8_t>(now[i] - (now[i] + 3) / 4);
        return fires;
    }
};

int main()
{
    Cortex cortex(28672, 8);
    const std::uint64_t spikes = cortex.run(24);
    std::printf("%llu spikes\n", static_cast<unsigned long long>(spikes));
}
