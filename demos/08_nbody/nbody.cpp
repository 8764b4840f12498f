// Bodies that pull, every one all others. Each rank has all positions and moves a share of the bodies;
// after every step the shares' new positions come to all ranks. With --driven host a dispatch computes a step, and an
// Allgather in place brings the positions. With --driven device a shader computes all steps of a frame in one run, and
// its workgroups put the positions into the other ranks themselves. Both find the same bits. An Allreduce of one pixel
// adds up the momentum, which should stay nothing. A table as in DCGN's paper (Stuart and Owens 2009) says how many
// steps a second that makes, and where the time goes. It also says how much of their speed several ranks reach
// together. --sweep takes the paper's sizes.
#include "galaxies.h"
#include "movers.h"

#include "momentum_comp.spv.h"
#include "splat_comp.spv.h"
#include "tone_comp.spv.h"

#include <algorithm>
#include <pixmpi_collectives.h>

namespace {

constexpr int most_bodies = 1 << 18; ///< a loop has an eighth as many rounds, and lavapipe ends it after 65,536

/// Options in addition to those of all demos.
struct Choice {
    int bodies = 4096, steps = 10, groups = 0;
    bool sweep = false;
    std::string driven = "host";
};

std::unique_ptr<Mover> make_mover(const Choice &choice, Cluster &cluster) {
    return choice.driven == "device" ? make_device_mover(cluster, choice.groups) : make_host_mover(cluster);
}

class Bodies {
  public:
    /// All ranks of the communicator make one. There is at least one body for each rank.
    Bodies(const demo::Gpu &gpu, const Choice &choice, int bodies, MPI_Comm comm)
        : all_(gpu, bodies, comm), driven_(choice.driven), momentum_(gpu, sizeof(Vec4)),
          add_(gpu, momentum_comp, {.buffers = 2, .push_bytes = 4}),
          bound_to_add_(add_.bind({}, {&all_.velocities, &momentum_})), commands_(gpu) {
        const Galaxies galaxies(bodies);
        all_.positions[0].write(galaxies.positions.data());
        all_.velocities.write(&galaxies.velocities[all_.share.first]);
        mover_ = make_mover(choice, all_);
        mover_->move(2, 0); // nothing moves; shaders and routes are made ready before the clock runs
        mover_->computing = 0;
    }

    void run(int steps) {
        pixMPI_Barrier(all_.comm);
        const double start = demo::now();
        mover_->move(steps, Galaxies::time);
        seconds_ += demo::now() - start;
        steps_ += steps;
    }

    /// Of all bodies, the fourth their mass. Collective.
    Vec4 momentum() {
        add_.run(commands_.begin(), bound_to_add_, all_.share.count, 8, 8);
        commands_.submit();
        const vkMPI_Surface sum = momentum_.surface(PIXMPI_RGBA32F, 1, 1);
        pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, vkMPI_Any(&sum, nullptr), PIXMPI_WHOLE, PIXMPI_SUM,
                         all_.comm);
        Vec4 result;
        momentum_.read(result.data());
        return result;
    }

    /// Two buffers; number now() has the positions of all bodies.
    const demo::Buffer &positions(int which) const { return all_.positions[which]; }
    int now() const { return all_.now; }
    const demo::Buffer &velocities() const { return all_.velocities; } ///< of this rank's share
    int count() const { return all_.bodies; }
    int steps() const { return steps_; }
    double seconds() const { return seconds_ / steps_; } ///< of a step

    /// A line of the table. `alone`: seconds of a step of one rank. Collective.
    void say(const demo::World &world, double alone) const {
        double computing = 0;
        MPI_Reduce(&mover_->computing, &computing, 1, MPI_DOUBLE, MPI_SUM, 0, all_.comm);
        computing = std::min(computing / (all_.ranks * double(steps_)), seconds());
        world.say("%5d %7d %14.4g %11.3f ms %8.3f ms %10.0f%%  %s", all_.ranks, all_.bodies, 1 / seconds(),
                  1e3 * computing, 1e3 * (seconds() - computing), 100 * alone / (all_.ranks * seconds()),
                  driven_.c_str());
    }
    static void say_heading(const demo::World &world) {
        world.say("ranks  bodies steps a second    computation     network  efficiency  driven");
    }

