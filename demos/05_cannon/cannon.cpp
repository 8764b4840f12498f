// Cannon's matrix product. A square grid of ranks, and each has a block of A, of B and of the product. They multiply
// what they have, shift A's blocks to the left and B's blocks upwards, and do so again, until every block has met all
// its partners. A shift is one vkMPI_Sendrecv_replace: the block that comes takes the place of the one that goes,
// without a second buffer, and behind the multiplication that was submitted before, without waiting for it.
#include "matrices.h"
#include "vk_world.h"

#include "heat_comp.spv.h"
#include "product_comp.spv.h"

#include <algorithm>

using demo::check;

namespace {

enum Tag { shift, result };

/// The largest square of ranks; MPI_COMM_NULL on those that are left over.
struct Grid {
    explicit Grid(int ranks) {
        while ((side + 1) * (side + 1) <= ranks)
            ++side;
        const int sides[2] = {side, side}, round[2] = {1, 1};
        MPI_Cart_create(MPI_COMM_WORLD, 2, sides, round, 0, &comm);
        if (comm == MPI_COMM_NULL)
            return;
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        at[0] = rank / side;
        at[1] = rank % side;
        check(pixMPI_Comm_attach(comm, nullptr));
    }
    ~Grid() {
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    }
    Grid(const Grid &) = delete;
    Grid &operator=(const Grid &) = delete;

    int side = 1;
    MPI_Comm comm = MPI_COMM_NULL;
    int at[2] = {}; ///< row and column
};

class Cannon {
  public:
    Cannon(const demo::Gpu &gpu, const Grid &grid, const Shape &whole)
        : grid_(grid), whole_(whole), block_{part(whole.rows), part(whole.columns), part(whole.inner)},
          first_a_(gpu, bytes(block_.rows, block_.inner)), first_b_(gpu, bytes(block_.inner, block_.columns)),
          a_(gpu, first_a_.bytes()), b_(gpu, first_b_.bytes()), c_(gpu, bytes(block_.rows, block_.columns)),
          kernel_(gpu, product_comp, {.buffers = 3, .push_bytes = 16}), bound_(kernel_.bind({}, {&a_, &b_, &c_})),
          commands_(gpu) {
        fill(first_a_, block_.rows, block_.inner, whole.rows, whole.inner, element_of_a);
        fill(first_b_, block_.inner, block_.columns, whole.inner, whole.columns, element_of_b);
        multiply(false); // compiles, before the clock runs
        commands_.wait();
    }

    void run() {
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

    /// The product, for rank 0, without what the blocks have been rounded up by.
    void collect(const demo::Buffer *product) const {
        std::vector<pixMPI_Request> requests;
        const pixMPI_Rect mine = place(grid_.at[0], grid_.at[1]);
        pixMPI_Region region = PIXMPI_REGION_NULL;
        check(pixMPI_Region_rect(0, 0, mine.width, mine.height, &region));
        check(pixMPI_Region_commit(&region));
        check(vkMPI_Isend(c_.surface(PIXMPI_R32F, block_.columns, block_.rows), region, 0, result, grid_.comm,
                          &requests.emplace_back(), nullptr));
        check(pixMPI_Region_free(&region));
        for (int rank = 0; product && rank < grid_.side * grid_.side; ++rank) {
            const pixMPI_Rect r = place(rank / grid_.side, rank % grid_.side);
            check(pixMPI_Region_rect(r.x, r.y, r.width, r.height, &region));
            check(pixMPI_Region_commit(&region));
            check(vkMPI_Irecv(product->surface(PIXMPI_R32F, whole_.columns, whole_.rows), region, rank, result,
                              grid_.comm, &requests.emplace_back(), nullptr));
            check(pixMPI_Region_free(&region));
        }
        check(vkMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    }

    double computing = 0; ///< seconds

  private:
    /// A block's size: all are alike, and multiples of 4, rounded up with zeros.
    int part(int size) const { return (size + 4 * grid_.side - 1) / (4 * grid_.side) * 4; }
    static std::size_t bytes(int rows, int columns) { return sizeof(float) * std::size_t(rows) * columns; }

    void fill(const demo::Buffer &buffer, int rows, int columns, int all_rows, int all_columns,
              float (*element)(const Shape &, int, int)) const {
        std::vector<float> block(std::size_t(rows) * columns);
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x) {
                const int row = grid_.at[0] * rows + y, column = grid_.at[1] * columns + x;
                if (row < all_rows && column < all_columns)
                    block[std::size_t(y) * columns + x] = element(whole_, row, column);
            }
        buffer.write(block.data());
    }

    /// Where a block of the product lies in the whole; beyond its edge there may be nothing of it.
    pixMPI_Rect place(int row, int column) const {
        const int x = std::min(column * block_.columns, whole_.columns), y = std::min(row * block_.rows, whole_.rows);
        return {x, y, std::min(block_.columns, whole_.columns - x), std::min(block_.rows, whole_.rows - y)};
    }

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
        if (distance % grid_.side == 0)
            return;
        int source = 0, dest = 0;
        MPI_Cart_shift(grid_.comm, direction, -distance, &source, &dest);
        check(vkMPI_Sendrecv_replace(block, PIXMPI_WHOLE, dest, shift, source, shift, grid_.comm, MPI_STATUS_IGNORE,
                                     nullptr));
    }

    const Grid &grid_;
    const Shape whole_, block_;
    demo::Buffer first_a_, first_b_, a_, b_, c_;
    demo::Kernel kernel_;
    VkDescriptorSet bound_;
    demo::Commands commands_;
};

/// What rank 0 has besides: the whole product, and a picture of it.
struct Whole {
    Whole(const demo::Gpu &gpu, const Shape &shape)
        : product(gpu, sizeof(float) * std::size_t(shape.rows) * shape.columns),
          picture(gpu, shape.columns, shape.rows), heat(gpu, heat_comp, {.images = 1, .buffers = 1, .push_bytes = 4}) {}

    demo::Buffer product;
    demo::Image picture;
    demo::Kernel heat;
    VkDescriptorSet bound = heat.bind({&picture}, {&product});
};

void report(const demo::World &world, const Grid &grid, const Shape &shape, const Cannon *mine, double seconds) {
    const double computing = mine ? mine->computing : 0.0;
    double all = 0;
    MPI_Reduce(&computing, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    const int used = grid.side * grid.side;
    const double operations = 2.0 * shape.rows * shape.columns * shape.inner * world.frame();
    world.say("%dx%d times %dx%d on %dx%d ranks, %d idle: %.2f ms a product, %.2f Gflop/s, efficiency %.0f%%",
              shape.rows, shape.inner, shape.inner, shape.columns, grid.side, grid.side, world.ranks - used,
              1e3 * seconds / std::max(world.frame(), 1), 1e-9 * operations / seconds, 100 * all / (used * seconds));
}

void cannon(demo::VkWorld &world) {
    const int width = world.options.width, height = world.options.height;
    const Shape shape{height, width, std::max(width, height)};
    const Grid grid(world.ranks);
    std::optional<Cannon> part;
    if (grid.comm != MPI_COMM_NULL)
        part.emplace(world.gpu(), grid, shape);
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
    report(world, grid, shape, part ? &*part : nullptr, seconds);
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
    return demo::run(argc, argv,
                     {.name = "cannon",
                      .text = "A matrix product by Cannon's algorithm, on the largest square of ranks",
                      .defaults = {.width = 1024, .height = 1024, .frames = 10, .output = "cannon.png"},
                      .check = "compares the product with that of the CPU"},
                     cannon);
}
