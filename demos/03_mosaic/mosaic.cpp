// A photo mosaic: rank 0's picture is dealt out cell by cell like a pack of cards, every rank turns its cells into
// small photos, and they go back to where they came from. A rank gets one message, however many cells it is:
// an indexed region of the picture at one end, of a compact texture at the other.
#include "gl_world.h"
#include "requests.h"
#include "shaders.h"

#include <algorithm>
#include <vector>

namespace {

constexpr int cells_across = 72; // of the picture
constexpr int album_across = 12; // at most 16, as a photo's number is a byte

/// How a picture is cut, and who gets what.
struct Cut {
    int width, height, ranks;
    int cell_width = std::max(8, (width + cells_across - 1) / cells_across);
    int cell_height = std::max(8, (height + cells_across - 1) / cells_across);
    int columns = (width + cell_width - 1) / cell_width, rows = (height + cell_height - 1) / cell_height;

    int cells_of(int rank) const { return (columns * rows - rank + ranks - 1) / ranks; }
    int strip_rows(int rank) const { return std::max(1, (cells_of(rank) + columns - 1) / columns); }

    /// A rank's cells, as they lie in the picture or packed together. Those at the right and upper edge may be smaller.
    pixMPI_Region region(int rank, bool packed) const {
        std::vector<pixMPI_Rect> cells;
        for (int i = 0; i < cells_of(rank); ++i) {
            const int number = rank + i * ranks, at = packed ? i : number;
            const int x = number % columns * cell_width, y = number / columns * cell_height;
            cells.push_back({at % columns * cell_width, at / columns * cell_height, std::min(cell_width, width - x),
                             std::min(cell_height, height - y)});
        }
        pixMPI_Region region = PIXMPI_REGION_NULL;
        pixMPI_Region_indexed(static_cast<int>(cells.size()), cells.data(), &region);
        pixMPI_Region_commit(&region);
        return region;
    }
};

/// What a rank does with its cells: photos of the album, each the one that comes nearest.
struct Filter {
    const Cut &cut;
    int rank, rows = cut.strip_rows(rank);
    demo::Texture cells{cut.columns * cut.cell_width, rows *cut.cell_height, GL_RGBA8};
    demo::Texture photos{cut.columns * cut.cell_width, rows *cut.cell_height, GL_RGBA8};
    demo::Texture album{album_across * cut.cell_width, album_across *cut.cell_height, GL_RGBA8};
    demo::Texture means{cut.columns, rows, GL_RGBA8}, choice{cut.columns, rows, GL_RGBA8};
    demo::Texture album_means{album_across, album_across, GL_RGBA8};
    demo::Shader mean{mean_source}, choose{choose_source}, draw{photo_source};

    void run() {
        mean.set("cell", cut.cell_width, cut.cell_height);
        mean.set("picture", cells).draw(means);
        mean.set("picture", album).draw(album_means);
        choose.set("first", rank).set("step", cut.ranks).set("columns", cut.columns);
        choose.set("means", means, 0).set("album_means", album_means, 1).draw(choice);
        draw.set("cell", cut.cell_width, cut.cell_height);
        draw.set("choice", choice, 0).set("album", album, 1).set("album_means", album_means, 2).draw(photos);
    }
};

void mosaic(demo::GlWorld &world) {
    demo::Picture input;
    int size[2] = {world.options.width, world.options.height};
    if (world.rank == 0 && !world.options.input.empty()) {
        input = demo::load_png(world.options.input);
        size[0] = input.width;
        size[1] = input.height;
    }
    MPI_Bcast(size, 2, MPI_INT, 0, MPI_COMM_WORLD);
    const Cut cut{size[0], size[1], world.ranks};
    Filter filter{cut, world.rank};

    const bool root = world.rank == 0;
    demo::Texture picture =
        input.width ? demo::Texture(input) : demo::Texture(root ? cut.width : 1, root ? cut.height : 1, GL_RGBA8);
    demo::Texture result(picture.width(), picture.height(), GL_RGBA8);
    demo::Texture cuttings(album_across * cut.cell_width, album_across * cut.cell_height, GL_RGBA8);
    demo::Shader scene(scene_source), cutter(album_source);

    enum { cells, album };
    demo::Requests out, back;
    pixMPI_Region packed = cut.region(world.rank, true);
    out.receive(filter.cells, packed, 0, cells);
    out.receive(filter.album, PIXMPI_WHOLE, 0, album);
    back.send(filter.photos, packed, 0, cells);
    pixMPI_Region_free(&packed);
    for (int rank = 0; root && rank < world.ranks; ++rank) {
        pixMPI_Region spread = cut.region(rank, false);
        out.send(picture, spread, rank, cells);
        out.send(cuttings, PIXMPI_WHOLE, rank, album);
        back.receive(result, spread, rank, cells);
        pixMPI_Region_free(&spread);
    }

    double moving = 0;
    while (world.next_frame()) {
        if (root) {
            if (input.width == 0) {
                scene.set("size", static_cast<float>(cut.width), static_cast<float>(cut.height));
                scene.set("time", 0.05f * static_cast<float>(world.frame())).draw(picture);
            }
            cutter.set("cell", cut.cell_width, cut.cell_height).set("across", album_across);
            cutter.set("picture", picture).draw(cuttings);
            glFinish(); // so that the messages alone are timed
        }
        const double start = demo::now();
        out.run();
        const double sent = demo::now();
        filter.run();
        glFinish();
        const double filtered = demo::now();
        back.run();
        moving += sent - start + demo::now() - filtered;
        world.show(result);
    }
    world.say("%dx%d in %d cells of %dx%d, dealt to %d ranks and back: %.2f ms a frame", cut.width, cut.height,
              cut.columns * cut.rows, cut.cell_width, cut.cell_height, world.ranks, 1e3 * moving / world.frame());
    if (root && !world.options.output.empty())
        demo::save_png(result.picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(argc, argv,
                     {.name = "mosaic",
                      .text = "A picture made of small photos of itself, a part of them by each rank",
                      .defaults = {.width = 1920, .height = 1080, .frames = 30, .output = "mosaic.png"},
                      .input = "the picture, instead of a made-up one; it sets the size"},
                     mosaic);
}
