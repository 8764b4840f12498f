// A window that shows what other ranks render. These have no window, only a device each; every frame they draw a block
// of the picture and send it by a persistent request. Rank 0 receives the blocks into one image and copies it into the
// window. Both ends have two images, so that one frame is drawn while another travels and a third is shown.
// No CPU waits for a GPU: each step waits for the one before it by a timeline semaphore. Each image has its own: two
// messages that are under way may end in any order, and a timeline only moves forward. A rank alone renders and shows
// its picture itself.
#include "blocks.h"
#include "vk_world.h"

#include "scene_comp.spv.h"

#include <deque>
#include <memory>

namespace {

/// Frames use the two images alternately; an image's first use is the value 1 of its timelines, its second one 2. The
/// value 0 is before the first use: a wait for it ends at once.
std::uint64_t use(int frame) { return static_cast<std::uint64_t>(frame) / 2 + 1; }

/// Draws a block of each frame and sends it to rank 0.
class Renderer {
  public:
    Renderer(const demo::World &world, const demo::Gpu &gpu, pixMPI_Rect block)
        : world_(world), block_(block),
          kernel_(gpu, scene_comp, {.images = 1, .push_bytes = 20}), slots_{{gpu, kernel_, block},
                                                                            {gpu, kernel_, block}} {}

    void start(int frame) {
        Slot &slot = slots_[frame % 2];
        const struct {
            int origin[2], size[2];
            float time;
        } push{{block_.x, block_.y}, {world_.options.width, world_.options.height}, 0.04f * static_cast<float>(frame)};
        kernel_.run(slot.commands.begin(), slot.bound, push, block_.width, block_.height);
        slot.commands.submit(demo::Sync({slot.sent.at(use(frame) - 1)}, {slot.drawn.at(use(frame))}));
        vkMPI_Start(&slot.request, demo::Sync({slot.drawn.at(use(frame))}, {slot.sent.at(use(frame))}));
    }
    void finish(int frame) { pixMPI_Wait(&slots_[frame % 2].request, MPI_STATUS_IGNORE); }

  private:
    struct Slot {
        Slot(const demo::Gpu &gpu, demo::Kernel &kernel, pixMPI_Rect block)
            : image(gpu, block.width, block.height), drawn(gpu), sent(gpu), commands(gpu),
              bound(kernel.bind({&image})) {
            vkMPI_Send_init(image.surface(), PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, &request);
        }
        ~Slot() { pixMPI_Request_free(&request); }

        demo::Image image;
        demo::Timeline drawn, sent;
        demo::Commands commands;
        VkDescriptorSet bound;
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
    };
    const demo::World &world_;
    const pixMPI_Rect block_;
    demo::Kernel kernel_;
    Slot slots_[2];
};

/// Receives all blocks of each frame and shows it.
class Viewer {
  public:
    explicit Viewer(demo::VkWorld &world)
        : world_(world), slots_{{world.gpu(), world.options.width, world.options.height},
                                {world.gpu(), world.options.width, world.options.height}} {}

    void expect(pixMPI_Rect block, int source) {
        pixMPI_Region region = PIXMPI_REGION_NULL;
        pixMPI_Region_rect(block.x, block.y, block.width, block.height, &region);
        pixMPI_Region_commit(&region);
        for (Slot &slot : slots_) {
            slot.received.emplace_back(world_.gpu());
            vkMPI_Recv_init(slot.image.surface(), region, source, 0, MPI_COMM_WORLD, &slot.requests.emplace_back());
        }
        pixMPI_Region_free(&region);
    }

    void start(int frame) {
        Slot &slot = slots_[frame % 2];
        for (std::size_t i = 0; i < slot.requests.size(); ++i)
            vkMPI_Start(&slot.requests[i],
                        demo::Sync({slot.shown.at(use(frame) - 1)}, {slot.received[i].at(use(frame))}));
    }
    void finish(int frame) {
        Slot &slot = slots_[frame % 2];
        pixMPI_Waitall(static_cast<int>(slot.requests.size()), slot.requests.data(), MPI_STATUSES_IGNORE);
        demo::Sync sync({}, {slot.shown.at(use(frame))});
        for (const demo::Timeline &received : slot.received)
            sync.wait_for(received.at(use(frame)));
        world_.show(slot.image, sync);
    }
    const demo::Image &image(int frame) const { return slots_[frame % 2].image; }

  private:
    struct Slot {
        Slot(const demo::Gpu &gpu, int width, int height) : image(gpu, width, height), shown(gpu) {}
        ~Slot() {
            for (pixMPI_Request &request : requests)
                pixMPI_Request_free(&request);
        }

        demo::Image image;
        demo::Timeline shown;
        std::deque<demo::Timeline> received; ///< from each renderer
        std::vector<pixMPI_Request> requests;
    };
    demo::VkWorld &world_;
    Slot slots_[2];
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
