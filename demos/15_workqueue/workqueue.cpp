// DCGN's work queue: strips of the Mandelbrot set, for workers that ask. With --driven device the workers are
// workgroups of a shader, which asks for a strip, draws it, sends it and asks again, and ends when nothing is left.
// With --driven host a rank does so for each of its slots, and dispatches a shader for each strip. Rank 0 hands out
// strips and receives them in the same way for both: a message of a shader is a message. The colours show which worker
// drew a strip.
#include "device_kernel.h"
#include "farmer.h"
#include "view.h"
#include "vk_world.h"

#include "strip_comp.spv.h"
#include "worker_comp.spv.h"

#include <algorithm>
#include <list>
#include <memory>
#include <optional>

namespace {

int slots = 4, rows = 8;
std::string driven = "device";

/// As strips.glsl has it.
struct Push {
    View view;
    int width, height, rows, worker, strip;
};
Push push_of(const demo::World &world, const View &view, int worker = 0, int strip = 0) {
    return {view, world.options.width, world.options.height, rows, worker, strip};
}

/// What the workers of this rank do for a frame.
class Workers {
  public:
    virtual ~Workers() = default;
    virtual void begin(const View &view) = 0;
    /// Whether something has happened.
    virtual bool step() = 0;
    virtual bool idle() const = 0;

    MPI_Comm comm = MPI_COMM_WORLD; ///< of their messages with rank 0
};

/// Workgroups of a shader that runs until nothing is left.
class ShaderWorkers final : public Workers {
  public:
    explicit ShaderWorkers(const demo::VkWorld &world)
        : world_(world), strips_(world.gpu(), std::size_t{4} * world.options.width * rows * slots),
          endpoint_(world.gpu(), {.slots = slots, .max_groups = slots, .max_turns = 1 << 14},
                    {strips_.surface(PIXMPI_RGBA8, world.options.width * rows, slots)}),
          kernel_(world.gpu(), endpoint_, worker_comp, {strips_.buffer()}, sizeof(Push)) {
        comm = endpoint_.space;
    }
    void begin(const View &view) override { kernel_.start(push_of(world_, view), slots, run_); }
    bool step() override {
        int done = 0;
        if (run_ != PIXMPI_REQUEST_NULL)
            pixMPI_Test(&run_, &done, MPI_STATUS_IGNORE);
        return done;
    }
    bool idle() const override { return run_ == PIXMPI_REQUEST_NULL; }

  private:
    const demo::VkWorld &world_;
    demo::Buffer strips_;
    demo::Endpoint endpoint_;
    demo::DeviceKernel kernel_;
    pixMPI_Request run_ = PIXMPI_REQUEST_NULL;
};

/// One slot of a rank that does all by the host.
class Hand {
  public:
    Hand(const demo::VkWorld &world, demo::Kernel &kernel)
        : world_(world), kernel_(kernel), strip_(world.gpu(), std::size_t{4} * world.options.width * rows),
          commands_(world.gpu()), bound_(kernel.bind({}, {&strip_})) {}
    Hand(const Hand &) = delete;

    void ask() {
        pixMPI_Irecv(word(told_), PIXMPI_WHOLE, 0, answer, MPI_COMM_WORLD, &answer_);
        pixMPI_Isend(word(told_before_), PIXMPI_WHOLE, 0, question, MPI_COMM_WORLD, &sent_);
    }
    bool step(const View &view) {
        int sent = 0, answered = 0;
        if (sent_ != PIXMPI_REQUEST_NULL)
            pixMPI_Test(&sent_, &sent, MPI_STATUS_IGNORE);
        if (sent_ != PIXMPI_REQUEST_NULL)
            return false;
        if (answer_ == PIXMPI_REQUEST_NULL) {
            if (sent)
                ask(); // the strip has gone
            return sent;
        }
        pixMPI_Test(&answer_, &answered, MPI_STATUS_IGNORE);
        if (answered && told_ != nothing_left)
            draw(view, static_cast<int>(told_));
        return sent || answered;
    }
    bool idle() const { return answer_ == PIXMPI_REQUEST_NULL && sent_ == PIXMPI_REQUEST_NULL; }

  private:
    static pixMPI_Surface word(std::uint32_t &one) { return pixMPI_Memory(&one, PIXMPI_R8, sizeof one, 1); }
    /// And sends it, behind the drawing on the same queue.
    void draw(const View &view, int strip) {
        const int width = world_.options.width, height = std::min(rows, world_.options.height - strip * rows);
        kernel_.run(commands_.begin(), bound_, push_of(world_, view, world_.rank, strip), width, rows);
        commands_.submit();
        vkMPI_Isend(strip_.surface(PIXMPI_RGBA8, width, height), PIXMPI_WHOLE, 0, first_strip + strip, MPI_COMM_WORLD,
                    &sent_, nullptr);
    }

