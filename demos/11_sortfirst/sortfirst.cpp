// A picture in strips, one for each rank. The cost of a row differs much, and changes with the camera. So lines between
// the strips move after each frame, by the times that the ranks have taken for it. The strips are collected in place:
// each rank draws its rows where they are in the picture.
#include "shaders.h"
#include "team.h"

#include <cmath>
#include <glmpi.h>
#include <optional>
#include <pixmpi_compositor.h>

using demo::Texture;

namespace {

/// Options in addition to those of all demos.
struct Choice {
    bool even = false, plain = false;
    demo::TeamOptions team;
};

demo::Camera camera_of(int frame, int width, int height) {
    const float time = 0.02f * static_cast<float>(frame), angle = 0.7f + 0.5f * time;
    const demo::Point eye{2.6f * std::cos(angle), 0.9f + 0.3f * std::sin(time), 2.6f * std::sin(angle)};
    return {eye, {0, 0.35f * std::sin(2 * time), 0}, 1.05f, width, height, 0.05f, 10};
}

/// The fractal, any rows of it.
class Fractal {
  public:
    void draw(int frame, const Texture &to, int first, int end) {
        const demo::Camera from = camera_of(frame, to.width(), to.height());
        shader_.set("eye", from.eye()).set("forward", from.forward());
        shader_.set("right", from.right()).set("up", from.up());
        shader_.set("size", static_cast<float>(to.width()), static_cast<float>(to.height()));
        shader_.set("power", 8.0f).draw(to, 0, first, to.width(), end - first);
        glFinish();
    }

  private:
    demo::Shader shader_{fractal_source};
};

/// Lines between strips, and how long the strips took.
class Overlay {
  public:
    void draw(const Texture &to, const std::vector<int> &lines, const std::vector<double> &seconds) const {
        glBindFramebuffer(GL_FRAMEBUFFER, to.framebuffer());
        glEnable(GL_SCISSOR_TEST);
        const int thick = std::max(1, to.height() / 360), bar = 4 * thick;
        double most = 0;
        for (const double one : seconds)
            most = std::max(most, one);
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            const double part = most > 0 ? seconds[i] / most : 0;
            const int middle = (lines[i] + lines[i + 1]) / 2, length = static_cast<int>(part * to.width() / 5);
            fill(0, middle - bar / 2, length, bar, {1.00f, 0.80f, 0.25f});
            if (i > 0)
                fill(0, lines[i] - thick / 2, to.width(), thick, {0.55f, 0.95f, 1.00f});
        }
        glDisable(GL_SCISSOR_TEST);
    }

  private:
    static void fill(int x, int y, int width, int height, const demo::Point &color) {
        glScissor(x, y, width, height);
        glClearColor(color[0], color[1], color[2], 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
};

class SortFirst {
  public:
    SortFirst(demo::GlWorld &world, const Choice &choice)
        : world_(world), choice_(choice), width_(world.options.width), height_(world.options.height),
          seconds_(world.ranks), drawn_(width_, height_, GL_RGBA8), shown_(width_, height_, GL_RGBA8) {
        for (int i = 0; i <= world.ranks; ++i)
            lines_.push_back(static_cast<int>(std::int64_t{height_} * i / world.ranks));
        if (world.rank == 0 && (choice.team.alone || choice.team.compare))
            whole_.emplace(width_, height_, GL_RGBA8);
    }

    void run() {
        double alone = 0;
        if (whole_ && choice_.team.alone)
            alone = demo::seconds_alone([&](int frame) { fractal_.draw(frame, *whole_, 0, height_); });
        demo::meet();
        while (world_.next_frame()) {
            times_.begin_frame(world_.frame());
            draw();
            collect();
            if (world_.rank == 0)
                finish();
            if (!choice_.even)
                pixMPI_Balance(world_.ranks, seconds_.data(), height_, lines_.data());
        }
        if (choice_.team.compare)
            comparison_.say(world_);
        else // a comparison takes rank 0's time
            times_.say(world_, alone);
        if (world_.rank == 0 && !world_.options.output.empty())
            demo::save_png(shown_.picture(), world_.options.output);
    }

  private:
    /// This rank's strip; and all ranks get to know how long each took.
    void draw() {
        const double before = times_.draw;
        {
            const demo::Stopwatch watch(times_.draw);
            fractal_.draw(world_.frame(), drawn_, lines_[world_.rank], lines_[world_.rank + 1]);
        }
        const demo::Stopwatch watch(times_.wait);
        const double mine = times_.draw - before;
        MPI_Request request;
        MPI_Iallgather(&mine, 1, MPI_DOUBLE, seconds_.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD, &request);
        demo::wait(request);
    }

    /// All strips, on rank 0.
    void collect() {
        const demo::Stopwatch watch(times_.compose);
        std::vector<pixMPI_Region> strips(world_.ranks, PIXMPI_REGION_NULL);
        for (int i = 0; i < world_.ranks; ++i) {
            pixMPI_Region_rect(0, lines_[i], width_, lines_[i + 1] - lines_[i], &strips[i]);
            pixMPI_Region_commit(&strips[i]);
        }
        const pixMPI_Surface picture = glMPI_Texture2D(drawn_.name());
        pixMPI_Gather(world_.rank == 0 ? pixMPI_In_place() : picture, strips[world_.rank], picture, strips.data(), 0,
                      MPI_COMM_WORLD);
        for (pixMPI_Region &strip : strips)
            pixMPI_Region_free(&strip);
    }

    void finish() {
        if (choice_.team.compare) {
            fractal_.draw(world_.frame(), *whole_, 0, height_);
            comparison_.add(world_.frame(), drawn_.floats(), whole_->floats());
        }
        glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn_.framebuffer());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, shown_.framebuffer());
        glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        if (!choice_.plain)
            overlay_.draw(shown_, lines_, seconds_);
        demo::present(world_, shown_, choice_.team.file_of(world_.frame()));
    }

    demo::GlWorld &world_;
    const Choice &choice_;
    const int width_, height_;
    std::vector<int> lines_;      ///< strip i is from line i to line i + 1
    std::vector<double> seconds_; ///< that each strip has taken
    Fractal fractal_;
    Overlay overlay_;
    Texture drawn_, shown_;        ///< with this rank's rows, on rank 0 with all; and with lines
    std::optional<Texture> whole_; ///< all rows, on rank 0
    demo::Times times_;
    demo::Comparison comparison_{{}};
};

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    std::vector<demo::Flag> flags = choice.team.flags();
    flags.push_back({"--even", "all strips stay equally high", &choice.even});
    flags.push_back({"--plain", "shows no lines between strips", &choice.plain});
    return demo::run(argc, argv,
                     {.name = "sortfirst",
                      .text = "A fractal, a strip of the picture on each rank, balanced by time",
                      .defaults = {.width = 1280, .height = 720, .frames = 300, .output = "sortfirst.png"},
                      .flags = flags,
                      .texts = {choice.team.save_text()}},
                     [&](const demo::Start &start) {
                         if (start.options.height < start.ranks)
                             throw demo::UsageError("--size: " + std::to_string(start.options.height) +
                                                    " rows, expected one for each of " + std::to_string(start.ranks) +
                                                    " ranks");
                         demo::GlWorld world(start);
                         SortFirst(world, choice).run();
                     });
}
