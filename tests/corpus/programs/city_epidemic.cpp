// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: main constructs 64 cities; the constructor of each takes its people from calloc (20000 of 16 bytes, 312 KiB; 19 MiB in all) and sets them; worker w steps the cities w, w + 8, w + 16 and so on, between std::barriers, in all days, while a small matrix of travel is read by all
// fix: parts
// std: c++20
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

struct Person {
    float immunity, contacts;
    std::uint32_t home;
    std::uint8_t state, days, age, masked;
};

class City {
public:
    City(int index, int people) : people_(people), seed_(index * 2654435761u + 1)
    {
        folk_ = static_cast<Person *>(std::calloc(people, sizeof(Person)));
        if (!folk_)
            throw std::bad_alloc();
        for (int i = 0; i < people_; i++) {
            folk_[i].immunity = float(random() % 100) / 400;
            folk_[i].contacts = 1 + float(random() % 12);
            folk_[i].home = random() % 5000;
            folk_[i].age = random() % 95;
            folk_[i].state = random() % 300 == 0;
        }
    }
    City(const City &) = delete;
    ~City() { std::free(folk_); }

    void day(float pressure)
    {
        int ill = 0;
        float risk = pressure * (0.01f + float(ill_) / float(people_));
        for (Person *p = folk_; p != folk_ + people_; ++p) {
            if (p->state == 0 && risk * p->contacts * (1 - p->immunity) > float(random() & 0xffff) / 65536) {
                p->state = 1;
                p->days = 0;
            } else if (p->state == 1 && ++p->days > 9) {
                p->state = 2;
                p->immunity = 0.9f;
            } else if (p->state == 2 && (p->immunity -= 0.01f) < 0.4f) {
                p->state = 0;
            }
            ill += p->state == 1;
        }
        ill_ = ill;
    }
    int ill() const { return ill_; }

private:
    std::uint32_t random()
    {
        seed_ ^= seed_ << 13, seed_ ^= seed_ >> 17;
        return seed_ ^= seed_ << 5;
    }
    int people_, ill_ = 0;
    std::uint32_t seed_;
    Person *folk_;
};

int main()
{
    constexpr int kCities = 64, kWorkers = 8, kDays = 20;
    std::list<City> country;
    std::vector<City *> cities;
    for (int c = 0; c < kCities; c++)
        cities.push_back(&country.emplace_back(c, 20000));
    std::vector<float> travel(kCities * kCities), ill(kCities);
    std::iota(travel.begin(), travel.end(), 1.0f);
    std::barrier night(kWorkers, [&]() noexcept {
        for (int c = 0; c < kCities; c++)
            ill[c] = float(cities[c]->ill());
    });
    {
        std::vector<std::jthread> workers;
        for (int w = 0; w < kWorkers; w++)
            workers.emplace_back([&, w] {
                for (int day = 0; day < kDays; day++) {
                    for (int c = w; c < kCities; c += kWorkers) {
                        float pressure = 0.1f;
                        for (int other = 0; other < kCities; other++)
                            pressure += ill[other] * travel[c * kCities + other] / 4e8f;
                        cities[c]->day(pressure);
                    }
                    night.arrive_and_wait();
                }
            });
    }
    std::printf("%ld\n", std::accumulate(ill.begin(), ill.end(), 0L));
}
