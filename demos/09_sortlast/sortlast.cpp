// A terrain of millions of triangles; each rank has some blocks. Each rank draws its blocks, with depth, into
// a picture of full size, and the compositor takes of each pixel the nearest one. There are two sets of pictures, so
// that one frame is composed while the next one is drawn.
#include "shaders.h"
#include "terrain.h"

#include <cmath>
#include <optional>
#include <pixmpi.h>

using demo::Camera;
using demo::Texture;

namespace {

/// Options in addition to those of all demos.
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

class Island : public demo::Scene {
  public:
    Island(demo::GlWorld &world, const demo::View &view, const Choice &choice)
        : world_(world), triangles_(choice.triangles), mine_(triangles_, Terrain::blocks * world.rank / world.ranks,
                                                             Terrain::blocks * (world.rank + 1) / world.ranks),
          frames_(world, choice.team, view, {.op = PIXMPI_NEAREST, .color_format = GL_RGBA8, .with_depth = true}) {}

    void run() {
        world_.say("%.3f million triangles in %d blocks", 1e-6 * static_cast<double>(mine_.triangles()),
                   Terrain::blocks);
        frames_.run(*this);
    }

  private:
    Camera camera(int frame) const { return camera_of(frame, world_.options.width, world_.options.height); }

    pixMPI_Rect draw_part(int frame, const demo::Target &target) override {
        return mine_.draw(camera(frame), target, [this] { frames_.poll(); });
    }
    void draw_whole(int frame, const demo::Target &target) override {
        if (!whole_)
            whole_.emplace(triangles_, 0, Terrain::blocks);
        whole_->draw(camera(frame), target, [] {});
    }
    void finish(int frame, const Texture &picture, int x, int y, const Texture &shown) override {
        const Camera from = camera(frame);
        sky_.set("drawn", picture).set("eye", from.eye());
        sky_.set("forward", from.forward()).set("right", from.right()).set("up", from.up());
        const demo::Options &whole = world_.options;
        sky_.set("size", static_cast<float>(whole.width), static_cast<float>(whole.height));
        sky_.set("corner", static_cast<float>(x), static_cast<float>(y)).draw(shown);
    }

    const demo::GlWorld &world_;
    const int triangles_;
    const Terrain mine_;
    std::optional<Terrain> whole_; ///< all blocks
    demo::Shader sky_{std::string(common_source) + sky_source};
    demo::ComposedFrames frames_;
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
         .texts = {choice.team.save_text(), choice.team.wall_text(), choice.team.trace_text()}},
        [&](const demo::Start &start) {
            const demo::View view(start, choice.team.wall);
            demo::GlWorld world(view);
            Island(world, view, choice).run();
        });
}
