// A farm that draws the Mandelbrot set. Rank 0 hands out strips of the picture to ranks that ask for more, and ranks
// that got easy ones ask more often. Work travels as MPI messages, pixels from image to image: a strip's number is its
// tag. Each rank, rank 0 among them, works with two hands, so that the next strip has been asked for, and is drawn,
// while the last one is on its way. The colours show which rank drew a strip.
#include "view.h"
#include "vk_world.h"

#include "mandelbrot_comp.spv.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace {

constexpr int strip_rows = 16;
constexpr int nothing_left = -1;
enum Tag { question = 1, answer };

/// Asks for a strip, draws it, sends it, asks again. Nothing here waits: `step` does what can be done now.
class Hand {
  public:
    Hand(const demo::World &world, const demo::Gpu &gpu, demo::Kernel &kernel)
        : world_(world), kernel_(kernel), image_(gpu, world.options.width, strip_rows), commands_(gpu),
          bound_(kernel.bind({&image_})) {
        draw(0, {}); // compiles, before the clock runs
        commands_.wait();
    }

    void ask() {
        MPI_Irecv(&strip_, 1, MPI_INT, 0, answer, MPI_COMM_WORLD, &answer_);
        MPI_Request sent;
        MPI_Isend(nullptr, 0, MPI_INT, 0, question, MPI_COMM_WORLD, &sent);
        MPI_Request_free(&sent);
    }

    /// Whether something has happened.
    bool step(const View &view) {
        int done = 0;
        if (answer_ != MPI_REQUEST_NULL) {
            MPI_Test(&answer_, &done, MPI_STATUS_IGNORE);
            if (done && strip_ != nothing_left) {
                draw(strip_, view);
                send(strip_);
            }
        } else if (sent_ != PIXMPI_REQUEST_NULL) {
            pixMPI_Test(&sent_, &done, MPI_STATUS_IGNORE);
            if (done) {
                busy += commands_.seconds();
                ++strips;
                ask();
            }
        }
        return done;
    }
    bool idle() const { return answer_ == MPI_REQUEST_NULL && sent_ == PIXMPI_REQUEST_NULL; }

    double busy = 0; ///< seconds of drawing
    int strips = 0;

  private:
    void draw(int strip, const View &view) {
        const std::array<float, 3> tint = tint_of(world_.rank);
        const struct {
            View view;
            int row;
            float tint[4];
        } push{view, strip * strip_rows, {tint[0], tint[1], tint[2], 1}};
        kernel_.run(commands_.begin(), bound_, push, image_.width(), strip_rows);
        commands_.submit();
    }

    /// Behind the drawing, on the same queue: no CPU has to wait for the GPU.
    void send(int strip) {
        const int rows = std::min(strip_rows, world_.options.height - strip * strip_rows);
        pixMPI_Region region = PIXMPI_REGION_NULL;
        pixMPI_Region_rect(0, 0, image_.width(), rows, &region);
        pixMPI_Region_commit(&region);
        vkMPI_Isend(image_.surface(), region, 0, strip, MPI_COMM_WORLD, &sent_, nullptr);
        pixMPI_Region_free(&region);
    }

    const demo::World &world_;
    demo::Kernel &kernel_;
    demo::Image image_;
    demo::Commands commands_;
    VkDescriptorSet bound_;
    int strip_ = nothing_left;
    MPI_Request answer_ = MPI_REQUEST_NULL;
    pixMPI_Request sent_ = PIXMPI_REQUEST_NULL;
};

/// Rank 0's part: answers questions and receives strips.
class Farmer {
  public:
    Farmer(const demo::Image &picture, int hands)
        : picture_(picture), strips_((picture.height() + strip_rows - 1) / strip_rows), hands_(hands) {
        listen();
    }

