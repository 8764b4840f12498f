// Pictures of all ranks that become one on rank 0: each strategy of the compositor, and the same by hand, alternately.
#include "composite/composite.h"

#include "composite/composite_cost.h"
#include "composite/composite_log.h"
#include "message/message.h"

#include <algorithm>

namespace {

struct Strategy {
    const char *name;
    pixMPI_Strategy value;
};
constexpr Strategy strategies[] = {{"auto", PIXMPI_STRATEGY_AUTO}, {"direct", PIXMPI_STRATEGY_DIRECT},
                                   {"swap", PIXMPI_STRATEGY_SWAP}, {"radix", PIXMPI_STRATEGY_RADIX},
                                   {"tree", PIXMPI_STRATEGY_TREE}, {"hosts", PIXMPI_STRATEGY_HOSTS}};

/// Of all ranks. Collective.
double sum_of(double mine, const Team &team) {
    double sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, team.comm);
    return sum;
}

std::uint64_t sent_to_others(const pixMPI_Stats &before, const pixMPI_Stats &after) {
    const auto sent = [](const pixMPI_Stats &stats) {
        return stats.bytes_sent - stats.bytes_by_route[PIXMPI_ROUTE_SELF];
    };
    return sent(after) - sent(before);
}

/// Frames of one strategy, one after the other.
class Composited {
  public:
    Composited(CompositeTarget &target, const CompositeCase &what, const Strategy &strategy, const Settings &settings,
               const Team &team)
        : target_(target), team_(team),
          compositor_(make_compositor(what.merge, strategy.value, team)), way_{.name = strategy.name,
                                                                               .run = [this] { run(); }} {
        if (settings.trace.empty())
            return;
        std::string name = what.name + " " + strategy.name + "." + std::to_string(team.rank) + ".json";
        std::replace(name.begin(), name.end(), ' ', '-');
        check(pixMPI_Compositor_set_trace(compositor_, (settings.trace + "/" + name).c_str()));
    }
    ~Composited() { pixMPI_Compositor_free(&compositor_); }
    Composited(const Composited &) = delete;
    Composited &operator=(const Composited &) = delete;

    Way &way() { return way_; }

    /// One frame, its route, and bytes that all ranks send for it. Collective.
    std::vector<std::byte> first_frame(Figures &figures) {
        pixMPI_Stats before = PIXMPI_STATS_INIT, after = PIXMPI_STATS_INIT;
        check(pixMPI_Get_stats(&before));
        target_.forget_picture();
        idle_barrier(team_.comm);
        run();
        idle_barrier(team_.comm); // what this rank sends has been received
        check(pixMPI_Get_stats(&after));
        figures.exchanged = sum_of(static_cast<double>(sent_to_others(before, after)), team_);
        figures.route = route_since(before, team_.comm);
        return target_.picture_pixels();
    }

  private:
    void run() {
        check(pixMPI_Composite(target_.drawn(), target_.active(), target_.picture(), compositor_));
        target_.await_picture();
        all_finished(team_);
    }

    CompositeTarget &target_;
    const Team &team_;
    pixMPI_Compositor compositor_;
    Way way_;
};

