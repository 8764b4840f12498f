// A window that shows what other ranks render. These have no window, only a device each; every frame they draw a block
// of the picture and send it by a persistent request. Rank 0 receives the blocks into one image and copies it into the
// window. Both ends have two images, so that one frame is drawn while another travels and a third is shown. Nobody
// waits for a GPU: each step waits for the one before it by a timeline semaphore, on which frame n is the value n + 1.
// A rank alone renders and shows its picture itself.
#include "blocks.h"
#include "vk_world.h"

#include "scene_comp.spv.h"

#include <deque>
#include <memory>

using demo::check;

namespace {

/// What a frame's steps are on a timeline; of the frame before the last, when its image was in use. There is none
/// before the first, and then nothing is to be waited for: a timeline begins at 0.
std::uint64_t value_of(int frame) { return static_cast<std::uint64_t>(frame) + 1; }
std::uint64_t before_last(int frame) { return frame < 2 ? 0 : value_of(frame - 2); }

/// Draws a block of each frame and sends it to rank 0.
class Renderer {
  public:
    Renderer(const demo::World &world, const demo::Gpu &gpu, pixMPI_Rect block)
        : world_(world), block_(block), kernel_(gpu, scene_comp, {.images = 1, .push_bytes = 20}), drawn_(gpu),
          sent_(gpu), slots_{{gpu, kernel_, block}, {gpu, kernel_, block}} {}

    void start(int frame) {
        Slot &slot = slots_[frame % 2];
        const struct {
            int origin[2], size[2];
            float time;
        } push{{block_.x, block_.y}, {world_.options.width, world_.options.height}, 0.04f * static_cast<float>(frame)};
        kernel_.run(slot.commands.begin(), slot.bound, push, block_.width, block_.height);
        slot.commands.submit(demo::Sync({sent_.at(before_last(frame))}, {drawn_.at(value_of(frame))}));
        check(vkMPI_Start(&slot.request, demo::Sync({drawn_.at(value_of(frame))}, {sent_.at(value_of(frame))})));
    }
    void finish(int frame) { check(vkMPI_Wait(&slots_[frame % 2].request, MPI_STATUS_IGNORE)); }

  private:
    struct Slot {
        Slot(const demo::Gpu &gpu, demo::Kernel &kernel, pixMPI_Rect block)
            : image(gpu, block.width, block.height), commands(gpu), bound(kernel.bind({&image})) {
            check(vkMPI_Send_init(image.surface(), PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, &request));
        }
        ~Slot() { vkMPI_Request_free(&request); }

        demo::Image image;
        demo::Commands commands;
        VkDescriptorSet bound;
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
    };
    const demo::World &world_;
    const pixMPI_Rect block_;
    demo::Kernel kernel_;
    demo::Timeline drawn_, sent_;
    Slot slots_[2];
};

/// Receives all blocks of each frame and shows it.
class Viewer {
  public:
    explicit Viewer(demo::VkWorld &world)
        : world_(world), images_{{world.gpu(), world.options.width, world.options.height},
                                 {world.gpu(), world.options.width, world.options.height}},
          shown_(world.gpu()) {}
    ~Viewer() {
        for (auto &requests : requests_)
            for (pixMPI_Request &request : requests)
                vkMPI_Request_free(&request);
    }

    void expect(pixMPI_Rect block, int source) {
        pixMPI_Region region = PIXMPI_REGION_NULL;
        check(pixMPI_Region_rect(block.x, block.y, block.width, block.height, &region));
        check(pixMPI_Region_commit(&region));
        for (int i : {0, 1})
            check(
                vkMPI_Recv_init(images_[i].surface(), region, source, 0, MPI_COMM_WORLD, &requests_[i].emplace_back()));
        check(pixMPI_Region_free(&region));
        received_.emplace_back(world_.gpu());
    }

    void start(int frame) {
        for (std::size_t i = 0; i < received_.size(); ++i)
            check(vkMPI_Start(&requests_[frame % 2][i],
                              demo::Sync({shown_.at(before_last(frame))}, {received_[i].at(value_of(frame))})));
    }
    void finish(int frame) {
        auto &requests = requests_[frame % 2];
        check(vkMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
        demo::Sync sync({}, {shown_.at(value_of(frame))});
        for (const demo::Timeline &received : received_)
            sync.wait_for(received.at(value_of(frame)));
        world_.show(images_[frame % 2], sync);
    }
    const demo::Image &image(int frame) const { return images_[frame % 2]; }

  private:
    demo::VkWorld &world_;
    demo::Image images_[2];
    demo::Timeline shown_;
    std::deque<demo::Timeline> received_;     ///< from each renderer
    std::vector<pixMPI_Request> requests_[2]; ///< into each image
};

void window(demo::VkWorld &world) {
    const int width = world.options.width, height = world.options.height;
    const int first = world.ranks > 1 ? 1 : 0, renderers = world.ranks - first;
    const auto block = [&](int rank) {
        return demo::grid_of(rank - first, renderers, width, height).block(width, height);
    };
    std::unique_ptr<Renderer> renderer;
    if (world.rank >= first)
        renderer = std::make_unique<Renderer>(world, world.gpu(), block(world.rank));
    std::unique_ptr<Viewer> viewer;
    if (world.rank == 0) {
        viewer = std::make_unique<Viewer>(world);
        for (int rank = first; rank < world.ranks; ++rank)
            viewer->expect(block(rank), rank);
    }
    const auto start = [&](int frame) {
        if (viewer)
            viewer->start(frame);
        if (renderer)
            renderer->start(frame);
    };
    const auto finish = [&](int frame) {
        if (renderer)
            renderer->finish(frame);
        if (viewer)
            viewer->finish(frame);
    };

    demo::meet();
    const double began = demo::now();
    while (world.next_frame()) {
        start(world.frame());
        if (world.frame() > 0)
            finish(world.frame() - 1);
    }
    if (world.frame() > 0)
        finish(world.frame() - 1);
    world.say("%dx%d from %d renderers: %.1f frames a second", width, height, renderers,
              world.frame() / (demo::now() - began));
    if (viewer && world.frame() > 0 && !world.options.output.empty())
        demo::save_png(viewer->image(world.frame() - 1).picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(argc, argv,
                     {.name = "window",
                      .text = "A window on rank 0 shows what the other ranks render without one",
                      .defaults = {.width = 1280, .height = 720, .frames = 1000, .output = "window.png"}},
                     window);
}
