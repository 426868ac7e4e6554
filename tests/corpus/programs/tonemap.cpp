// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, fifteenth
// truth: main renders into one mapping and clears another with memset; each thread a band of rows; the output mapping is right
// fix: parts
// HDR frame post-processing: separable bloom into a scratch frame, then tone
// mapping to 8 bits.  Frames are anonymous mappings, threads own bands of rows.
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <vector>

template <class Pixel>
class Frame {
 public:
  Frame(int w, int h) : w_(w), h_(h), bytes_(sizeof(Pixel) * w * h) {
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) std::abort();
    px_ = static_cast<Pixel*>(p);
  }
  ~Frame() { munmap(px_, bytes_); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  Pixel* row(int y) { return px_ + static_cast<std::size_t>(y) * w_; }
  int width() const { return w_; }
  int height() const { return h_; }
  void clear() { std::memset(static_cast<void*>(px_), 0, bytes_); }

 private:
  int w_, h_;
  std::size_t bytes_;
  Pixel* px_;
};

struct Rgba {
  float r, g, b, a;
};
struct Rgb8 {
  std::uint8_t r, g, b, a;
};

class Barrier {
 public:
  explicit Barrier(int n) : n_(n), left_(n) {}
  void wait() {
    std::unique_lock<std::mutex> lock(m_);
    const unsigned turn = turn_;
    if (--left_ == 0) {
      left_ = n_;
      ++turn_;
      cv_.notify_all();
    } else {
      cv_.wait(lock, [&] { return turn != turn_; });
    }
  }

 private:
  std::mutex m_;
  std::condition_variable cv_;
  int n_, left_;
  unsigned turn_ = 0;
};

static void render_scene(Frame<Rgba>& f) {
  for (int y = 0; y < f.height(); ++y) {
    Rgba* p = f.row(y);
    for (int x = 0; x < f.width(); ++x) {
      const unsigned h = (x * 73856093u) ^ (y * 19349663u);
      const float sun = (x - 500) * (x - 500) + (y - 300) * (y - 300) < 6400 ? 20.f : 0.f;
      p[x] = Rgba{sun + (h & 255) / 255.f, sun + y / 900.f, x / 1400.f, 1.f};
    }
  }
}

static inline void mix(Rgba& s, const Rgba& v, float k) {
  s.r += k * v.r, s.g += k * v.g, s.b += k * v.b, s.a += k * v.a;
}

static void blur_rows(Frame<Rgba>& src, Frame<Rgba>& dst, int y0, int y1) {
  const int w = src.width();
  for (int y = y0; y < y1; ++y) {
    const Rgba* s = src.row(y);
    Rgba* d = dst.row(y);
    d[0] = s[0], d[w - 1] = s[w - 1];
    for (int x = 1; x < w - 1; ++x) {
      Rgba v{0, 0, 0, 0};
      mix(v, s[x - 1], .25f), mix(v, s[x], .5f), mix(v, s[x + 1], .25f);
      d[x] = v;
    }
  }
}

static void blur_cols(Frame<Rgba>& src, Frame<Rgba>& dst, int y0, int y1) {
  for (int y = y0; y < y1; ++y) {
    const Rgba* up = src.row(y > 0 ? y - 1 : y);
    const Rgba* at = src.row(y);
    const Rgba* dn = src.row(y + 1 < src.height() ? y + 1 : y);
    Rgba* d = dst.row(y);
    for (int x = 0; x < src.width(); ++x) {
      Rgba v{0, 0, 0, 0};
      mix(v, up[x], .25f), mix(v, at[x], .5f), mix(v, dn[x], .25f);
      d[x] = v;
    }
  }
}

static std::uint64_t tone(Frame<Rgba>& hdr, Frame<Rgb8>& out, int y0, int y1, float gain) {
  std::uint64_t sum = 0;
  for (int y = y0; y < y1; ++y) {
    const Rgba* s = hdr.row(y);
    Rgb8* o = out.row(y);
    for (int x = 0; x < hdr.width(); ++x) {
      const auto map = [gain](float v) {
        return static_cast<std::uint8_t>(255.f * (v * gain) / (1.f + v * gain));
      };
      o[x] = Rgb8{map(s[x].r), map(s[x].g), map(s[x].b), 255};
      sum += o[x].r + 2u * o[x].g + 3u * o[x].b;
    }
  }
  return sum;
}

int main(int argc, char** argv) {
  const char* env = std::getenv("OMP_NUM_THREADS");
  int nt = argc > 1 ? std::atoi(argv[1]) : env ? std::atoi(env) : 8;
  if (nt < 1) nt = 8;
  Frame<Rgba> hdr(1400, 900), scratch(1400, 900);
  Frame<Rgb8> ldr(1400, 900);
  render_scene(hdr);
  scratch.clear();

  Barrier sync(nt);
  std::vector<std::uint64_t> sums(nt, 0);
  std::vector<std::thread> team;
  for (int t = 0; t < nt; ++t)
    team.emplace_back([&, t] {
      const int y0 = hdr.height() * t / nt, y1 = hdr.height() * (t + 1) / nt;
      std::uint64_t mine = 0;
      for (int pass = 0; pass < 11; ++pass) {
        blur_rows(hdr, scratch, y0, y1);
        sync.wait();
        blur_cols(scratch, hdr, y0, y1);
        sync.wait();
        mine += tone(hdr, ldr, y0, y1, 0.5f + 0.25f * pass);
      }
      sums[t] = mine;
    });
  for (auto& th : team) th.join();
  std::uint64_t all = 0;
  for (auto s : sums) all += s;
  std::printf("checksum %llu\n", static_cast<unsigned long long>(all));
  return 0;
}
