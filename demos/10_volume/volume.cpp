// A cloud of gas in a cube of voxels, of which each rank has a brick. Each rank sends rays through its brick; the
// results, colours multiplied by alpha, are composed by OVER in an order of ranks that follows the eye around the cube.
// 1, 2 and 3 change how the gas looks.
#include "brick.h"
#include "shaders.h"
#include "window.h"

#include <cmath>
#include <optional>

using demo::Camera;
using demo::check;
using demo::Texture;

namespace {

/// What the user types besides the options of all demos.
struct Choice {
    int voxels = 512, look = 1;
    demo::TeamOptions team;
};

constexpr GLenum format = GL_RGBA16F; ///< of what travels

// Samples, and their order, are one rank's. But filters compute weights from other coordinates, an opaque brick ends
// rays at 0.999 where a whole volume ends them sooner, and each of a few merges rounds to 11 bits. So floats are
// compared, and a level of 8 bits is allowed.
constexpr demo::Tolerance tolerance{.any = 1, .larger = 0.0005, .level = 1 / 255.0f};

/// Around the volume, now above it and now below.
Camera camera_of(int frame, int width, int height) {
    const float angle = 0.9f + 0.012f * static_cast<float>(frame), rise = 0.75f * std::sin(0.6f * angle);
    const demo::Point eye{2.75f * std::cos(angle), rise, 2.75f * std::sin(angle)};
    return {eye, {0, 0, 0}, 0.72f, width, height, 0.05f, 10};
}

class Volume {
  public:
    Volume(demo::GlWorld &world, const Choice &choice)
        : world_(world), choice_(choice), bricks_(choice.voxels, world.ranks),
          mine_(bricks_.of(world.rank), choice.voxels), shown_(world.options.width, world.options.height, GL_RGBA8),
          frames_(world, PIXMPI_OVER, format, false), look_(choice.look - 1) {}

    void run() {
        const bool root = world_.rank == 0;
        if (root && (choice_.team.alone || choice_.team.compare))
            whole_.emplace(world_.options.width, world_.options.height, bricks_.whole(), choice_.voxels);
        double alone = 0;
        if (root && choice_.team.alone)
            alone = demo::seconds_alone([&](int frame) {
                whole_->brick.draw(camera(frame), look_, whole_->target);
                glFinish();
            });
        demo::meet();
        frames_.run([&](int frame, const demo::Target &target) { return draw(frame, target); },
                    [&](int frame, const Texture &picture) { done(frame, picture); });
        const Bounds &brick = bricks_.of(0);
        world_.say("%d^3 voxels, of which rank 0 has %dx%dx%d", choice_.voxels, brick.high[0] - brick.low[0],
                   brick.high[1] - brick.low[1], brick.high[2] - brick.low[2]);
        if (choice_.team.compare)
            comparison_.say(world_);
        else // a comparison takes rank 0's time
            frames_.times().say(world_, alone);
        if (root && !world_.options.output.empty())
            demo::save_png(shown_.picture(), world_.options.output);
    }

  private:
    /// All voxels, on rank 0.
    struct Whole {
        Whole(int width, int height, const Bounds &bounds, int voxels)
            : brick(bounds, voxels), target(width, height, format, false) {}
        Brick brick;
        demo::Target target;
    };

    Camera camera(int frame) const { return camera_of(frame, world_.options.width, world_.options.height); }

    /// The keys of rank 0's window are all ranks' keys.
    void follow_keys() {
        if (world_.options.headless)
            return;
        if (demo::Window *const window = world_.window())
            while (const char key = window->typed())
                if (key >= '1' && key < '1' + looks) {
                    look_ = key - '1';
                    window->title(std::string("volume, look ") + key);
                }
        MPI_Request request;
        MPI_Ibcast(&look_, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        demo::wait(request);
    }

    pixMPI_Rect draw(int frame, const demo::Target &target) {
        follow_keys();
        look_of_[frame % 2] = look_;
        const Camera from = camera(frame);
        const float half = static_cast<float>(choice_.voxels) / 2;
        const std::vector<int> order = bricks_.order(half * (from.eye() + demo::Point{1, 1, 1}));
        check(pixMPI_Compositor_set_order(frames_.compositor(), world_.ranks, order.data()));
        return mine_.draw(from, look_, target);
    }

    void done(int frame, const Texture &picture) {
        if (choice_.team.compare) {
            whole_->brick.draw(camera(frame), look_of_[frame % 2], whole_->target);
            comparison_.add(frame, picture.floats(), whole_->target.color().floats());
        }
        night_.set("drawn", picture);
        night_.set("size", static_cast<float>(shown_.width()), static_cast<float>(shown_.height())).draw(shown_);
        demo::present(world_, choice_.team, frame, shown_);
    }

    demo::GlWorld &world_;
    const Choice &choice_;
    const Bricks bricks_;
    Brick mine_;
    std::optional<Whole> whole_;
    Texture shown_;
    demo::Shader night_{night_source};
    demo::ComposedFrames frames_;
    demo::Comparison comparison_{tolerance};
    int look_, look_of_[2] = {};
};

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    return demo::run(argc, argv,
                     {.name = "volume",
                      .text =
                          "A volume, a brick of it on each rank, composed from front to back. In a window: 1, 2 and "
                          "3 change how it looks, Escape ends",
                      .defaults = {.width = 1280, .height = 720, .frames = 300, .output = "volume.png"},
                      .numbers = {{"--volume", "voxels along each side", &choice.voxels, 8, 4096},
                                  {"--look", "the first one", &choice.look, 1, looks}},
                      .flags = choice.team.flags(),
                      .texts = choice.team.texts()},
                     [&](const demo::Start &start) {
                         demo::GlWorld world(start);
                         Volume(world, choice).run();
                     });
}
