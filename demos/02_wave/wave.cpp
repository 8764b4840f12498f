// Waves on a pond that is cut into blocks, one for each rank. A block's texture has a border of one texel, the halo.
// The neighbours' outermost columns and rows go there after every step: MPI knows the neighbours, two persistent
// exchanges with them do the rest. The picture is collected on rank 0 from all blocks.
#include "blocks.h"
#include "gl_world.h"
#include "shaders.h"

#include <array>
#include <cmath>
#include <glmpi.h>
#include <pixmpi_neighbors.h>
#include <vector>

using demo::Grid;

namespace {

constexpr int steps_a_frame = 8;

class Pond {
  public:
    /// On all ranks of `comm`, which are those of the grid.
    Pond(int width, int height, const Grid &grid, MPI_Comm comm)
        : width_(width), height_(height),
          block_(grid.block(width, height)), water_{{block_.width + 2, block_.height + 2, GL_RG32F},
                                                    {block_.width + 2, block_.height + 2, GL_RG32F}},
          picture_(block_.width, block_.height, GL_RGBA8) {
        const int sizes[] = {grid.rows, grid.columns}, periods[] = {0, 0};
        MPI_Comm ranks = MPI_COMM_NULL;
        MPI_Cart_create(comm, 2, sizes, periods, 0, &ranks);
        for (int along : {0, 1}) { // a row of ranks, a column
            const int kept[] = {along, 1 - along};
            MPI_Cart_sub(ranks, kept, &lines_[along]);
            pixMPI_Comm_attach(lines_[along], nullptr);
        }
        MPI_Comm_free(&ranks);
        const int w = block_.width, h = block_.height;
        for (int now : {0, 1}) {
            // Columns first; the rows then take the corners along.
            exchange(now, 0, {column(1), column(w)}, {column(0), column(w + 1)});
            exchange(now, 1, {row(1), row(h)}, {row(0), row(h + 1)});
        }
    }
    ~Pond() {
        for (auto &halos : halos_)
            for (pixMPI_Request &one : halos)
                pixMPI_Request_free(&one);
        for (MPI_Comm &line : lines_)
            MPI_Comm_free(&line);
    }
    Pond(const Pond &) = delete;
    Pond &operator=(const Pond &) = delete;

    /// One step of the whole pond, with or without a drop.
    void step(int drop_x, int drop_y, float strength) {
        move_.set("water", water_[now_]).set("origin", block_.x - 1, block_.y - 1).set("size", width_, height_);
        move_.set("drop", drop_x, drop_y).set("strength", strength);
        now_ = 1 - now_;
        move_.draw(water_[now_], 1, 1, block_.width, block_.height);
        for (pixMPI_Request &halos : halos_[now_]) {
            pixMPI_Start(&halos);
            pixMPI_Wait(&halos, MPI_STATUS_IGNORE);
        }
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
        pixMPI_Region_columns(1, block_.height, x, 1, 1, &region);
        return region;
    }
    pixMPI_Region row(int y) const {
        pixMPI_Region region = PIXMPI_REGION_NULL;
        pixMPI_Region_rows(0, block_.width + 2, y, 1, 1, &region);
        return region;
    }
    /// `mine` go to the neighbours before and behind this rank, what they send comes to `halo`.
    void exchange(int now, int along, std::array<pixMPI_Region, 2> mine, std::array<pixMPI_Region, 2> halo) {
        for (pixMPI_Region *region : {&mine[0], &mine[1], &halo[0], &halo[1]})
            pixMPI_Region_commit(region);
        const pixMPI_Surface water = glMPI_Texture2D(water_[now].name());
        pixMPI_Neighbor_alltoall_init(water, mine.data(), water, halo.data(), lines_[along], &halos_[now][along]);
        for (pixMPI_Region *region : {&mine[0], &mine[1], &halo[0], &halo[1]})
            pixMPI_Region_free(region);
    }

    int width_, height_, now_ = 0;
    pixMPI_Rect block_;
    demo::Texture water_[2]; ///< now and next
    demo::Texture picture_;
    demo::Shader move_{step_source}, light_{light_source};
    MPI_Comm lines_[2]{MPI_COMM_NULL, MPI_COMM_NULL}; ///< the ranks left and right of this one, those below and above
    pixMPI_Request halos_[2][2]{};                    ///< of each texture: columns, rows
};

/// Drops fall one after another, the same ones on all ranks; each sends out three rings.
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
    glMPI_Isend(glMPI_Texture2D(part.name()), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &requests.emplace_back());
    for (int rank = 0; world.rank == 0 && rank < world.ranks; ++rank) {
        const pixMPI_Rect r = demo::grid_of(rank, world.ranks, width, height).block(width, height);
        pixMPI_Region region = PIXMPI_REGION_NULL;
        pixMPI_Region_rect(r.x, r.y, r.width, r.height, &region);
        pixMPI_Region_commit(&region);
        glMPI_Irecv(glMPI_Texture2D(whole.name()), region, rank, 1, MPI_COMM_WORLD, &requests.emplace_back());
        pixMPI_Region_free(&region);
    }
    pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void wave(demo::GlWorld &world) {
    const int width = world.options.width, height = world.options.height;
    const Grid grid = demo::grid_of(world.rank, world.ranks, width, height);
    Pond pond(width, height, grid, MPI_COMM_WORLD);
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
        Pond alone(width, height, Grid{}, MPI_COMM_SELF);
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
