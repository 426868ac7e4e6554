// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: the constructor of a tiled picture (called by main) has a parallel static loop in which each thread makes and fills the tiles that it will use (64 tiles of 256 KiB by make_unique, two pictures, 32 MiB in all); the blur uses the same static loop over the tiles and reads the edges of neighbours: right already
// fix: none
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

class Tiled {
public:
    static constexpr int kTiles = 8, kEdge = 256, kSize = kTiles * kEdge;
    using Tile = std::unique_ptr<float[]>;

    explicit Tiled(float level) : tiles_(kTiles * kTiles)
    {
#pragma omp parallel for schedule(static)
        for (int t = 0; t < kTiles * kTiles; t++) {
            tiles_[t] = std::make_unique<float[]>(kEdge * kEdge);
            std::fill_n(tiles_[t].get(), kEdge * kEdge, level);
        }
    }

    float *tile(int t) { return tiles_[t].get(); }
    const float *tile(int t) const { return tiles_[t].get(); }
    float at(int row, int column) const
    {
        row = std::clamp(row, 0, kSize - 1), column = std::clamp(column, 0, kSize - 1);
        return tiles_[row / kEdge * kTiles + column / kEdge][row % kEdge * kEdge + column % kEdge];
    }

    void draw(std::uint32_t seed)
    {
#pragma omp parallel for schedule(static)
        for (int t = 0; t < kTiles * kTiles; t++) {
            std::uint32_t state = seed + t;
            for (int p = 0; p < kEdge * kEdge; p++) {
                state = state * 1664525u + 1013904223u;
                tile(t)[p] += float(state >> 24);
            }
        }
    }

    void blur(const Tiled &from)
    {
#pragma omp parallel for schedule(static)
        for (int t = 0; t < kTiles * kTiles; t++) {
            const float *in = from.tile(t);
            float *out = tile(t);
            int top = t / kTiles * kEdge, left = t % kTiles * kEdge;
            for (int r = 0; r < kEdge; r++)
                for (int c = 0; c < kEdge; c++) {
                    int p = r * kEdge + c;
                    if (r > 0 && r < kEdge - 1 && c > 0 && c < kEdge - 1)
                        out[p] = (4 * in[p] + in[p - 1] + in[p + 1] + in[p - kEdge] + in[p + kEdge]) / 8;
                    else
                        out[p] = (4 * in[p] + from.at(top + r, left + c - 1) + from.at(top + r, left + c + 1) +
                                  from.at(top + r - 1, left + c) + from.at(top + r + 1, left + c)) / 8;
                }
        }
    }

private:
    std::vector<Tile> tiles_;
};

int main()
{
    Tiled picture(16), blurred(0);
    picture.draw(5);
    for (int round = 0; round < 4; round++) {
        blurred.blur(picture);
        picture.blur(blurred);
    }
    std::printf("%.5f %.5f\n", picture.at(1000, 255), picture.at(3, 2040));
}
