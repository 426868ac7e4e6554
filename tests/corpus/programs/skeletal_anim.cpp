// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, seventeenth
// truth: main makes the vector of 4000 rigs (16 MiB) as copies of a bind pose and then varies them; eight threads, each with its block of the rigs, pose them in all frames: threads 4 to 7 work on the other node's memory
// fix: parts
#include <cstdint>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

struct Quat {
    float x, y, z, w;
};
struct Vec3 {
    float x, y, z;
};

static Quat operator*(const Quat &a, const Quat &b)
{
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static Vec3 rotate(const Quat &q, const Vec3 &v)
{
    Vec3 t{2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
    return {v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
            v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

struct Bone {
    Quat turn;
    Vec3 offset;
    std::int32_t parent;
};
struct Joint {
    Quat turn;
    Vec3 place;
    float reach;
};

struct Rig {
    static constexpr int bones = 64;
    Bone local[bones];
    Joint world[bones];

    void pose(float swing)
    {
        const Quat bend{0.0f, swing, 0.0f, 1.0f - 0.5f * swing * swing};
        world[0].turn = local[0].turn * bend;
        world[0].place = local[0].offset;
        for (int b = 1; b < bones; b++) {
            const Bone &bone = local[b];
            const Joint &up = world[bone.parent];
            Vec3 arm = rotate(up.turn, bone.offset);
            Joint &joint = world[b];
            joint.turn = b % 8 ? up.turn * bone.turn : bone.turn;
            joint.place = {up.place.x + arm.x, up.place.y + arm.y, up.place.z + arm.z};
            joint.reach = 0.9f * joint.reach + 0.1f * (arm.x * arm.x + arm.y * arm.y);
        }
    }
};

static Rig bind_pose()
{
    Rig rig{};
    for (int b = 0; b < Rig::bones; b++) {
        rig.local[b] = {{0.0f, 0.0f, 0.1f, 0.995f}, {0.1f, 0.5f / (1 + b % 8), 0.02f}, b % 8 ? b - 1 : b / 2};
        rig.world[b] = {{0, 0, 0, 1}, {0, 0, 0}, 0.0f};
    }
    return rig;
}

class Stage {
public:
    explicit Stage(std::size_t actors) : rigs_(actors, bind_pose()) {}

    void vary(unsigned seed)
    {
        std::minstd_rand random(seed);
        for (Rig &rig : rigs_) {
            rig.local[0].offset = {float(random() % 1000), 0.0f, float(random() % 1000)};
            for (Bone &bone : rig.local)
                bone.offset.z += float(random() % 100) * 0.001f;
        }
    }

    void animate(unsigned part, unsigned parts, int frames)
    {
        std::size_t from = rigs_.size() * part / parts, to = rigs_.size() * (part + 1) / parts;
        for (int f = 0; f < frames; f++)
            for (std::size_t r = from; r < to; r++)
                rigs_[r].pose(0.01f * float((f * 7 + int(r)) % 40 - 20));
    }

    double height() const
    {
        double sum = 0;
        for (const Rig &rig : rigs_)
            for (const Joint &joint : rig.world)
                sum += joint.place.y + joint.reach;
        return sum / double(rigs_.size());
    }

private:
    std::vector<Rig> rigs_;
};

int main()
{
    constexpr unsigned workers = 8;
    Stage stage(4000);
    stage.vary(1977);
    std::vector<std::thread> crew;
    for (unsigned w = 0; w < workers; w++)
        crew.emplace_back([&stage, w] { stage.animate(w, workers, 70); });
    for (auto &thread : crew)
        thread.join();
    std::printf("%.3f\n", stage.height());
}
