#include "device_kernel.h"
#include "galaxies.h"
#include "movers.h"

#include "steps_comp.spv.h"

#include <algorithm>

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
              {.slots = 1, .max_groups = groups_, .signals = 4, .max_turns = demo::DeviceLimits(cluster.gpu).turns},
              {window_.surface()}, cluster.comm),
          kernel_(cluster.gpu, endpoint_, steps_comp,
                  {window_.surface().buffer, cluster.velocities.buffer(), arrived_.buffer()}, sizeof(Push)) {
        constexpr std::uint32_t none = 0;
        all_.gpu.run([&](VkCommandBuffer commands) {
            for (const std::size_t half : {0, 1})
                copy_half(commands, all_.positions[all_.now].buffer(), 0, window_.surface().buffer, half);
        });
        arrived_.write(&none);
        time_alone();
    }
    void move(int steps, float time) override {
        run(steps, time, false);
        all_.now = 0;
        all_.gpu.run([&](VkCommandBuffer commands) {
            copy_half(commands, window_.surface().buffer, half_now_, all_.positions[0].buffer(), 0);
        });
        computing += steps * alone_;
    }

  private:
    void copy_half(VkCommandBuffer commands, VkBuffer from, std::size_t half, VkBuffer to, std::size_t to_half) const {
        const std::size_t bytes = all_.positions[0].bytes();
        const VkBufferCopy copy{half * bytes, to_half * bytes, bytes};
        vkCmdCopyBuffer(commands, from, to, 1, &copy);
    }
    void run(int steps, float time, bool alone) {
        const auto count = static_cast<std::uint32_t>(steps);
        kernel_.run(Push{all_.share, all_.bodies, time, Galaxies::softening, count, half_now_, before_[alone], alone},
                    groups_);
        before_[alone] += count;
        half_now_ = (half_now_ + count) % 2;
    }
    /// Steps as if each took no time, so that nothing moves, and without messages.
    void time_alone() {
        constexpr int steps = 8;
        run(2, 0, true); // compiles the shader
        const double start = demo::now();
        run(steps, 0, true);
        alone_ = (demo::now() - start) / steps;
    }

    Cluster &all_;
    const int groups_;
    demo::MessageWindow window_; ///< positions of all bodies, before and after a step alternately
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
