// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: main reads a text file into a vector by ifstream; std::threads count the lines of their parts, then parse them
// fix: parts
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>
#include <unistd.h>

static std::string write_input()
{
    char name[] = "/tmp/parse_text.XXXXXX";
    int file = mkstemp(name);
    FILE *out = fdopen(file, "w");
    for (int i = 0; i < 600000; i++)
        std::fprintf(out, "%d,%d\n", i, i * 7 % 1000);
    std::fclose(out);
    return name;
}

static std::vector<char> load(const std::string &name)
{
    std::ifstream in(name, std::ios::binary | std::ios::ate);
    std::vector<char> text(static_cast<size_t>(in.tellg()));
    in.seekg(0);
    in.read(text.data(), text.size());
    return text;
}

static const char *line_start(const std::vector<char> &text, size_t at)
{
    while (at > 0 && at < text.size() && text[at - 1] != '\n')
        at++;
    return text.data() + at;
}

int main()
{
    std::string name = write_input();
    std::vector<char> text = load(name);
    unlink(name.c_str());
    const int threads = 8;
    std::vector<long> lines(threads * 8), sums(threads * 8);
    std::vector<std::thread> team;
    for (int t = 0; t < threads; t++)
        team.emplace_back([&, t] {
            const char *from = line_start(text, text.size() * t / threads);
            const char *to = line_start(text, text.size() * (t + 1) / threads);
            for (int round = 0; round < 5; round++) {
                for (const char *c = from; c < to; c++)
                    lines[t * 8] += *c == '\n';
                long sum = 0, field = 0;
                for (const char *c = from; c < to; c++)
                    if (*c >= '0' && *c <= '9') {
                        field = field * 10 + *c - '0';
                    } else {
                        sum += field;
                        field = 0;
                    }
                sums[t * 8] += sum;
            }
        });
    for (auto &one : team)
        one.join();
    long count = 0, sum = 0;
    for (int t = 0; t < threads; t++) {
        count += lines[t * 8];
        sum += sums[t * 8];
    }
    std::printf("%ld %ld\n", count, sum);
}
