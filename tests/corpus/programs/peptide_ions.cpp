// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-fifth
// truth: a search of spectra of proteins: main builds an index of fragment ions (ions_, a std::vector of 1012824 of 8 bytes each, 7.7 MiB, which the constructor of the vector zeroes first, and first_, 0.35 MiB, the offsets of its bins), which all threads read at random in all passes and nobody writes any more; each std::thread makes its own list of matches (reserve and push_back in the thread, about 0.4 MiB, 3 to 4 MiB in all), writes it anew in each pass and alone reads it again, and its scores (80 KiB), which stay in its caches: the lists are right; nearly half of the requests are remote, all of them to the index, which has most of the requests; no thread has a part of the index: interleaving takes the load off the node of main but leaves as many remote, only a copy for each node would take them away
// fix: spread
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

constexpr float lowest = 200, highest = 2000, bin_width = 0.02f;

static float residue_mass(char c)
{
    static constexpr std::string_view names = "GASPVTCLNDQKEMHFRYW";
    static constexpr float masses[] = {57.0215f, 71.0371f, 87.0320f, 97.0528f, 99.0684f, 101.0477f, 103.0092f,
                                       113.0841f, 114.0429f, 115.0269f, 128.0586f, 128.0950f, 129.0426f, 131.0405f,
                                       137.0589f, 147.0684f, 156.1011f, 163.0633f, 186.0793f};
    return masses[names.find(c)];
}

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    std::uint32_t below(std::uint32_t limit)
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>((state_ >> 32) * limit >> 32);
    }

private:
    std::uint64_t state_;
};

struct Ion {
    std::uint32_t peptide;
    float mz;
};

static std::string make_peptide(std::uint32_t number) // as trypsin cuts: K or R is the last
{
    Random random(number);
    std::string sequence(14 + random.below(10), 'K');
    for (std::size_t i = 0; i + 1 < sequence.size(); i++)
        sequence[i] = "GASPVTCLNDQEMHFYW"[random.below(17)];
    if (random.below(2) == 0)
        sequence.back() = 'R';
    return sequence;
}

template <class Take> static void fragment(const std::string &sequence, Take take)
{
    float b = 1.0073f, y = 19.0184f;
    for (std::size_t i = 0; i + 1 < sequence.size(); i++) {
        b += residue_mass(sequence[i]);
        y += residue_mass(sequence[sequence.size() - 1 - i]);
        if (i < 3) // short ones tell nothing
            continue;
        for (float mz : {b, y})
            if (mz >= lowest && mz < highest)
                take(mz);
    }
}

class IonIndex {
public:
    explicit IonIndex(std::uint32_t peptides) : first_(static_cast<std::size_t>((highest - lowest) / bin_width) + 3)
    {
        for (std::uint32_t p = 0; p < peptides; p++)
            fragment(make_peptide(p), [&](float mz) { first_[bin(mz) + 2]++; });
        for (std::size_t i = 2; i < first_.size(); i++)
            first_[i] += first_[i - 1];
        ions_ = std::vector<Ion>(first_.back());
        for (std::uint32_t p = 0; p < peptides; p++)
            fragment(make_peptide(p), [&](float mz) { ions_[first_[bin(mz) + 1]++] = {p, mz}; });
    }
    template <class Take> void lookup(float mz, float tolerance, Take take) const
    {
        const std::size_t last = first_[bin(mz + tolerance) + 1];
        for (std::size_t i = first_[bin(mz - tolerance)]; i < last; i++)
            if (std::fabs(ions_[i].mz - mz) <= tolerance)
                take(ions_[i].peptide);
    }

private:
    static std::size_t bin(float mz) { return static_cast<std::size_t>((std::clamp(mz, lowest, highest) - lowest) / bin_width); }
    std::vector<std::uint32_t> first_;
    std::vector<Ion> ions_;
};

struct Match {
    std::uint32_t spectrum, peptide;
    float shift, score;
};

struct Result {
    std::size_t matches = 0, right = 0;
};
constexpr std::uint32_t peptides = 40000, spectra_of_one = 400, workers = 8;
constexpr std::array<float, 5> shifts{0, 15.9949f, 79.9663f, 0.9840f, 42.0106f}; // common modifications

static Result search(const IonIndex &index, std::uint32_t worker)
{
    std::vector<Match> matches;
    std::vector<std::uint16_t> shared(peptides);
    std::vector<std::uint32_t> candidates;
    Result result;

    matches.reserve(40960);
    for (float shift : shifts) {
        matches.clear();
        for (std::uint32_t s = 0; s < spectra_of_one; s++) {
            Random random(977 * (worker * spectra_of_one + s) + 5);
            std::uint32_t best = 0;
            candidates.clear();
            fragment(make_peptide(random.below(peptides)), [&](float mz) {
                if (random.below(5) != 0)
                    index.lookup(mz - (random.below(2) ? shift : 0), 0.01f, [&](std::uint32_t p) {
                        if (shared[p]++ == 0)
                            candidates.push_back(p);
                    });
            });
            for (std::uint32_t p : candidates) {
                best = std::max<std::uint32_t>(best, shared[p]);
                if (shared[p] > 1)
                    matches.push_back({s, p, shift, std::log1p(static_cast<float>(shared[p]))});
                shared[p] = 0;
            }
            result.right += best >= 8;
        }
        result.matches += static_cast<std::size_t>(
            std::count_if(matches.begin(), matches.end(), [&](const Match &m) { return m.score > 1.3f; }));
    }
    return result;
}

int main()
{
    const IonIndex index(peptides);
    std::vector<Result> results(workers);
    std::vector<std::thread> threads;
    for (std::uint32_t w = 0; w < workers; w++)
        threads.emplace_back([&, w] { results[w] = search(index, w); });
    for (auto &thread : threads)
        thread.join();
    for (unsigned w = 1; w < workers; w++) {
        results[0].matches += results[w].matches;
        results[0].right += results[w].right;
    }
    std::printf("%zu good matches, %zu spectra explained\n", results[0].matches, results[0].right);
}
