// A terrain of millions of triangles, of which each rank has some blocks. Each rank draws its blocks, with depth, into
// a picture of full size, and the compositor takes of each pixel the nearest one. There are two sets of pictures, so
// that one frame is composed while the next one is drawn.
#include "shaders.h"
#include "terrain.h"

#include <cmath>
#include <optional>

using demo::Camera;
using demo::Texture;

namespace {

/// What the user types besides the options of all demos.
struct Choice {
    int triangles = 10'000'000;
    demo::TeamOptions team;
};

/// On its way around the terrain.
Camera camera_of(int frame, int width, int height) {
    const float angle = 2.60f + 0.01f * static_cast<float>(frame);
    const demo::Point eye{1.41f * std::cos(angle), 0.42f, 1.41f * std::sin(angle)};
    return {eye, {0, 0.02f, 0}, 0.72f, width, height, 0.05f, 5};
}

class SortLast {
  public:
    SortLast(demo::GlWorld &world, const Choice &choice)
        : world_(world), choice_(choice), mine_(choice.triangles, Terrain::blocks * world.rank / world.ranks,
                                                Terrain::blocks * (world.rank + 1) / world.ranks),
          shown_(world.options.width, world.options.height, GL_RGBA8), frames_(world, PIXMPI_NEAREST, GL_RGBA8, true) {}

    void run() {
        const bool root = world_.rank == 0;
        if (root && (choice_.team.alone || choice_.team.compare))
            whole_.emplace(world_.options.width, world_.options.height, choice_.triangles);
        double alone = 0;
        if (root && choice_.team.alone)
            alone = demo::seconds_alone([&](int frame) {
                whole_->draw(camera(frame));
                glFinish();
            });
        demo::meet();
        frames_.run(
            [&](int frame, const demo::Target &to) { return mine_.draw(camera(frame), to, [&] { frames_.poll(); }); },
            [&](int frame, const Texture &picture) { done(frame, picture); });
        world_.say("%.3f million triangles in %d blocks", 1e-6 * static_cast<double>(mine_.triangles()),
                   Terrain::blocks);
        if (choice_.team.compare)
            comparison_.say(world_);
        else // a comparison takes rank 0's time
            frames_.times().say(world_, alone);
        if (root && !world_.options.output.empty())
            demo::save_png(shown_.picture(), world_.options.output);
    }

  private:
    /// All blocks, on rank 0.
    struct Whole {
        Whole(int width, int height, int triangles)
            : terrain(triangles, 0, Terrain::blocks), target(width, height, GL_RGBA8, true) {}
        void draw(const Camera &camera) const {
            terrain.draw(camera, target, [] {});
        }
        Terrain terrain;
        demo::Target target;
    };

    Camera camera(int frame) const { return camera_of(frame, world_.options.width, world_.options.height); }

    void done(int frame, const Texture &picture) {
        if (choice_.team.compare) {
            whole_->draw(camera(frame));
            comparison_.add(frame, picture.picture().rgba, whole_->target.color().picture().rgba);
        }
        const Camera from = camera(frame);
        sky_.set("drawn", picture)
            .set("eye", from.eye())
            .set("forward", from.forward())
            .set("right", from.right())
            .set("up", from.up());
        sky_.set("size", static_cast<float>(shown_.width()), static_cast<float>(shown_.height())).draw(shown_);
        demo::present(world_, choice_.team, frame, shown_);
    }

    demo::GlWorld &world_;
    const Choice &choice_;
    Terrain mine_;
    std::optional<Whole> whole_;
    Texture shown_;
    demo::Shader sky_{std::string(common_source) + sky_source};
    demo::ComposedFrames frames_;
    demo::Comparison comparison_{{}};
};

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    return demo::run(
        argc, argv,
        {.name = "sortlast",
         .text = "A terrain, some blocks of it on each rank, composed by depth",
         .defaults = {.width = 1280, .height = 720, .frames = 300, .output = "sortlast.png"},
         .numbers = {{"--triangles", "of the whole terrain, at least", &choice.triangles, 2, 1'000'000'000}},
         .flags = choice.team.flags(),
         .texts = choice.team.texts()},
        [&](const demo::Start &start) {
            demo::GlWorld world(start);
            SortLast(world, choice).run();
        });
}
