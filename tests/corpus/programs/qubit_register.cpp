// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-second
// truth: the constructor of a register of 20 qubits takes its amplitudes (16 MiB) from new[]() with zeros, by main; static loops over pairs of amplitudes apply gates: for a low qubit each thread has its block of the amplitudes, for the highest one, one gate of eight, a part of each half; a table of phases (2 KiB) stays in the caches
// fix: parts
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

using Amplitude = std::complex<double>;

struct Gate {
    int target;
    Amplitude a, b, c, d;
};

class Register {
public:
    explicit Register(int qubits) : qubits_(qubits), size_(std::size_t(1) << qubits), state_(new Amplitude[size_]())
    {
        if (qubits < 4 || qubits > 30)
            throw std::out_of_range("qubits");
        state_[0] = 1;
        for (std::size_t i = 0; i < 128; i++)
            phases_.push_back(std::polar(1.0, 2 * M_PI * double(i) / 128));
    }

    void apply(const Gate &gate)
    {
        if (gate.target < 0 || gate.target >= qubits_)
            throw std::out_of_range("target");
        const std::size_t bit = std::size_t(1) << gate.target;
#pragma omp parallel for schedule(static)
        for (std::size_t pair = 0; pair < size_ / 2; pair++) {
            const std::size_t low = (pair & (bit - 1)) | ((pair & ~(bit - 1)) << 1), high = low | bit;
            const Amplitude zero = state_[low], one = state_[high];
            state_[low] = times(gate.a, zero) + times(gate.b, one);
            state_[high] = times(gate.c, zero) + times(gate.d, one);
        }
    }

    void phase(int shift)
    {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < size_; i++)
            state_[i] = times(state_[i], phases_[(i >> shift) % phases_.size()]);
    }

    double probability(int qubit) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < size_; i += 64)
            if (i >> qubit & 1)
                sum += std::norm(state_[i]);
        return sum;
    }

private:
    static Amplitude times(const Amplitude &x, const Amplitude &y)
    {
        return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
    }

    int qubits_;
    std::size_t size_;
    std::unique_ptr<Amplitude[]> state_;
    std::vector<Amplitude> phases_;
};

static std::vector<Gate> circuit(int qubits, int layers)
{
    std::vector<Gate> gates;
    for (int layer = 0; layer < layers; layer++)
        for (int g = 0; g < 8; g++) {
            const double angle = 0.3 + 0.1 * g + 0.05 * layer;
            const int target = g == 7 ? qubits - 1 : (g * 2 + layer) % (qubits - 4);
            gates.push_back({target, std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)});
        }
    return gates;
}

int main()
{
    try {
        const int qubits = 20;
        Register state(qubits);
        int count = 0;
        for (const Gate &gate : circuit(qubits, 3)) {
            state.apply(gate);
            if (++count % 8 == 0)
                state.phase(count / 8);
        }
        std::printf("p(0) %.6f p(top) %.6f\n", state.probability(6), state.probability(qubits - 1));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