    bool step() {
        int asked = 0, arrived = 0;
        MPI_Status status;
        if (hands_ > 0)
            MPI_Test(&question_, &asked, &status);
        if (asked) {
            const int strip = next_ < strips_ ? next_++ : nothing_left;
            MPI_Send(&strip, 1, MPI_INT, status.MPI_SOURCE, answer, MPI_COMM_WORLD); // its receive has been posted
            if (strip == nothing_left)
                --hands_;
            else
                receive(strip, status.MPI_SOURCE);
            if (hands_ > 0)
                listen();
        }
        pixMPI_Testall(static_cast<int>(coming_.size()), coming_.data(), &arrived, MPI_STATUSES_IGNORE);
        complete_ = arrived && hands_ == 0;
        return asked;
    }
    bool complete() const { return complete_; }

  private:
    void listen() { MPI_Irecv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, question, MPI_COMM_WORLD, &question_); }

    void receive(int strip, int source) {
        const int y = strip * strip_rows;
        pixMPI_Region region = PIXMPI_REGION_NULL;
        pixMPI_Region_rect(0, y, picture_.width(), std::min(strip_rows, picture_.height() - y), &region);
        pixMPI_Region_commit(&region);
        vkMPI_Irecv(picture_.surface(), region, source, strip, MPI_COMM_WORLD, &coming_.emplace_back(), nullptr);
        pixMPI_Region_free(&region);
    }

    const demo::Image &picture_;
    const int strips_;
    int hands_; ///< that have not been told that nothing is left
    int next_ = 0;
    bool complete_ = false;
    MPI_Request question_ = MPI_REQUEST_NULL;
    std::vector<pixMPI_Request> coming_;
};

/// Who did how much, and how well the farm was used.
void report(const demo::World &world, const Hand (&hands)[2], double seconds) {
    const double mine[2] = {hands[0].busy + hands[1].busy, static_cast<double>(hands[0].strips + hands[1].strips)};
    std::vector<double> all(2 * static_cast<std::size_t>(world.ranks));
    MPI_Gather(mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double busy = 0;
    for (int rank = 0; world.rank == 0 && rank < world.ranks; ++rank) {
        const double *part = &all[2 * static_cast<std::size_t>(rank)];
        world.say("rank %d: %.0f strips, drawing for %.3f s", rank, part[1], part[0]);
        busy += part[0];
    }
    const double pixels = double(world.options.width) * world.options.height * world.frame();
    world.say("%dx%d, %d frames: %.2f million pixels a second, efficiency %.0f%%", world.options.width,
              world.options.height, world.frame(), 1e-6 * pixels / seconds, 100 * busy / (world.ranks * seconds));
}

void mandelbrot(demo::VkWorld &world) {
    const int width = world.options.width, height = world.options.height;
    const demo::Gpu &gpu = world.gpu();
    demo::Kernel kernel(gpu, mandelbrot_comp, {.images = 1, .push_bytes = 32});
    Hand hands[2]{{world, gpu, kernel}, {world, gpu, kernel}};
    std::unique_ptr<demo::Image> picture;
    if (world.rank == 0)
        picture = std::make_unique<demo::Image>(gpu, width, height);

    demo::meet();
    const double start = demo::now();
    while (world.next_frame()) {
        const View view = view_of(world.frame(), width, height);
        std::unique_ptr<Farmer> farmer;
        if (world.rank == 0)
            farmer = std::make_unique<Farmer>(*picture, 2 * world.ranks);
        for (Hand &hand : hands)
            hand.ask();
        while (!hands[0].idle() || !hands[1].idle() || (farmer && !farmer->complete())) {
            bool something = farmer && farmer->step();
            for (Hand &hand : hands)
                something = hand.step(view) || something;
            if (!something)
                demo::pause();
        }
        if (picture)
            world.show(*picture);
        demo::meet(); // who is early would ask the farmer of the last frame
    }
    report(world, hands, demo::now() - start);
    if (picture && !world.options.output.empty())
        demo::save_png(picture->picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(argc, argv,
                     {.name = "mandelbrot",
                      .text = "The Mandelbrot set, in strips that ranks ask for; colours show which rank drew a strip",
                      .defaults = {.width = 1280, .height = 720, .frames = 60, .output = "mandelbrot.png"}},
                     mandelbrot);
}
