// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// truth: main reads records of a text, whose buffer of 64 KiB is filled again and again, and appends each to the vector of its bin (512 vectors that grow, about 18 MiB at the end); afterwards one std::thread for each 64 bins tallies its bins alone, round after round
// fix: parts
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

struct Site {
    std::uint32_t position;
    std::uint16_t depth;
    std::uint8_t base;
    std::uint8_t quality;
    float strand;
    float balance;
};

// A source of lines "bin position depth base": stands for the pipe of another program.
class Source {
public:
    explicit Source(std::size_t lines) : left_(lines) {}

    std::size_t fill(char *buffer, std::size_t size)
    {
        std::size_t used = 0;
        while (left_ > 0 && used + 48 < size) {
            state_ = state_ * 6364136223846793005u + 1442695040888963407u;
            const unsigned word = unsigned(state_ >> 33);
            char *out = buffer + used;
            out = number(out, word & 511, ' ');
            out = number(out, (word >> 9) & 0xffff, ' ');
            out = number(out, 8 + (word >> 25), ' ');
            *out++ = "ACGT"[(word >> 5) & 3];
            *out++ = '\n';
            used = std::size_t(out - buffer);
            left_--;
        }
        return used;
    }

private:
    static char *number(char *out, unsigned value, char end)
    {
        char digits[12];
        int count = 0;
        do {
            digits[count++] = char('0' + value % 10);
            value /= 10;
        } while (value > 0);
        while (count > 0)
            *out++ = digits[--count];
        *out++ = end;
        return out;
    }

    std::size_t left_;
    std::uint64_t state_ = 42;
};

class Reader {
public:
    explicit Reader(Source &source) : source_(source), buffer_(new char[kSize]) {}
    ~Reader() { delete[] buffer_; }

    bool next(unsigned &bin, Site &site)
    {
        if (at_ >= end_) {
            end_ = source_.fill(buffer_, kSize);
            at_ = 0;
            if (end_ == 0)
                return false;
        }
        bin = number();
        site.position = number();
        site.depth = std::uint16_t(number());
        site.base = std::uint8_t(buffer_[at_]);
        at_ += 2;
        site.quality = std::uint8_t(20 + site.position % 40);
        site.strand = site.balance = 0;
        return true;
    }

private:
    unsigned number()
    {
        unsigned value = 0;
        while (buffer_[at_] >= '0')
            value = value * 10 + unsigned(buffer_[at_++] - '0');
        at_++;
        return value;
    }

    static constexpr std::size_t kSize = 64 << 10;
    Source &source_;
    char *buffer_;
    std::size_t at_ = 0, end_ = 0;
};

class Genome {
public:
    explicit Genome(unsigned bins) : bins_(bins) {}

    void load(Reader &reader)
    {
        unsigned bin;
        Site site;
        while (reader.next(bin, site))
            bins_[bin].push_back(site);
    }

    double tally(unsigned first, unsigned last, int rounds)
    {
        double score = 0;
        for (int round = 0; round < rounds; round++)
            for (unsigned b = first; b < last; b++)
                for (Site &site : bins_[b]) {
                    site.strand = 0.5f * site.strand + float(site.depth);
                    site.balance += site.base == 'G' ? site.strand : 1.0f;
                    score += site.balance;
                }
        return score;
    }

private:
    std::vector<std::vector<Site>> bins_;
};

int main()
{
    constexpr unsigned bins = 512, threads = 8;
    Source source(1150000);
    Reader reader(source);
    Genome genome(bins);
    genome.load(reader);

    double scores[threads];
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; t++)
        workers.emplace_back([&genome, &scores, t] {
            scores[t] = genome.tally(t * bins / threads, (t + 1) * bins / threads, 36);
        });
    for (std::thread &worker : workers)
        worker.join();
    double total = 0;
    for (double score : scores)
        total += score;
    std::printf("%.6e\n", total);
    return 0;
}
