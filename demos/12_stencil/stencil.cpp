// Waves in a volume, by finite differences of 25 points. Each rank has some of the planes, and four more at either side
// that its neighbours compute. A step computes the planes that the neighbours want first; they travel while the inside
// is computed. A plane is a row of a buffer's pixels, so four planes are a rectangle of four rows.
#include "exchanges.h"
#include "vk_world.h"
#include "wave_field.h"

#include "slice_comp.spv.h"
#include "stencil_comp.spv.h"

#include <algorithm>
#include <cmath>

namespace {

struct Choice {
    int cells = 96, steps = 4;
    demo::ExchangeOptions exchange;
};

class Volume {
  public:
    /// All ranks of the communicator make one.
    Volume(const demo::Gpu &gpu, int cells, MPI_Comm comm, bool naive)
        : gpu_(gpu), comm_(comm), cells_(cells), naive_(naive),
          mine_(cells, demo::rank_in(comm), demo::ranks_of(comm)), field_{{gpu, bytes()}, {gpu, bytes()}},
          kernel_(gpu, stencil_comp, {.buffers = 2, .push_bytes = 20}),
          bound_{kernel_.bind({}, {&field_[0], &field_[1]}), kernel_.bind({}, {&field_[1], &field_[0]})}, edges_(gpu),
          inside_(gpu), out_(gpu, radius * plane_bytes()) {
        std::vector<float> first(bytes() / sizeof(float));
        for (int z = 0; z < mine_.count; ++z)
            for (int y = 0; y < cells; ++y)
                for (int x = 0; x < cells; ++x)
                    first[(std::size_t(z + radius) * cells + y) * cells + x] =
                        field_at_first(cells, x, y, mine_.first + z);
        for (int i : {0, 1})
            field_[i].write(first.data());
        for (int i : {0, 1})
            make_requests(i);
        exchange(); // the first planes of the neighbours
        std::swap(now_, next_);
        exchange();
        std::swap(now_, next_);
    }
    ~Volume() {
        for (auto &requests : requests_)
            for (pixMPI_Request &request : requests)
                pixMPI_Request_free(&request);
    }
    Volume(const Volume &) = delete;
    Volume &operator=(const Volume &) = delete;

    void run(int steps) {
        pixMPI_Barrier(comm_);
        const double start = demo::now();
        for (int i = 0; i < steps; ++i)
            step();
        gpu_.finish();
        times_.seconds += demo::now() - start;
        times_.steps += steps;
    }
    const demo::StepTimes &times() const { return times_; }

    /// What is y = cells / 2 in a buffer of rank 0's; `slice` is null elsewhere.
    void collect_slice(const demo::Buffer *slice) const {
        std::optional<pixMPI_Surface> target;
        vkMPI_Surface buffer;
        if (slice) {
            buffer = slice->surface(PIXMPI_R32F, cells_, cells_);
            target = vkMPI_Any(&buffer, nullptr);
        }
        collect(demo::Rectangle(cells_ / 2 * cells_, radius, cells_, mine_.count), cells_, target);
    }
    /// All of it in memory of rank 0's.
    void collect_all(std::vector<float> *all) const {
        std::optional<pixMPI_Surface> target;
        if (all)
            target = pixMPI_Memory(all->data(), PIXMPI_R32F, plane(), cells_);
        collect(demo::Rectangle(0, radius, plane(), mine_.count), plane(), target);
    }

  private:
    int plane() const { return cells_ * cells_; }
    std::size_t plane_bytes() const { return sizeof(float) * std::size_t(plane()); }
    std::size_t bytes() const { return plane_bytes() * (mine_.count + 2 * radius); }
    vkMPI_Surface planes(const demo::Buffer &field) const {
        return field.surface(PIXMPI_R32F, plane(), mine_.count + 2 * radius);
    }

    struct Halo {
        int rank, sent, received; ///< the neighbour; the first plane that it gets, and that it gives
    };
    std::vector<Halo> halos() const {
        const int rank = demo::rank_in(comm_);
        std::vector<Halo> all;
        if (rank > 0)
            all.push_back({rank - 1, radius, 0});
        if (rank + 1 < demo::ranks_of(comm_))
            all.push_back({rank + 1, mine_.count, mine_.count + radius});
        return all;
    }

