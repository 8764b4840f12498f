#include "device_kernel.h"
#include "solvers.h"

#include "solver_comp.spv.h"

namespace {

class DeviceSolver final : public Solver {
  public:
    DeviceSolver(const demo::VkWorld &world, const Field &field, int slots)
        : field_(field), slots_(slots),
          window_(world.gpu(), sizeof(float) * (2 * field.band_cells() * static_cast<std::size_t>(slots) + 2)),
          endpoint_(world.gpu(), {.slots = slots, .max_groups = slots, .signals = 2}, {window_.surface()}),
          kernel_(world.gpu(), endpoint_, solver_comp, {window_.surface().buffer}, sizeof(Push)) {
        for (int slot = 0; slot < slots; ++slot) {
            const std::vector<float> cells = band_at_first(field, endpoint_.first + slot);
            window_.write(place_of(slot, 0), cells.data(), sizeof(float) * cells.size());
        }
    }
    float go_on(int steps, int every, float enough, int &done) override {
        const Push push{field_.width,
                        field_.height,
                        field_.rows(),
                        before_,
                        static_cast<std::uint32_t>(steps),
                        static_cast<std::uint32_t>(every),
                        enough,
                        0};
        kernel_.run(push, slots_);
        float end[2];
        window_.read(place_of(slots_, 0), end, sizeof end);
        done = static_cast<int>(end[1]);
        before_ += static_cast<std::uint32_t>(done);
        return end[0];
    }
    std::vector<float> band(int which) override {
        std::vector<float> cells(field_.band_cells());
        window_.read(place_of(which, before_), cells.data(), sizeof(float) * cells.size());
        return cells;
    }

  private:
    /// In the window, in bytes.
    std::size_t place_of(int slot, std::uint32_t turn) const {
        return sizeof(float) * (2 * static_cast<std::size_t>(slot) + turn % 2) * field_.band_cells();
    }
    const Field field_;
    const int slots_;
    demo::MessageWindow window_;
    demo::Endpoint endpoint_;
    demo::DeviceKernel kernel_;
    std::uint32_t before_ = 0;
};

} // namespace

std::unique_ptr<Solver> make_device_solver(const demo::VkWorld &world, const Field &field, int slots) {
    return std::make_unique<DeviceSolver>(world, field, slots);
}
