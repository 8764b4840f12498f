// Rank 0 renders, the others look on: a Bcast brings every frame into the textures of all, compressed on its way. The
// sender decides how; so a key that is pressed in a window goes to rank 0, which compresses the next frames like
// that. The windows' titles tell of frames, bytes and latency. A rank alone looks at its own frames.
#include "codecs.h"
#include "gl_world.h"
#include "meters.h"
#include "scene.h"
#include "window.h"
#include "wishes.h"

#include <cmath>
#include <glmpi.h>
#include <optional>
#include <pixmpi_collectives.h>

namespace {

/// Options in addition to those of all demos.
struct Choice {
    std::string codec = "jpeg:90";
    bool tour = false;
};

/// What rank 0 says before each frame.
struct Announcement {
    int frame = 0, end = 0;
    pixMPI_Codec codec{};
    double time = 0;  ///< by rank 0's clock, before it draws
    double share = 1; ///< bytes that have travelled for one of a pixel

    void tell_all() {
        MPI_Request request;
        MPI_Ibcast(this, sizeof *this, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        demo::wait(request);
    }
};

/// In dB, of red, green and blue; infinite where they are the same.
double psnr(const demo::Picture &one, const demo::Picture &other) {
    double squares = 0;
    for (std::size_t i = 0; i < one.rgba.size(); ++i)
        if (i % 4 != 3)
            squares += std::pow(int{one.rgba[i]} - int{other.rgba[i]}, 2);
    return 10 * std::log10(255.0 * 255.0 * 0.75 * static_cast<double>(one.rgba.size()) / squares);
}

class LiveView {
  public:
    LiveView(demo::GlWorld &world, const Choice &choice)
        : world_(world), codecs_(choice.tour ? tour() : std::vector{codec_named(choice.codec)}),
          picture_(world.options.width, world.options.height, GL_RGBA8), clock_(world) {
        now_.codec = codecs_.front();
        if (world.rank == 0)
            scene_.emplace(scene_source);
    }

    void run() {
        while (agree()) {
            if (scene_)
                draw();
            pixMPI_Bcast(pixMPI_Coded(glMPI_Texture2D(picture_.name()), now_.codec), PIXMPI_WHOLE, 0, MPI_COMM_WORLD);
            if (world_.rank > 0 || world_.ranks == 1)
                look();
            ++now_.frame;
        }
        wishes_.finish(world_);
        const bool first_viewer = world_.rank == std::min(1, world_.ranks - 1);
        if (first_viewer && now_.frame > 0 && !world_.options.output.empty())
            demo::save_png(picture_.picture(), world_.options.output);
    }

  private:
    /// On what comes next; false when nothing does. Collective.
    bool agree() {
        for (;;) {
            Announcement next = now_;
            if (world_.rank == 0)
                decide(next);
            next.tell_all();
            const bool same = !next.end && name_of(next.codec) == name_of(now_.codec);
            if (!same)
                report();
            now_ = next;
            if (same || next.end)
                return same;
        }
    }

    void decide(Announcement &next) {
        const int part = next.frame / world_.options.frames;
        if (part != part_ && part < static_cast<int>(codecs_.size()))
            next.codec = codecs_[static_cast<std::size_t>(part)];
        part_ = part;
        next.end = part == static_cast<int>(codecs_.size());
        for (Wish wish; wishes_.take(wish);) {
            next.codec = wish.codec;
            next.end |= wish.end;
        }
        next.share = traffic_.share();
        next.time = clock_.now();
    }

    void draw() {
        scene_->set("size", static_cast<float>(picture_.width()), static_cast<float>(picture_.height()));
        scene_->set("time", 0.03f * static_cast<float>(now_.frame)).set("number", now_.frame).draw(picture_);
    }

    void look() {
        world_.show(picture_);
        glFinish(); // before, the frame has not come
        const double latency = clock_.now() - now_.time;
        of_codec_.count(latency);
        of_title_.count(latency);
        if (demo::Window *const window = world_.window())
            serve(*window);
    }