    void make_requests(int of) {
        for (const Halo &halo : halos()) {
            const demo::Rectangle sent(0, halo.sent, plane(), radius), received(0, halo.received, plane(), radius);
            vkMPI_Send_init(planes(field_[of]), sent, halo.rank, 0, comm_, &requests_[of].emplace_back());
            vkMPI_Recv_init(planes(field_[of]), received, halo.rank, 0, comm_, &requests_[of].emplace_back());
        }
    }

    void compute(demo::Commands &commands, std::initializer_list<demo::Part> parts) {
        const VkCommandBuffer recording = commands.begin();
        for (const demo::Part &part : parts) {
            const struct {
                int width, height, first, count;
                float speed;
            } push{cells_, cells_, part.first + radius, part.count, speed};
            if (part.count > 0)
                kernel_.run(recording, bound_[now_], push, cells_, cells_ * part.count);
        }
        commands.submit();
    }

    /// Planes of this rank's own, counted from its first one.
    static demo::Part part(int first, int count) {
        demo::Part result(count, 0, 1);
        result.first = first;
        return result;
    }

    void step() {
        const int edge = std::min<int>(radius, mine_.count), inner = std::max(0, mine_.count - 2 * radius);
        compute(edges_, {part(0, edge), part(edge + inner, mine_.count - edge - inner)});
        if (naive_) {
            compute(inside_, {part(edge, inner)});
            inside_.wait();
            exchange();
        } else {
            start();
            compute(inside_, {part(edge, inner)});
            finish();
        }
        edges_.wait();
        inside_.wait();
        times_.computing += edges_.seconds() + inside_.seconds();
        std::swap(now_, next_);
    }

    /// Of what has just been computed.
    void exchange() {
        if (naive_)
            return exchange_by_hand();
        start();
        finish();
    }
    std::vector<pixMPI_Request> &requests() { return requests_[next_]; }
    void start() { pixMPI_Startall(static_cast<int>(requests().size()), requests().data()); }
    void finish() { pixMPI_Waitall(static_cast<int>(requests().size()), requests().data(), MPI_STATUSES_IGNORE); }

    void exchange_by_hand() {
        const demo::Buffer &field = field_[next_];
        const std::size_t size = radius * plane_bytes();
        std::vector<std::vector<std::byte>> sent;
        std::vector<MPI_Request> sending;
        for (const Halo &halo : halos()) {
            const std::byte *const from = out_.read(field, halo.sent * plane_bytes(), size);
            sent.emplace_back(from, from + size);
            MPI_Isend(sent.back().data(), static_cast<int>(size), MPI_BYTE, halo.rank, 1, comm_,
                      &sending.emplace_back());
        }
        for (const Halo &halo : halos()) {
            MPI_Request receiving;
            MPI_Irecv(out_.data(), static_cast<int>(size), MPI_BYTE, halo.rank, 1, comm_, &receiving);
            demo::wait(receiving);
            out_.write(field, halo.received * plane_bytes(), size);
        }
        for (MPI_Request &request : sending)
            demo::wait(request);
    }

    /// A region of each rank's planes to where its planes lie in rank 0's surface, which has rows of `width` pixels.
    void collect(const demo::Rectangle &region, int width, const std::optional<pixMPI_Surface> &target) const {
        pixMPI_Request send = PIXMPI_REQUEST_NULL;
        vkMPI_Isend(planes(field_[now_]), region, 0, 2, comm_, &send, nullptr);
        for (int rank = 0; target && rank < demo::ranks_of(comm_); ++rank) {
            const demo::Part theirs(cells_, rank, demo::ranks_of(comm_));
            pixMPI_Recv(*target, demo::Rectangle(0, theirs.first, width, theirs.count), rank, 2, comm_,
                        MPI_STATUS_IGNORE);
        }
        pixMPI_Wait(&send, MPI_STATUS_IGNORE);
    }

    const demo::Gpu &gpu_;
    const MPI_Comm comm_;
    const int cells_;
    const bool naive_;
    const demo::Part mine_;
    demo::Buffer field_[2];
    demo::Kernel kernel_;
    VkDescriptorSet bound_[2];
    demo::Commands edges_, inside_;
    demo::ByHand out_;
    std::vector<pixMPI_Request> requests_[2]; ///< of each field
    int now_ = 0, next_ = 1;
    demo::StepTimes times_;
};

/// What rank 0 shows.
class Slice {
  public:
    Slice(const demo::Gpu &gpu, int cells, int width, int height)
        : cells_(cells), buffer(gpu, sizeof(float) * std::size_t(cells) * cells), picture_(gpu, width, height),
          kernel_(gpu, slice_comp, {.images = 1, .buffers = 1, .push_bytes = 8}),
          bound_(kernel_.bind({&picture_}, {&buffer})), gpu_(gpu) {}
    const demo::Image &draw() {
        const struct {
            int cells;
            float scale;
        } push{cells_, 4.0f};
        gpu_.run([&](VkCommandBuffer commands) {
            demo::barrier(commands);
            kernel_.run(commands, bound_, push, picture_.width(), picture_.height());
        });
        return picture_;
    }

