// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: compressor threads with own input, output and hash table, built and filled by each: nothing to gain
// fix: none
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

constexpr size_t kBlock = 256 << 10;
constexpr int kBlocks = 16, kHashBits = 16;

class Compressor {
public:
    Compressor() : input_(kBlock + 8), output_(kBlock + kBlock / 16), head_(1 << kHashBits) {}

    size_t run(unsigned block)
    {
        read(block);
        std::memset(head_.data(), 0, head_.size() * sizeof(uint32_t));
        return compress();
    }

private:
    std::vector<uint8_t> input_, output_;
    std::vector<uint32_t> head_;  // last position of each hash

    // Stands for reading a block of a file: words of a small vocabulary.
    void read(unsigned block)
    {
        uint32_t state = block * 77777u + 1;
        for (size_t at = 0; at < kBlock;) {
            state = state * 1664525u + 1013904223u;
            uint32_t word = (state >> 24) * (state >> 28) * 0x01000193u;
            size_t length = 2 + (state >> 20) % 9;
            for (size_t k = 0; k < length && at < kBlock; k++, word = word * 5 + 1)
                input_[at++] = 'a' + (word >> 16) % 26;
        }
    }

    static uint32_t word_at(const uint8_t *p)
    {
        uint32_t word;
        std::memcpy(&word, p, sizeof word);
        return word;
    }

    size_t compress()
    {
        const uint8_t *in = input_.data();
        uint8_t *out = output_.data();
        size_t at = 0, literal = 0;
        while (at < kBlock) {
            uint32_t word = word_at(in + at), slot = word * 2654435761u >> (32 - kHashBits);
            size_t match = head_[slot], length = 0;
            head_[slot] = (uint32_t)at;
            if (match < at && word_at(in + match) == word)
                for (length = 4; length < 255 && at + length < kBlock; length++)
                    if (in[match + length] != in[at + length])
                        break;
            if (length < 4) {
                if (literal++ % 32 == 0)
                    *out++ = 0;
                *out++ = in[at++];
                continue;
            }
            literal = 0;
            *out++ = (uint8_t)length;
            uint32_t distance = (uint32_t)(at - match);
            std::memcpy(out, &distance, 3);
            out += 3;
            at += length;
        }
        return out - output_.data();
    }
};

int main()
{
    std::atomic<int> next{0};
    std::atomic<size_t> total{0};
    std::vector<std::thread> team;
    for (int t = 0; t < 8; t++)
        team.emplace_back([&] {
            Compressor own;
            for (int block = next++; block < kBlocks; block = next++)
                total += own.run(block);
        });
    for (auto &one : team)
        one.join();
    std::printf("%zu to %zu bytes\n", kBlocks * kBlock, total.load());
}
