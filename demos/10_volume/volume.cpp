// A cloud of gas in a cube of voxels; each rank has a brick. Each rank sends rays through its brick; the
// results, colours multiplied by alpha, are composed by OVER in an order of ranks that follows the eye around the cube.
// 1, 2 and 3 change how the gas looks.
#include "brick.h"
#include "shaders.h"
#include "window.h"

#include <cmath>
#include <optional>
#include <pixmpi.h>

using demo::Camera;
using demo::Texture;

namespace {

/// Options in addition to those of all demos.
struct Choice {
    int voxels = 512, look = 1;
    demo::TeamOptions team;
};

// Samples, and their order, are one rank's. But filters compute weights from other coordinates, an opaque brick ends
// rays at 0.999 where a whole volume ends them sooner, and each of a few merges rounds to 11 bits. So floats are
// compared, and a level of 8 bits is allowed.
constexpr demo::Tolerance tolerance{.any = 1, .larger = 0.0005, .levels = 1};

/// Around the volume, now above it and now below.
Camera camera_of(int frame, int width, int height) {
    const float angle = 0.9f + 0.012f * static_cast<float>(frame), rise = 0.75f * std::sin(0.6f * angle);
    const demo::Point eye{2.75f * std::cos(angle), rise, 2.75f * std::sin(angle)};
    return {eye, {0, 0, 0}, 0.72f, width, height, 0.05f, 10};
}

class Volume : public demo::Scene {
  public:
    Volume(demo::GlWorld &world, const demo::View &view, const Choice &choice)
        : world_(world), bricks_(choice.voxels, world.ranks), voxels_(choice.voxels),
          mine_(bricks_.of(world.rank), voxels_),
          frames_(world, choice.team, view,
                  {.op = PIXMPI_OVER, .color_format = GL_RGBA16F, .with_depth = false, .tolerance = tolerance}),
          look_(choice.look - 1) {}

    void run() {
        const auto &[low, high] = bricks_.of(0);
        world_.say("%d^3 voxels, rank 0 has %dx%dx%d", voxels_, high[0] - low[0], high[1] - low[1],
                   high[2] - low[2]);
        frames_.run(*this);
    }

  private:
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

    pixMPI_Rect draw_part(int frame, const demo::Target &target) override {
        follow_keys();
        look_of_[frame % 2] = look_;
        const Camera from = camera(frame);
        const float half = static_cast<float>(voxels_) / 2;
        const std::vector<int> order = bricks_.order(half * (from.eye() + demo::Point{1, 1, 1}));
        pixMPI_Compositor_set_order(frames_.compositor(), world_.ranks, order.data());
        return mine_.draw(from, look_, target);
    }
    void draw_whole(int frame, const demo::Target &target) override {
        if (!whole_)
            whole_.emplace(bricks_.whole(), voxels_);
        whole_->draw(camera(frame), look_of_[frame % 2], target);
    }
    void finish(int, const Texture &picture, int x, int y, const Texture &shown) override {
        night_.set("drawn", picture);
        const demo::Options &whole = world_.options;
        night_.set("size", static_cast<float>(whole.width), static_cast<float>(whole.height));
        night_.set("corner", static_cast<float>(x), static_cast<float>(y)).draw(shown);
    }

    demo::GlWorld &world_;
    const Bricks bricks_;
    const int voxels_;
    const Brick mine_;
    std::optional<Brick> whole_; ///< all voxels
    demo::Shader night_{night_source};
    demo::ComposedFrames frames_;
    int look_, look_of_[2] = {look_, look_}; ///< now, and of the frames with even and odd numbers
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
                      .texts = {choice.team.save_text(), choice.team.wall_text(), choice.team.trace_text()}},
                     [&](const demo::Start &start) {
                         const demo::View view(start, choice.team.wall);
                         demo::GlWorld world(view);
                         Volume(world, view, choice).run();
                     });
}
