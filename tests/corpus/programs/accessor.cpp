// SPDX-License-Identifier: Apache-2.0
// truth: a class resizes its vector; the loop reads it by an accessor
// fix: parts
#include <cstdio>
#include <vector>
class Field {
public:
    explicit Field(std::size_t n) { m_x.resize(n); }
    double at(std::size_t i) const { return m_x[i]; }
    void set(std::size_t i, double value) { m_x[i] = value; }
    std::size_t size() const { return m_x.size(); }

private:
    std::vector<double> m_x;
};

int main()
{
    Field field(1 << 19);
    for (std::size_t i = 0; i < field.size(); i++)
        field.set(i, i);
    double sum = 0;
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < field.size(); i++)
            sum += field.at(i);
    }
    std::printf("%.1f\n", sum);
}