void measure_case(const CompositeCase &what, const Job &job, const Settings &settings, Report &report,
                  CompositeLog &log) {
    std::vector<const Strategy *> wanted;
    for (const Strategy &strategy : strategies)
        if ((settings.strategy.empty() || settings.strategy == strategy.name) &&
            settings.wants(what.name + " " + strategy.name))
            wanted.push_back(&strategy);
    if (wanted.empty())
        return;

    const Team &team = job.all;
    CompositeTarget target(what, settings.object, team);
    CompositeByHand by_hand(what.merge, static_cast<std::size_t>(what.width) * static_cast<std::size_t>(what.height),
                            team);
    Way naive{.name = "naive", .run = [&] {
                  target.compose_by_hand(by_hand);
                  target.await_picture();
                  all_finished(team);
              }};
    target.forget_picture();
    naive.run();
    const std::vector<std::byte> expected = target.picture_pixels();
    const double sent_by_hand = sum_of(by_hand.sent(), team);

    const int on_host = ranks_on_each_host(team);
    std::vector<std::unique_ptr<Composited>> all;
    std::vector<Figures> figures(wanted.size());
    std::vector<Way *> ways{&naive};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        all.push_back(std::make_unique<Composited>(target, what, *wanted[i], settings, team));
        ways.push_back(&all.back()->way());
        check_same_picture(what, all.back()->first_frame(figures[i]), expected, wanted[i]->name, team);
    }
    const int repetitions = take_turns(ways, {settings.seconds, settings.repetitions, settings.least}, team);
    log.add(what, naive, team.ranks, sent_by_hand);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        Figures &f = figures[i];
        const CompositeCost cost = cost_of(what, wanted[i]->value, team.ranks, on_host);
        f.bytes = static_cast<double>(what.width) * what.height * what.pixel_bytes();
        f.seconds = all[i]->way().result;
        f.naive = naive.result;
        f.rounds = cost.rounds;
        f.critical = cost.bytes;
        f.ranks = team.ranks;
        f.repetitions = repetitions;
        f.format = what.format();
        add_stage(f, team.comm);
        report.add(what.name + " " + wanted[i]->name, f);
        log.add(what, all[i]->way(), team.ranks, f.exchanged);
    }
}

std::vector<CompositeCase> cases(const Settings &s) {
    std::vector<CompositeCase> all;
    for (const auto &[kind, merge] : {std::pair{"depth", Merge::nearest}, std::pair{"over", Merge::over_floats},
                                      std::pair{"over", Merge::over_bytes}})
        for (const auto &[cover_name, cover] : {std::pair{"dense", Cover::dense}, std::pair{"sparse", Cover::sparse}}) {
            CompositeCase one{"", merge, cover, s.width ? s.width : 1920, s.width ? s.height : 1080};
            one.name = std::string(kind) + " " + cover_name + " " + std::to_string(one.width) + "x" +
                       std::to_string(one.height) + " " + pixMPI_Format_name(one.format());
            if (s.format == PIXMPI_FORMAT_NONE || s.format == one.format())
                all.push_back(one);
        }
    return all;
}

} // namespace

std::vector<std::string> composite_strategies() {
    std::vector<std::string> names;
    for (const Strategy &strategy : strategies)
        names.emplace_back(strategy.name);
    return names;
}

pixMPI_Strategy strategy_named(const std::string &name) {
    for (const Strategy &strategy : strategies)
        if (name == strategy.name)
            return strategy.value;
    return PIXMPI_STRATEGY_AUTO;
}

std::string composite_format_problem(pixMPI_Format format) {
    if (format == PIXMPI_FORMAT_NONE || format == PIXMPI_RGBA8 || format == PIXMPI_RGBA32F)
        return "";
    return std::string("--format: ") + pixMPI_Format_name(format) +
           " is none of the pictures of composite, expected RGBA8 or RGBA32F";
}

void measure_composite(const Job &job, const Settings &settings, Report &report) {
    CompositeLog log;
    const std::string problem = no_depths(*job.all.api, settings.object, job.all.comm);
    for (const CompositeCase &what : cases(settings)) {
        if (what.merge == Merge::nearest && !problem.empty())
            report.note(what.name + " is left out: " + problem);
        else if (!settings.overlap)
            measure_case(what, job, settings, report, log);
        else if (what.cover == Cover::dense && what.merge != Merge::over_bytes)
            measure_overlap(what, job, settings, report);
    }
    const bool written = job.all.rank != 0 || settings.csv.empty() || log.write(settings.csv);
    check_all(written, "--csv: " + settings.csv + " cannot be written", job.all.comm);
}
