// truth: the matrix of embeddings is loaded by main alone; afterwards every std::thread takes queries from a counter and scans the complete matrix for each of them
// fix: spread
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

template <std::size_t Dim>
class EmbeddingStore {
public:
    explicit EmbeddingStore(std::size_t rows) : data_(rows * Dim), bias_(rows) {}

    std::size_t rows() const { return bias_.size(); }
    const float *row(std::size_t i) const { return data_.data() + i * Dim; }
    float bias(std::size_t i) const { return bias_[i]; }

    void load(std::uint32_t seed)
    {
        for (std::size_t i = 0; i < rows(); i++) {
            float *r = data_.data() + i * Dim;
            for (std::size_t d = 0; d < Dim; d++) {
                seed = seed * 1664525u + 1013904223u;
                r[d] = static_cast<float>(static_cast<std::int32_t>(seed) >> 16) / 32768.0f;
            }
            bias_[i] = 0.001f * static_cast<float>(i % 17);
        }
    }

private:
    std::vector<float> data_;
    std::vector<float> bias_;
};

struct Hit {
    float score;
    std::uint32_t id;
    bool operator<(const Hit &o) const { return score != o.score ? score > o.score : id < o.id; }
};

class TopK {
public:
    explicit TopK(std::size_t k) : k_(k) { best_.reserve(k + 1); }

    void offer(Hit h)
    {
        if (best_.size() == k_ && !(h < best_.back()))
            return;
        best_.insert(std::upper_bound(best_.begin(), best_.end(), h), h);
        if (best_.size() > k_)
            best_.pop_back();
    }
    std::vector<Hit> take() { return std::move(best_); }

private:
    std::size_t k_;
    std::vector<Hit> best_;
};

template <std::size_t Dim>
struct Query {
    float v[Dim];
    std::vector<Hit> hits;
};

template <std::size_t Dim>
static float dot(const float *a, const float *b)
{
    float s = 0;
    for (std::size_t d = 0; d < Dim; d++)
        s += a[d] * b[d];
    return s;
}

template <std::size_t Dim>
class SearchServer {
public:
    SearchServer(const EmbeddingStore<Dim> &store, std::vector<Query<Dim>> &queries) : store_(store), queries_(queries) {}

    void serve(unsigned workers)
    {
        std::vector<std::thread> pool;
        for (unsigned w = 0; w < workers; w++)
            pool.emplace_back(&SearchServer::work, this);
        for (auto &t : pool)
            t.join();
    }

private:
    void work()
    {
        for (std::size_t q; (q = next_.fetch_add(1)) < queries_.size();) {
            TopK top(8);
            for (std::size_t i = 0; i < store_.rows(); i++)
                top.offer({dot<Dim>(queries_[q].v, store_.row(i)) + store_.bias(i), static_cast<std::uint32_t>(i)});
            queries_[q].hits = top.take();
        }
    }

    const EmbeddingStore<Dim> &store_;
    std::vector<Query<Dim>> &queries_;
    std::atomic<std::size_t> next_{0};
};

int main()
{
    constexpr std::size_t dim = 64;
    auto store = std::make_unique<EmbeddingStore<dim>>(24576);
    store->load(2024);

    std::vector<Query<dim>> queries(48);
    for (std::size_t q = 0; q < queries.size(); q++)
        for (std::size_t d = 0; d < dim; d++)
            queries[q].v[d] = store->row(q * 500)[d] + 0.25f * store->row(q * 500 + 1)[d];

    SearchServer<dim> server(*store, queries);
    server.serve(8);

    unsigned long long ids = 0;
    double scores = 0;
    for (const auto &q : queries)
        for (std::size_t k = 0; k < q.hits.size(); k++) {
            ids += (k + 1) * q.hits[k].id;
            scores += q.hits[k].score;
        }
    std::printf("ids %llu scores %.6f\n", ids, scores);
}
