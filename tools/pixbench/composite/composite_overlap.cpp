// A program that draws a frame while the one before it is composed, with two sets of targets. Its drawing is a
// computation that takes as long as composing alone. No frame takes less than the longer of the two.
#include "composite/composite.h"
#include "message/message.h"

namespace {

constexpr int under_way = 2;
constexpr int frames = 8; ///< of one measurement

class Overlapped {
  public:
    Overlapped(const CompositeCase &what, const Settings &settings, const Team &team)
        : team_(team),
          by_hand_(what.merge, static_cast<std::size_t>(what.width) * static_cast<std::size_t>(what.height), team),
          compositor_(make_compositor(what.merge, strategy_named(settings.strategy), team)), rows_(what.height) {
        for (auto &target : targets_)
            target = std::make_unique<CompositeTarget>(what, settings.object, team);
        make_fills(1);
    }
    ~Overlapped() { pixMPI_Compositor_free(&compositor_); }
    Overlapped(const Overlapped &) = delete;
    Overlapped &operator=(const Overlapped &) = delete;

    Way drawing() {
        return way("drawing", [this](int turn) { draw(turn); });
    }
    Way composing() {
        return way("composing", [this](int turn) {
            start(turn);
            await(turn);
        });
    }
    Way both() {
        return way("both", [this](int turn) {
            await(turn); // the last frame but one
            draw(turn);
            start(turn);
        });
    }

    /// Draws for as long as composing takes, about: more steps for each pixel, or fewer rows. Collective.
    void choose_drawing() {
        constexpr int factor = 8, most = 1 << 20;
        const double composing_takes = seconds_of(composing());
        double takes = seconds_of(drawing()), fewer_take = takes;
        if (takes > composing_takes) {
            rows_ = std::clamp(static_cast<int>(rows_ * composing_takes / takes), 1, rows_);
            return;
        }
        // Until it takes longer: the difference of two short times may be less than what other programs add to them.
        int steps = 1;
        while (takes < composing_takes && steps < most) {
            fewer_take = takes;
            make_fills(steps *= factor);
            takes = seconds_of(drawing());
        }
        if (takes <= composing_takes)
            return;
        const double fewer = steps / factor, share = (composing_takes - fewer_take) / (takes - fewer_take);
        make_fills(static_cast<int>(fewer + share * (steps - fewer)));
    }

    /// Ends the run unless both sets' pictures are those of what was drawn last. Collective.
    void verify(const CompositeCase &what, const std::string &strategy) {
        for (const auto &target : targets_)
            target->forget_picture();
        both().run();
        for (const auto &target : targets_) {
            const std::vector<std::byte> ours = target->picture_pixels();
            target->compose_by_hand(by_hand_);
            target->await_picture();
            check_same_picture(what, ours, target->picture_pixels(), strategy, team_);
        }
    }

  private:
    /// Frames in a row. The device's remaining work for them is waited for once, at the end.
    template <class Frame> Way way(const char *name, Frame frame) {
        return {.name = name, .run = [this, frame] {
                    for (int i = 0; i < frames; ++i)
                        frame(i % under_way);
                    for (int turn = 0; turn < under_way; ++turn) {
                        await(turn);
                        targets_[turn]->color().finish();
                        targets_[turn]->await_picture();
                    }
                    all_finished(team_);
                }};
    }
    void make_fills(int steps) {
        for (int i = 0; i < under_way; ++i) {
            std::string problem;
            fills_[i] = targets_[i]->color().make_fill(steps, problem);
            check_all(problem.empty(), problem, team_.comm);
        }
    }
    double seconds_of(const Way &way) { return least_of_few(way.run, 1e9, team_) / frames; }

    /// Where the processor draws, the frame before moves along only when it is asked for.
    void draw(int turn) {
        CompositeTarget &target = *targets_[turn];
        const int width = target.color().width, slices = team_.api->software() ? std::min(16, rows_) : 1;
        const auto seed = static_cast<std::uint32_t>(++drawn_ * 64 + team_.rank);
        for (int i = 0; i < slices; ++i) {
            const int y = rows_ * i / slices, end = rows_ * (i + 1) / slices;
            fills_[turn]->run({0, y, width, end - y}, seed);
            int over = 0;
            if (pixMPI_Request &other = requests_[1 - turn]; slices > 1 && other != PIXMPI_REQUEST_NULL)
                check(pixMPI_Test(&other, &over, MPI_STATUS_IGNORE));
        }
    }
    void start(int turn) {
        CompositeTarget &target = *targets_[turn];
        check(pixMPI_Icomposite(target.drawn(), target.active(), target.picture(), compositor_, &requests_[turn]));
    }
    void await(int turn) {
        if (requests_[turn] != PIXMPI_REQUEST_NULL)
            check(pixMPI_Wait(&requests_[turn], MPI_STATUS_IGNORE));
    }

    const Team &team_;
    CompositeByHand by_hand_;
    pixMPI_Compositor compositor_;
    std::unique_ptr<CompositeTarget> targets_[under_way];
    std::unique_ptr<Fill> fills_[under_way];
    pixMPI_Request requests_[under_way] = {};
    int rows_;      ///< that are drawn
    int drawn_ = 0; ///< frames
};

} // namespace

void measure_overlap(const CompositeCase &what, const Job &job, const Settings &settings, Report &report) {
    const std::string strategy = settings.strategy.empty() ? "auto" : settings.strategy;
    const std::string name = what.name + " " + strategy + " overlapped";
    if (!settings.wants(name))
        return;
    Overlapped overlapped(what, settings, job.all);
    overlapped.choose_drawing();
    overlapped.verify(what, strategy);
    Way drawing = overlapped.drawing(), composing = overlapped.composing(), both = overlapped.both();
    Figures f;
    f.repetitions =
        take_turns({&drawing, &composing, &both}, {settings.seconds, settings.repetitions, settings.least}, job.all);
    f.bytes = static_cast<double>(what.width) * what.height * what.pixel_bytes();
    f.seconds = both.result / frames;
    f.computation = drawing.result / frames;
    f.network = composing.result / frames;
    f.limit = std::max(f.computation, f.network);
    f.ranks = job.all.ranks;
    f.format = what.format();
    add_stage(f, job.all.comm);
    report.add(name, f);
}