  private:
    Cluster all_;
    const std::string driven_;
    std::unique_ptr<Mover> mover_;
    demo::Buffer momentum_;
    demo::Kernel add_;
    VkDescriptorSet bound_to_add_;
    demo::Commands commands_;
    int steps_ = 0;
    double seconds_ = 0;
};

/// Draws all bodies, on rank 0.
class Painter {
  public:
    Painter(const demo::Gpu &gpu, const Bodies &bodies, int width, int height)
        : bodies_(bodies), picture_(gpu, width, height), light_(gpu, std::size_t{8} * width * height),
          splat_(gpu, splat_comp, {.buffers = 2, .push_bytes = 16}),
          bound_{splat_.bind({}, {&bodies.positions(0), &light_}), splat_.bind({}, {&bodies.positions(1), &light_})},
          tone_(gpu, tone_comp, {.images = 1, .buffers = 1, .push_bytes = 4}),
          bound_to_tone_(tone_.bind({&picture_}, {&light_})), commands_(gpu, false) {
        gpu.run([&](VkCommandBuffer commands) { vkCmdFillBuffer(commands, light_.buffer(), 0, VK_WHOLE_SIZE, 0); });
    }
    const demo::Image &draw() {
        const struct {
            int bodies, width, height;
            float scale;
        } push{bodies_.count(), picture_.width(), picture_.height(), 0.38f * static_cast<float>(picture_.height())};
        const VkCommandBuffer commands = commands_.begin();
        splat_.run(commands, bound_[bodies_.now()], push, (bodies_.count() + 7) / 8, 8);
        demo::barrier(commands);
        tone_.run(commands, bound_to_tone_, exposure, picture_.width(), picture_.height());
        commands_.submit();
        return picture_;
    }

  private:
    static constexpr float exposure = 0.004f;
    const Bodies &bodies_;
    demo::Image picture_;
    demo::Buffer light_;
    demo::Kernel splat_;
    VkDescriptorSet bound_[2];
    demo::Kernel tone_;
    VkDescriptorSet bound_to_tone_;
    demo::Commands commands_;
};

/// --check: the forces are those that the CPU finds, and the bodies are where one rank alone brings them.
void compare(const demo::World &world, const Choice &choice, const Bodies &all, const demo::Gpu &gpu) {
    Bodies alone(gpu, Choice(), choice.bodies, MPI_COMM_SELF); // by the host
    std::vector<Vec4> here(choice.bodies), expected(choice.bodies);
    alone.run(1);
    alone.velocities().read(here.data());
    const std::string wrong = wrong_velocity(Galaxies(choice.bodies), here);
    if (!wrong.empty())
        throw demo::Error("--check: not the velocity that the CPU finds: " + wrong);
    alone.run(all.steps() - 1);
    alone.positions(alone.now()).read(expected.data());
    all.positions(all.now()).read(here.data());
    for (int i = 0; i < choice.bodies; ++i)
        if (here[i] != expected[i])
            throw demo::Error("--check: body " + std::to_string(i) + " is not where one rank alone brings it");
    world.say("the same bodies as of one rank, to the bit");
}