    void serve(demo::Window &window) {
        if (of_title_.seconds() > 0.5) {
            window.title("liveview  " + text(of_title_.rate(), now_.share, of_title_.latency()));
            of_title_ = {};
        }
        Wish wish{now_.codec, 0};
        bool any = false;
        while (const char key = window.typed())
            any |= change(wish.codec, key);
        if (!window.open() && !closed_) {
            closed_ = any = true;
            wish.end = 1;
        }
        if (any)
            wishes_.send(wish);
    }

    std::string text(double rate, double share, double latency) const {
        const double mbit = 8e-6 * 4 * picture_.width() * picture_.height() * rate;
        char line[160], link[60] = "nothing is sent";
        if (world_.ranks > 1)
            std::snprintf(link, sizeof link, "%8.1f Mbit/s of %8.1f (1:%.1f)", mbit * share, mbit, 1 / share);
        std::snprintf(line, sizeof line, "%-12s %7.1f frames a second %s latency %6.1f ms", name_of(now_.codec).c_str(),
                      rate, link, 1e3 * latency);
        return line;
    }

    /// A line about the frames of one codec, of all viewers together. Collective.
    void report() {
        const double viewers = std::max(1, world_.ranks - 1);
        const double mine[] = {of_codec_.rate() / viewers, of_codec_.latency() / viewers, of_codec_.frames() / viewers};
        const double latest = of_codec_.most_latency();
        double all[3], most = 0;
        MPI_Reduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Reduce(&latest, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        const std::string line = text(all[0], traffic_.share(), all[1]); // before more is sent
        const double kept = world_.options.check && now_.frame > 0 ? compare() : 0;
        if (all[2] > 0) {
            char more[80] = "";
            if (std::isinf(kept))
                std::snprintf(more, sizeof more, ", the same bits");
            else if (world_.options.check)
                std::snprintf(more, sizeof more, ", PSNR %.2f dB", kept);
            world_.say("%s, %.1f at most; %.0f frames%s", line.c_str(), 1e3 * most, all[2], more);
        }
        of_codec_ = of_title_ = {};
        traffic_ = {};
    }

    /// Compares what rank 0 has drawn last with what this rank has of it; rank 0 gets the least PSNR. Collective.
    double compare() {
        constexpr double another = 15; // dB
        const demo::Picture mine = picture_.picture();
        const demo::Texture drawn(world_.rank == 0 ? mine : demo::Picture(mine.width, mine.height));
        pixMPI_Bcast(pixMPI_Coded(glMPI_Texture2D(drawn.name()), codec_named("none")), PIXMPI_WHOLE, 0, MPI_COMM_WORLD);
        const double here = psnr(mine, drawn.picture());
        if (loses(now_.codec) ? here < another : !std::isinf(here))
            throw demo::Error("--check: by " + name_of(now_.codec) + " came another picture than rank 0 has drawn: " +
                              demo::differences(mine, drawn.picture()));
        double least = here;
        MPI_Reduce(&here, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
        return least;
    }

    demo::GlWorld &world_;
    const std::vector<pixMPI_Codec> codecs_; ///< for --frames frames each
    demo::Texture picture_;
    const Clock clock_;
    std::optional<demo::Shader> scene_;
    Announcement now_;
    int part_ = 0;
    Wishes wishes_;
    Traffic traffic_;
    Meter of_codec_, of_title_;
    bool closed_ = false;
};

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    return demo::run(
        argc, argv,
        {.name = "liveview",
         .text = "Rank 0 renders, the others show it, compressed on its way. In a window: c changes the codec, + and - "
                 "the quality, s the subsampling, Escape ends",
         .defaults = {.width = 1280, .height = 720, .frames = 300, .output = "liveview.png"},
         .check = "compares each codec's last frame with what rank 0 has drawn",
         .flags = {{"--tour", "one codec after another, --frames frames each", &choice.tour}},
         .texts = {{"--codec", "the first one, such as lz4, jpeg:85:444 or auto:90", &choice.codec}}},
        [&](const demo::Start &start) {
            codec_named(choice.codec); // before there are windows
            demo::GlWorld world(start, start.rank > 0 || start.ranks == 1);
            LiveView(world, choice).run();
        });
}