  private:
    const int cells_;

  public:
    demo::Buffer buffer;

  private:
    demo::Image picture_;
    demo::Kernel kernel_;
    VkDescriptorSet bound_;
    const demo::Gpu &gpu_;
};

void compare(const demo::World &world, int cells, int steps, const std::vector<float> &all) {
    FieldOnCpu expected(cells);
    for (int i = 0; i < steps; ++i)
        expected.step();
    double most = 0;
    for (int z = 0; z < cells; ++z)
        for (int y = 0; y < cells; ++y)
            for (int x = 0; x < cells; ++x) {
                const double seen = all[(std::size_t(z) * cells + y) * cells + x];
                const double different = std::abs(seen - expected.at(x, y, z));
                if (!(different < 1e-4)) // the field is at most 1, and roundings add up
                    throw demo::Error("--check: cell (" + std::to_string(x) + "," + std::to_string(y) + "," +
                                      std::to_string(z) + ") is " + std::to_string(seen) + ", expected " +
                                      std::to_string(expected.at(x, y, z)));
                most = std::max(most, different);
            }
    world.say("the same field as by the CPU after %d steps; the largest difference is %.1g", steps, most);
}

void stencil(demo::VkWorld &world, const Choice &choice) {
    const bool naive = choice.exchange.naive();
    if (choice.cells / world.ranks < radius)
        throw demo::UsageError("--cells: " + std::to_string(choice.cells) + " cannot be shared by " +
                               std::to_string(world.ranks) + " ranks, expected at least " + std::to_string(radius) +
                               " for each");
    const std::string size = std::to_string(choice.cells) + "^3";
    if (choice.exchange.table)
        return demo::say_table(world, size, [&](MPI_Comm comm, bool by_hand) {
            Volume volume(world.gpu(), choice.cells, comm, by_hand);
            volume.run(1); // compiles
            const demo::StepTimes before = volume.times();
            volume.run(choice.steps * 10);
            const demo::StepTimes after = volume.times();
            return demo::StepTimes{after.seconds - before.seconds, after.computing - before.computing,
                                   after.steps - before.steps};
        });
    Volume volume(world.gpu(), choice.cells, MPI_COMM_WORLD, naive);
    std::optional<Slice> slice;
    if (world.rank == 0)
        slice.emplace(world.gpu(), choice.cells, world.options.width, world.options.height);
    while (world.next_frame()) {
        volume.run(choice.steps);
        volume.collect_slice(slice ? &slice->buffer : nullptr);
        if (slice)
            world.show(slice->draw());
    }
    if (volume.times().steps == 0) // the window was closed at once
        return;
    demo::say_heading(world);
    demo::say_times(world, MPI_COMM_WORLD, choice.exchange.exchange.c_str(), size, volume.times(), {}, {});
    if (world.options.check) {
        std::vector<float> all(world.rank == 0 ? std::size_t(choice.cells) * choice.cells * choice.cells : 0);
        volume.collect_all(world.rank == 0 ? &all : nullptr);
        if (world.rank == 0)
            compare(world, choice.cells, volume.times().steps, all);
    }
    if (slice && !world.options.output.empty())
        demo::save_png(slice->draw().picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    return demo::run(argc, argv,
                     {.name = "stencil",
                      .text = "Waves in a volume, by finite differences of 25 points; some planes on each rank",
                      .defaults = {.width = 720, .height = 720, .frames = 20, .output = "stencil.png"},
                      .check = "compares the field with that of the CPU",
                      .numbers = {{"--cells", "of the volume, in each direction", &choice.cells, 8, 1024},
                                  {"--steps", "steps from one frame to the next", &choice.steps, 1, 1'000'000}},
                      .flags = {choice.exchange.flag()},
                      .texts = {choice.exchange.text()}},
                     [&](const demo::Start &start) {
                         demo::Options options = start.options;
                         options.headless |= choice.exchange.table;
                         demo::VkWorld world({start.about, options, start.rank, start.ranks});
                         stencil(world, choice);
                     });
}
