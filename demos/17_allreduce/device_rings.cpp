#include "device_kernel.h"
#include "ways.h"

#include "ring_comp.spv.h"

namespace {

class DeviceRings final : public Way {
  public:
    DeviceRings(const demo::VkWorld &world, const Rings &given)
        : Way(given), bytes_(sizeof(float) * rings.words), sums_(world.gpu(), bytes_), landed_(world.gpu(), bytes_),
          endpoint_(world.gpu(),
                    {.slots = static_cast<int>(rings.rings), .max_groups = static_cast<int>(rings.rings), .signals = 1},
                    {sums_.surface(), landed_.surface()}),
          kernel_(world.gpu(), endpoint_, ring_comp, {sums_.surface().buffer, landed_.surface().buffer}, sizeof(Push)) {
    }
    void write(const std::vector<float> &words) override { sums_.write(0, words.data(), bytes_); }
    void run() override {
        kernel_.run(Push{rings, before_}, static_cast<int>(rings.rings));
        before_ += (rings.turns() - 1) * rings.chunks;
    }
    std::vector<float> sums() const override {
        std::vector<float> words(rings.words);
        sums_.read(0, words.data(), bytes_);
        return words;
    }

  private:
    struct Push {
        Rings rings;
        std::uint32_t before;
    };
    const std::size_t bytes_;
    demo::MessageWindow sums_, landed_;
    demo::Endpoint endpoint_;
    demo::DeviceKernel kernel_;
    std::uint32_t before_ = 0;
};

} // namespace

std::unique_ptr<Way> make_device_rings(const demo::VkWorld &world, const Rings &rings) {
    return std::make_unique<DeviceRings>(world, rings);
}
