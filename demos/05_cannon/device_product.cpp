#include "device_kernel.h"
#include "product.h"

#include "products_comp.spv.h"

#include <algorithm>

namespace {

/// As products.comp has it.
struct Push {
    Shape block;
    int side;
    std::uint32_t before, alone;
};

int groups_for(const demo::Gpu &gpu, const Shape &block, int wanted) {
    constexpr int edge = 32; // of a workgroup's tile
    const int useful = (block.rows + edge - 1) / edge * ((block.columns + edge - 1) / edge);
    const demo::DeviceLimits limits(gpu);
    return std::min(wanted ? wanted : limits.groups, useful);
}

class DeviceProduct final : public Product {
  public:
    DeviceProduct(const demo::Gpu &gpu, const Grid &grid, const Shape &whole, int groups)
        : Product(gpu, grid, whole), groups_(groups_for(gpu, block_, groups)),
          window_(gpu, 3 * (bytes_of_a() + bytes_of_b())), arrived_(gpu, 2 * sizeof(std::uint32_t)),
          endpoint_(gpu, {.slots = 1, .max_groups = groups_, .signals = 7, .max_turns = demo::DeviceLimits(gpu).turns},
                    {window_.surface()}, grid.comm),
          kernel_(gpu, endpoint_, products_comp, {window_.surface().buffer, c_.buffer(), arrived_.buffer()},
                  sizeof(Push)) {
        constexpr std::uint32_t none[2] = {};
        const demo::Buffer a(gpu, bytes_of_a()), b(gpu, bytes_of_b());
        a.write(block_of_a().data());
        b.write(block_of_b().data());
        gpu.run([&](VkCommandBuffer commands) {
            const VkBufferCopy copies[2] = {{0, 0, a.bytes()}, {0, 3 * a.bytes(), b.bytes()}};
            vkCmdCopyBuffer(commands, a.buffer(), window_.surface().buffer, 1, &copies[0]);
            vkCmdCopyBuffer(commands, b.buffer(), window_.surface().buffer, 1, &copies[1]);
        });
        arrived_.write(none);
        multiply(true); // compiles the shader
        const double start = demo::now();
        multiply(true);
        alone_ = demo::now() - start;
    }
    void run() override {
        multiply(false);
        ++products_;
        computing += alone_;
    }

  private:
    void multiply(bool alone) const { kernel_.run(Push{block_, grid_.side, products_, alone}, groups_); }

    const int groups_;
    demo::MessageWindow window_;
    demo::Buffer arrived_;
    demo::Endpoint endpoint_;
    demo::DeviceKernel kernel_;
    std::uint32_t products_ = 0;
    double alone_ = 0; ///< seconds of a product without messages
};

} // namespace

std::unique_ptr<Product> make_device_product(const demo::Gpu &gpu, const Grid &grid, const Shape &whole, int groups) {
    return std::make_unique<DeviceProduct>(gpu, grid, whole, groups);
}
