// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: vectors with an aligned allocator in a solver's abstract class, filled by iota, copy and their constructor; OpenMP divides
// fix: parts
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

template <typename T, std::size_t Align = 64> struct aligned_allocator {
    using value_type = T;
    template <typename U> struct rebind {
        using other = aligned_allocator<U, Align>;
    };
    aligned_allocator() = default;
    template <typename U> aligned_allocator(const aligned_allocator<U, Align> &) {}
    T *allocate(std::size_t n)
    {
        void *p = nullptr;
        if (posix_memalign(&p, Align, n * sizeof(T)))
            throw std::bad_alloc();
        return static_cast<T *>(p);
    }
    void deallocate(T *p, std::size_t) { std::free(p); }
    bool operator==(const aligned_allocator &) const { return true; }
    bool operator!=(const aligned_allocator &) const { return false; }
};

template <typename T> using avector = std::vector<T, aligned_allocator<T>>;

template <class T> class Stream {
public:
    virtual ~Stream() {}
    virtual void init() = 0;
    virtual void triad(T scalar) = 0;
    virtual T dot() = 0;
};

template <class T> class OMPStream : public Stream<T> {
public:
    explicit OMPStream(int size) : array_size(size), a(size), b(size), c(size) {}
    void init() override
    {
        std::iota(b.begin(), b.end(), T(1));
        std::copy(b.begin(), b.end(), c.begin());
    }
    void triad(T scalar) override
    {
#pragma omp parallel for
        for (int i = 0; i < array_size; i++)
            a[i] = b[i] + scalar * c[i];
    }
    T dot() override
    {
        T sum{};
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < array_size; i++)
            sum += a[i] * b[i];
        return sum;
    }

private:
    int array_size;
    avector<T> a, b, c;
};

int main()
{
    std::unique_ptr<Stream<double>> stream = std::make_unique<OMPStream<double>>(270000);
    stream->init();
    double sum = 0;
    for (int k = 0; k < 10; k++) {
        stream->triad(0.4);
        sum += stream->dot();
    }
    std::printf("%.6e\n", sum);
}