/// The bodies in a window or a picture, and two lines of the table: one rank, all ranks.
void simulate(demo::VkWorld &world, const Choice &choice) {
    const demo::Gpu &gpu = world.gpu();
    Bodies::say_heading(world);
    double alone = 0;
    if (world.rank == 0 && world.ranks > 1) {
        Bodies bodies(gpu, choice, choice.bodies, MPI_COMM_SELF);
        bodies.run(choice.steps);
        alone = bodies.seconds();
        bodies.say(world, alone);
    }
    demo::meet();
    Bodies bodies(gpu, choice, choice.bodies, MPI_COMM_WORLD);
    std::optional<Painter> painter;
    if (world.rank == 0)
        painter.emplace(gpu, bodies, world.options.width, world.options.height);
    Vec4 momentum = bodies.momentum();
    while (world.next_frame()) {
        bodies.run(choice.steps);
        momentum = bodies.momentum();
        if (painter)
            world.show(painter->draw());
    }
    if (bodies.steps() == 0) // the window was closed at once
        return;
    bodies.say(world, world.ranks > 1 ? alone : bodies.seconds());
    world.say("momentum after %d steps: %.1e %.1e %.1e, mass: %.6f", bodies.steps(), momentum[0], momentum[1],
              momentum[2], momentum[3]);
    if (!painter)
        return;
    if (world.options.check)
        compare(world, choice, bodies, gpu);
    if (!world.options.output.empty())
        demo::save_png(painter->draw().picture(), world.options.output);
}

/// The whole table: for some numbers of bodies, one rank, two, four and so on, and all ranks.
void sweep(demo::VkWorld &world, const Choice &choice) {
    Bodies::say_heading(world);
    for (int bodies = choice.bodies; bodies <= std::min(8 * choice.bodies, most_bodies); bodies *= 2) {
        double alone = 0;
        for (int ranks = 1, before = 0; before < world.ranks;
             before = ranks, ranks = std::min(2 * ranks, world.ranks)) {
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_split(MPI_COMM_WORLD, world.rank < ranks ? 0 : MPI_UNDEFINED, world.rank, &comm);
            if (comm != MPI_COMM_NULL) {
                pixMPI_Comm_attach(comm, nullptr);
                std::optional<Bodies> part(std::in_place, world.gpu(), choice, bodies, comm);
                part->run(choice.steps);
                if (ranks == 1)
                    alone = part->seconds();
                part->say(world, alone);
                part.reset();
                MPI_Comm_free(&comm);
            }
            demo::meet();
        }
    }
}

void nbody(demo::VkWorld &world, const Choice &choice) {
    if (choice.bodies < world.ranks)
        throw demo::UsageError("--bodies: " + std::to_string(choice.bodies) + " cannot be shared by " +
                               std::to_string(world.ranks) + " ranks, expected at least one for each");
    if (choice.driven != "host" && choice.driven != "device")
        throw demo::UsageError("--driven " + choice.driven + ": expected host or device");
    if (choice.sweep && world.options.check)
        throw demo::UsageError("--check: does not go together with --sweep");
    pixMPI_Comm_attach(MPI_COMM_SELF, nullptr);
    if (choice.sweep)
        sweep(world, choice);
    else
        simulate(world, choice);
}

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    return demo::run(argc, argv,
                     {.name = "nbody",
                      .text = "Two galaxies of bodies that pull each other, a share of them on each rank",
                      .defaults = {.width = 1280, .height = 720, .frames = 40, .output = "nbody.png"},
                      .check = "compares the forces with those of the CPU, and the bodies with those of one rank",
                      .numbers = {{"--bodies", "how many bodies", &choice.bodies, 2, most_bodies},
                                  {"--steps", "steps from one frame to the next", &choice.steps, 1, 1'000'000},
                                  {"--groups", "workgroups of a rank where the device drives; 0: as suits it",
                                   &choice.groups, 0, 1 << 16}},
                      .flags = {{"--sweep",
                                 "measures --steps steps for 1, 2, 4 and 8 times as many bodies on 1, 2, 4, ... ranks, "
                                 "without a picture or a window",
                                 &choice.sweep}},
                      .texts = {{"--driven", "who sends positions: host or device", &choice.driven}}},
                     [&](const demo::Start &start) {
                         demo::Options options = start.options;
                         options.headless |= choice.sweep;
                         demo::VkWorld world({start.about, options, start.rank, start.ranks});
                         nbody(world, choice);
                     });
}
