#include "device_kernel.h"
#include "galaxies.h"
#include "movers.h"

#include "steps_comp.spv.h"

#include <algorithm>
#include <cstring>
#include <vector>

using demo::check;

namespace {

/// As steps.comp has it.
struct Push {
    Share share;
    int bodies;
    float time, softening;
    std::uint32_t steps, half_now, before, alone;
};

int groups_for(const Cluster &cluster, int wanted) {
    constexpr int bodies_of_a_group = 8;
    const int useful = (cluster.share.count + bodies_of_a_group - 1) / bodies_of_a_group;
    return std::min(wanted ? wanted : demo::DeviceLimits(cluster.gpu).groups, useful);
}

class DeviceMover final : public Mover {
  public:
    DeviceMover(Cluster &cluster, int groups)
        : all_(cluster), groups_(groups_for(cluster, groups)), window_(cluster.gpu, 2 * cluster.positions[0].bytes()),
          arrived_(cluster.gpu, sizeof(std::uint32_t)),
          endpoint_(
              cluster.gpu,
              {.slots = 1, .most_groups = groups_, .signals = 2, .most_turns = demo::DeviceLimits(cluster.gpu).turns},
              {window_.surface()}, cluster.comm),
          kernel_(cluster.gpu, endpoint_, steps_comp,
                  {window_.surface().buffer, cluster.velocities.buffer(), arrived_.buffer()}, sizeof(Push)) {
        constexpr std::uint32_t none = 0;
        std::vector<Vec4> positions(static_cast<std::size_t>(all_.bodies));
        all_.positions[all_.now].read(positions.data());
        for (int half : {0, 1})
            std::memcpy(window_.data<Vec4>() + half * all_.bodies, positions.data(), all_.positions[0].bytes());
        arrived_.write(&none);
        time_alone();
    }
    void move(int steps, float time) override {
        run(steps, time, false);
        all_.now = 0;
        all_.gpu.run([&](VkCommandBuffer commands) {
            const VkBufferCopy half{half_now_ * all_.positions[0].bytes(), 0, all_.positions[0].bytes()};
            vkCmdCopyBuffer(commands, window_.surface().buffer, all_.positions[0].buffer(), 1, &half);
        });
        computing += steps * alone_;
    }

  private:
    void run(int steps, float time, bool alone) {
        const auto count = static_cast<std::uint32_t>(steps);
        kernel_.run(Push{all_.share, all_.bodies, time, Galaxies::softening, count, half_now_, before_[alone], alone},
                    groups_);
        before_[alone] += count;
        half_now_ = (half_now_ + count) % 2;
    }
    /// Steps of which each is as if it took no time, so that nothing moves, and without messages.
    void time_alone() {
        constexpr int steps = 8;
        run(2, 0, true); // compiles the shader
        const double start = demo::now();
        run(steps, 0, true);
        alone_ = (demo::now() - start) / steps;
    }

    Cluster &all_;
    const int groups_;
    demo::Window window_; ///< positions of all bodies, before and after a step in turn
    demo::Buffer arrived_;
    demo::Endpoint endpoint_;
    demo::DeviceKernel kernel_;
    std::uint32_t before_[2] = {}, half_now_ = 0; ///< steps with messages, steps without
    double alone_ = 0;                            ///< seconds of one without
};

} // namespace

std::unique_ptr<Mover> make_device_mover(Cluster &cluster, int groups) {
    return std::make_unique<DeviceMover>(cluster, groups);
}
