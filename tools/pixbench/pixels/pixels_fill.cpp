#include "pixels/pixels_fill.h"

#include "object/object.h"

#include <cstring>

std::string fill_problem(const Object &object) {
    if (object.pixel_bytes == 4 || object.pixel_bytes == 8 || object.pixel_bytes == 16)
        return "";
    return std::string("--format: shaders fill pixels of 4, 8 or 16 bytes, ") + pixMPI_Format_name(object.format) +
           " has " + std::to_string(object.pixel_bytes);
}

namespace {

class MemoryFill final : public Fill {
  public:
    MemoryFill(const Object &object, std::byte *memory, int steps) : object_(object), memory_(memory), steps_(steps) {}

    void run(pixMPI_Rect rect, std::uint32_t seed) override {
        const auto words = static_cast<std::uint32_t>(object_.pixel_bytes) / 4;
        for (int y = rect.y; y < rect.y + rect.height; ++y) {
            std::byte *at = memory_ + object_.row_bytes() * static_cast<std::size_t>(y) +
                            static_cast<std::size_t>(rect.x) * static_cast<std::size_t>(object_.pixel_bytes);
            for (int x = rect.x; x < rect.x + rect.width; ++x) {
                const std::uint32_t number = fill_number(x, y, seed, steps_);
                for (std::uint32_t k = 0; k < words; ++k, at += 4) {
                    const std::uint32_t word = fill_word(number, k);
                    std::memcpy(at, &word, 4);
                }
            }
        }
    }
    void await() override {}

  private:
    const Object &object_;
    std::byte *const memory_;
    const int steps_;
};

} // namespace

std::unique_ptr<Fill> make_memory_fill(const Object &object, std::byte *memory, int steps, std::string &problem) {
    problem = fill_problem(object);
    return std::make_unique<MemoryFill>(object, memory, steps);
}
