// A shift is one vkMPI_Sendrecv_replace: the block that comes takes the place of the one that goes, without a second
// buffer, and behind the multiplication that was submitted before, without waiting for it.
#include "product.h"

#include "product_comp.spv.h"

#include <pixmpi.h>

namespace {

class HostProduct final : public Product {
  public:
    HostProduct(const demo::Gpu &gpu, const Grid &grid, const Shape &whole)
        : Product(gpu, grid, whole), first_a_(gpu, bytes_of_a()), first_b_(gpu, bytes_of_b()), a_(gpu, bytes_of_a()),
          b_(gpu, bytes_of_b()), kernel_(gpu, product_comp, {.buffers = 3, .push_bytes = 16}),
          bound_(kernel_.bind({}, {&a_, &b_, &c_})), commands_(gpu) {
        first_a_.write(block_of_a().data());
        first_b_.write(block_of_b().data());
        multiply(false); // compiles, before the clock runs
        commands_.wait();
    }
    void run() override {
        const VkCommandBuffer copying = commands_.begin();
        for (const auto &[from, to] : {std::pair{&first_a_, &a_}, {&first_b_, &b_}}) {
            const VkBufferCopy all{0, 0, from->bytes()};
            vkCmdCopyBuffer(copying, from->buffer(), to->buffer(), 1, &all);
        }
        commands_.submit();
        shift_a(grid_.at[0]); // so that the blocks that are together belong together
        shift_b(grid_.at[1]);
        for (int step = 0; step < grid_.side; ++step) {
            multiply(step > 0);
            if (step + 1 < grid_.side) {
                shift_a(1);
                shift_b(1);
            }
            computing += commands_.seconds();
        }
    }

  private:
    void multiply(bool add) {
        const struct {
            Shape block;
            int add;
        } push{block_, add};
        kernel_.run(commands_.begin(), bound_, push, block_.columns / 4, block_.rows / 4);
        commands_.submit();
    }
    void shift_a(int left) const { replace(a_.surface(PIXMPI_R32F, block_.inner, block_.rows), 1, left); }
    void shift_b(int up) const { replace(b_.surface(PIXMPI_R32F, block_.columns, block_.inner), 0, up); }
    void replace(vkMPI_Surface block, int direction, int distance) const {
        constexpr int shift = 0; // tag
        if (distance % grid_.side == 0)
            return;
        int source = 0, dest = 0;
        MPI_Cart_shift(grid_.comm, direction, -distance, &source, &dest);
        vkMPI_Sendrecv_replace(block, PIXMPI_WHOLE, dest, shift, source, shift, grid_.comm, MPI_STATUS_IGNORE, nullptr);
    }

    demo::Buffer first_a_, first_b_, a_, b_;
    demo::Kernel kernel_;
    VkDescriptorSet bound_;
    demo::Commands commands_;
};

} // namespace

std::unique_ptr<Product> make_host_product(const demo::Gpu &gpu, const Grid &grid, const Shape &whole) {
    return std::make_unique<HostProduct>(gpu, grid, whole);
}
