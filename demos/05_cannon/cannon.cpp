// Cannon's matrix product. A square grid of ranks, and each has a block of A, of B and of the product. They multiply
// what they have, shift A's blocks to the left and B's blocks upwards, and do so again, until every block has met all
// its partners. With --driven host each multiplication is a dispatch, and each shift a message between two of them.
// With
// --driven device one run of a shader makes the whole product, and its workgroups shift the blocks themselves.
#include "product.h"

#include "heat_comp.spv.h"

#include <algorithm>
#include <pixmpi.h>

namespace {

int groups = 0;
std::string driven = "host";

/// What rank 0 has in addition: the whole product, and a picture of it.
struct Whole {
    Whole(const demo::Gpu &gpu, const Shape &shape)
        : product(gpu, sizeof(float) * std::size_t(shape.rows) * shape.columns),
          picture(gpu, shape.columns, shape.rows), heat(gpu, heat_comp, {.images = 1, .buffers = 1, .push_bytes = 4}) {}

    demo::Buffer product;
    demo::Image picture;
    demo::Kernel heat;
    VkDescriptorSet bound = heat.bind({&picture}, {&product});
};

void report(const demo::World &world, const Grid &grid, const Shape &shape, const Product *mine, double seconds) {
    const double computing = mine ? mine->computing : 0.0;
    double all = 0;
    MPI_Reduce(&computing, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    const int used = grid.side * grid.side;
    const double operations = 2.0 * shape.rows * shape.columns * shape.inner * world.frame();
    world.say("%dx%d times %dx%d on %dx%d ranks, %d idle, driven by the %s: %.2f ms a product, %.2f Gflop/s, "
              "efficiency %.0f%%",
              shape.rows, shape.inner, shape.inner, shape.columns, grid.side, grid.side, world.ranks - used,
              driven.c_str(), 1e3 * seconds / std::max(world.frame(), 1), 1e-9 * operations / seconds,
              100 * std::min(all / (used * seconds), 1.0));
}

void cannon(demo::VkWorld &world) {
    if (driven != "host" && driven != "device")
        throw demo::UsageError("--driven " + driven + ": expected host or device");
    const int width = world.options.width, height = world.options.height;
    const Shape shape{height, width, std::max(width, height)};
    const Grid grid(world.ranks);
    std::unique_ptr<Product> part;
    if (grid.comm != MPI_COMM_NULL)
        part = driven == "device" ? make_device_product(world.gpu(), grid, shape, groups)
                                  : make_host_product(world.gpu(), grid, shape);
    std::optional<Whole> whole;
    if (world.rank == 0)
        whole.emplace(world.gpu(), shape);

    double seconds = 0;
    while (world.next_frame()) {
        demo::meet();
        const double start = demo::now();
        if (part)
            part->run();
        demo::meet();
        seconds += demo::now() - start;
        if (part)
            part->collect(whole ? &whole->product : nullptr);
        if (whole) {
            const float scale = 1.6f / largest_element(shape);
            world.gpu().run([&](VkCommandBuffer commands) {
                whole->heat.run(commands, whole->bound, scale, shape.columns, shape.rows);
            });
            world.show(whole->picture);
        }
    }
    report(world, grid, shape, part.get(), seconds);
    if (whole && world.options.check && world.frame() > 0) {
        std::vector<float> elements(std::size_t(shape.rows) * shape.columns);
        whole->product.read(elements.data());
        const std::string different = differences(shape, elements);
        if (!different.empty())
            throw demo::Error("--check: not the product that the CPU finds: " + different);
        world.say("the same product as by the CPU");
    }
    if (whole && !world.options.output.empty())
        demo::save_png(whole->picture.picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(
        argc, argv,
        {.name = "cannon",
         .text = "A matrix product by Cannon's algorithm, on the largest square of ranks",
         .defaults = {.width = 1024, .height = 1024, .frames = 10, .output = "cannon.png"},
         .check = "compares the product with that of the CPU",
         .numbers = {{"--groups", "workgroups of a rank where the device drives; 0: as suits it", &groups, 0, 1 << 16}},
         .texts = {{"--driven", "who shifts blocks: host or device", &driven}}},
        cannon);
}