    const demo::VkWorld &world_;
    demo::Kernel &kernel_;
    demo::Buffer strip_;
    demo::Commands commands_;
    VkDescriptorSet bound_;
    std::uint32_t told_ = 0, told_before_ = 0;
    pixMPI_Request answer_ = PIXMPI_REQUEST_NULL, sent_ = PIXMPI_REQUEST_NULL;
};

/// Hands that dispatch a shader for each strip.
class HostWorkers final : public Workers {
  public:
    explicit HostWorkers(const demo::VkWorld &world)
        : kernel_(world.gpu(), strip_comp, {.buffers = 1, .push_bytes = sizeof(Push)}) {
        for (int i = 0; i < slots; ++i)
            hands_.emplace_back(world, kernel_);
    }
    void begin(const View &view) override {
        view_ = view;
        for (Hand &hand : hands_)
            hand.ask();
    }
    bool step() override {
        bool something = false;
        for (Hand &hand : hands_)
            something = hand.step(view_) || something;
        return something;
    }
    bool idle() const override {
        return std::all_of(hands_.begin(), hands_.end(), [](const Hand &hand) { return hand.idle(); });
    }

  private:
    demo::Kernel kernel_;
    std::list<Hand> hands_;
    View view_{};
};

/// Rank 0 draws each strip once more by its own dispatch, in the colour of its worker.
void compare(const demo::VkWorld &world, const View &view, const demo::Image &picture, const std::vector<int> &drawn) {
    const int width = picture.width(), height = picture.height();
    demo::Kernel kernel(world.gpu(), strip_comp, {.buffers = 1, .push_bytes = sizeof(Push)});
    const demo::Buffer strip(world.gpu(), std::size_t{4} * width * rows);
    const VkDescriptorSet bound = kernel.bind({}, {&strip});
    const demo::Picture seen = picture.picture();
    std::vector<std::uint8_t> expected(strip.bytes());
    int wrong = 0;
    for (int k = 0; k < static_cast<int>(drawn.size()); ++k) {
        world.gpu().run([&](VkCommandBuffer commands) {
            kernel.run(commands, bound, push_of(world, view, drawn[static_cast<std::size_t>(k)], k), width, rows);
        });
        strip.read(expected.data());
        for (int i = 0; i < width * std::min(rows, height - k * rows); ++i) {
            const int row = height - 1 - (k * rows + i / width);
            const std::uint8_t *const one = &seen.rgba[std::size_t{4} * (row * width + i % width)];
            for (int c = 0; c < 4; ++c)
                if (std::abs(one[c] - expected[std::size_t{4} * i + c]) > 3) {
                    ++wrong;
                    break;
                }
        }
    }
    if (wrong > width * height / 100) // shaders round in their own ways, which the set's edge shows
        throw demo::Error("--check: " + std::to_string(wrong) + " pixels are not what rank 0 draws");
    world.say("the same picture as rank 0's own");
}

void workqueue(demo::VkWorld &world) {
    if (driven != "host" && driven != "device")
        throw demo::UsageError("--driven " + driven + ": expected host or device");
    std::unique_ptr<Workers> workers;
    if (driven == "device")
        workers = std::make_unique<ShaderWorkers>(world);
    else
        workers = std::make_unique<HostWorkers>(world);
    std::optional<demo::Image> picture;
    if (world.rank == 0)
        picture.emplace(world.gpu(), world.options.width, world.options.height);

    View view{};
    std::vector<int> drawn, strips(static_cast<std::size_t>(world.ranks * slots));
    double seconds = 0;
    while (world.next_frame()) {
        view = view_of(world.frame(), world.options.width, world.options.height);
        demo::meet();
        const double start = demo::now();
        std::optional<Farmer> farmer;
        if (picture)
            farmer.emplace(workers->comm, world.ranks * slots, *picture, rows);
        workers->begin(view);
        while (!workers->idle() || (farmer && !farmer->complete())) {
            const bool handed = farmer && farmer->step(), worked = workers->step();
            if (!handed && !worked)
                demo::pause();
        }
        demo::meet();                                       // who is early would ask the farmer of the last frame
        if (world.frame() > 0 || world.options.frames == 1) // shaders are compiled in the first one
            seconds += demo::now() - start;
        if (!farmer)
            continue;
        drawn = farmer->drawn_by();
        for (const int worker : drawn)
            ++strips[static_cast<std::size_t>(worker)];
        world.show(*picture);
    }
    const auto [least, most] =
        std::minmax_element(strips.begin(), strips.end() - (driven == "host" ? world.ranks * (slots - 1) : 0));
    const int timed = std::max(world.frame() - 1, 1);
    world.say("driven   ranks  slots  strips of a worker   ms a frame  million pixels a second");
    world.say("%-7s %6d %6d %9d to %6d %12.2f %24.2f", driven.c_str(), world.ranks, world.ranks * slots, *least, *most,
              1e3 * seconds / timed, 1e-6 * world.options.width * world.options.height * timed / seconds);
    if (picture && world.options.check && world.frame() > 0)
        compare(world, view, *picture, drawn);
    if (picture && !world.options.output.empty())
        demo::save_png(picture->picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(
        argc, argv,
        {.name = "workqueue",
         .text = "Strips of the Mandelbrot set, for workgroups of shaders that ask for them",
         .defaults = {.width = 1280, .height = 720, .frames = 10, .output = "workqueue.png"},
         .check = "compares the picture with one that rank 0 draws",
         .numbers = {{"--slots", "workers of a rank", &slots, 1, 64}, {"--rows", "of a strip", &rows, 1, 1024}},
         .texts = {{"--driven", "what asks, draws and sends: host or device", &driven}}},
        workqueue);
}
