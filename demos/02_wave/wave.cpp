// Waves on a pond that is cut into blocks, one for each rank. A block's texture has a border of one texel, the halo,
// into which the neighbours' outermost columns and rows go after every step: eight persistent requests. The picture is
// collected on rank 0 from all blocks.
#include "blocks.h"
#include "gl_world.h"
#include "requests.h"
#include "shaders.h"

#include <cmath>
#include <vector>

using demo::check;
using demo::Grid;

namespace {

constexpr int steps_a_frame = 8;

class Pond {
  public:
    Pond(int width, int height, const Grid &grid)
        : width_(width), height_(height),
          block_(grid.block(width, height)), water_{{block_.width + 2, block_.height + 2, GL_RG32F},
                                                    {block_.width + 2, block_.height + 2, GL_RG32F}},
          picture_(block_.width, block_.height, GL_RGBA8) {
        for (int now : {0, 1}) {
            // Columns first; the rows then take the corners along.
            const int w = block_.width, h = block_.height;
            exchange(now, 0, grid.neighbour(-1, 0), column(1), column(0));
            exchange(now, 0, grid.neighbour(+1, 0), column(w), column(w + 1));
            exchange(now, 1, grid.neighbour(0, -1), row(1), row(0));
            exchange(now, 1, grid.neighbour(0, +1), row(h), row(h + 1));
        }
    }

    /// One step of the whole pond, with or without a drop.
    void step(int drop_x, int drop_y, float strength) {
        move_.set("water", water_[now_]).set("origin", block_.x - 1, block_.y - 1).set("size", width_, height_);
        move_.set("drop", drop_x, drop_y).set("strength", strength);
        now_ = 1 - now_;
        move_.draw(water_[now_], 1, 1, block_.width, block_.height);
        for (demo::Requests &halos : halos_[now_])
            halos.run();
    }

    /// This block's part of the picture.
    const demo::Texture &draw() {
        light_.set("water", water_[now_]).set("origin", block_.x - 1, block_.y - 1).set("size", width_, height_);
        light_.set("border", 1, 1).draw(picture_);
        return picture_;
    }

  private:
    pixMPI_Region column(int x) const {
        pixMPI_Region region = PIXMPI_REGION_NULL;
        check(pixMPI_Region_columns(1, block_.height, x, 1, 1, &region));
        return region;
    }
    pixMPI_Region row(int y) const {
        pixMPI_Region region = PIXMPI_REGION_NULL;
        check(pixMPI_Region_rows(0, block_.width + 2, y, 1, 1, &region));
        return region;
    }
    /// `mine` goes to the neighbour, what it sends comes to `halo`.
    void exchange(int now, int direction, int neighbour, pixMPI_Region mine, pixMPI_Region halo) {
        for (pixMPI_Region *region : {&mine, &halo})
            check(pixMPI_Region_commit(region));
        halos_[now][direction].send(water_[now], mine, neighbour, 0);
        halos_[now][direction].receive(water_[now], halo, neighbour, 0);
        for (pixMPI_Region *region : {&mine, &halo})
            check(pixMPI_Region_free(region));
    }

    int width_, height_, now_ = 0;
    pixMPI_Rect block_;
    demo::Texture water_[2]; ///< now and next
    demo::Texture picture_;
    demo::Shader move_{step_source}, light_{light_source};
    demo::Requests halos_[2][2]; ///< of each texture: columns, rows
};

/// Drops fall one after the other, the same ones on all ranks; each sends out three rings.
void step(Pond &pond, int number, int width, int height) {
    unsigned random = static_cast<unsigned>(number / 120) * 2654435761u + 12345u;
    const auto within = [&](int size) {
        random = random * 1664525u + 1013904223u;
        return static_cast<int>((random >> 8) % static_cast<unsigned>(size));
    };
    const int x = within(width), y = within(height), phase = number % 120;
    pond.step(x, y, phase < 90 ? 0.035f * std::sin(6.2832f / 30.0f * static_cast<float>(phase)) : 0.0f);
}

/// All blocks put together on rank 0, the picture's pixels in `whole`.
void collect(const demo::GlWorld &world, const demo::Texture &part, const demo::Texture &whole) {
    const int width = whole.width(), height = whole.height();
    std::vector<pixMPI_Request> requests;
    check(glMPI_Isend(glMPI_Texture2D(part.name()), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &requests.emplace_back()));
    for (int rank = 0; world.rank == 0 && rank < world.ranks; ++rank) {
        const pixMPI_Rect r = demo::grid_of(rank, world.ranks, width, height).block(width, height);
        pixMPI_Region region = PIXMPI_REGION_NULL;
        check(pixMPI_Region_rect(r.x, r.y, r.width, r.height, &region));
        check(pixMPI_Region_commit(&region));
        check(glMPI_Irecv(glMPI_Texture2D(whole.name()), region, rank, 1, MPI_COMM_WORLD, &requests.emplace_back()));
        check(pixMPI_Region_free(&region));
    }
    check(pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

void wave(demo::GlWorld &world) {
    const int width = world.options.width, height = world.options.height;
    const Grid grid = demo::grid_of(world.rank, world.ranks, width, height);
    Pond pond(width, height, grid);
    demo::Texture whole(width, height, GL_RGBA8); // of use on rank 0 only
    const double start = demo::now();
    int steps = 0;
    while (world.next_frame()) {
        for (int i = 0; i < steps_a_frame; ++i)
            step(pond, steps++, width, height);
        collect(world, pond.draw(), whole);
        world.show(whole);
    }
    const double seconds = demo::now() - start;
    world.say("%dx%d in %dx%d blocks: %d steps, %.0f a second", width, height, grid.columns, grid.rows, steps,
              steps / seconds);
    if (world.rank != 0)
        return;
    if (!world.options.output.empty())
        demo::save_png(whole.picture(), world.options.output);
    if (world.options.check) {
        Pond alone(width, height, Grid{});
        for (int number = 0; number < steps; ++number)
            step(alone, number, width, height);
        const std::string different = demo::differences(whole.picture(), alone.draw().picture());
        if (!different.empty())
            throw demo::Error("--check: not what one rank draws: " + different);
        world.say("the same picture as of one rank, to the bit");
    }
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(argc, argv,
                     {.name = "wave",
                      .text = "Waves on a pond, a block of it on each rank",
                      .defaults = {.width = 1280, .height = 720, .frames = 250, .output = "wave.png"},
                      .check = "compares the picture with that of one rank"},
                     wave);
}
