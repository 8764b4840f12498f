// Packing and unpacking alone: what the library's device does in a message between memory of the GPU and an object.
#include "pack/pack.h"

#include "message/message.h"

#include <algorithm>
#include <cmath>

namespace {

using pixmpi::Direction;

/// A rectangle of half the size within 8192x8192, 10,000 tiles, a triangle, and everything; or what was asked for.
std::vector<RegionCase> pack_cases(const Settings &s) {
    Settings all = s;
    const int width = s.width ? s.width : 8192, height = s.width ? s.height : 8192;
    all.width = width;
    all.height = height;
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    std::vector<RegionCase> cases;
    cases.push_back({size, width, height, PIXMPI_RGBA8, {{0, 0, width, height}}});
    const int half = std::max(1, width / 2), quarter = std::max(1, height / 4);
    const std::string part = std::to_string(half) + "x" + std::to_string(quarter);
    cases.push_back({"rectangle of " + part, width, height, PIXMPI_RGBA8, {{width / 8, height / 8, half, quarter}}});
    const std::vector<RegionCase> shapes = region_cases(all);
    if (s.width == 0) { // the number of tiles of the mode region
        Settings fewer = s;
        fewer.width = fewer.height = 2048;
        cases.push_back(region_cases(fewer)[1]);
    } else {
        cases.push_back(shapes[1]);
    }
    cases.push_back(shapes[2]);
    for (RegionCase &one : cases)
        one.format = s.format != PIXMPI_FORMAT_NONE ? s.format : one.format;
    return cases;
}

/// The same where the CPU takes part: messages that are all in one band, by the clock on the wall.
class Alone {
  public:
    Alone(CardMemory &card, Direction direction, std::shared_ptr<const pixmpi::Region> region)
        : region_(std::move(region)) {
        const std::shared_ptr<pixmpi::Surface> surface = card.surface(direction);
        const auto bytes = static_cast<std::size_t>(region_->pixels) * static_cast<std::size_t>(surface->pixel_bytes);
        check(surface->device->make_stage(pixmpi::StageKind::local, nullptr, bytes, stage_));
        check(surface->device->make_transfer(direction, surface, region_, transfer_));
    }

    double seconds(int times) {
        const double before = MPI_Wtime();
        for (int i = 0; i < times; ++i)
            run();
        return (MPI_Wtime() - before) / times;
    }

  private:
    void run() {
        pixmpi::Ticket ticket = pixmpi::done;
        transfer_->start();
        check(transfer_->begin(region_->pixels));
        check(transfer_->copy(0, region_->pixels, *stage_, 0, ticket));
        check(transfer_->end());
        for (bool over = false; !over;)
            check(transfer_->poll(ticket, over));
    }

    const std::shared_ptr<const pixmpi::Region> region_;
    std::unique_ptr<pixmpi::Stage> stage_;
    std::unique_ptr<pixmpi::Transfer> transfer_;
};

/// The median of a few measurements, each of as many runs in a row as take Settings::in_a_row(). `way` is told how
/// many.
template <class Way> double measure(const Settings &settings, Way way, int &repetitions) {
    constexpr int most_in_a_row = 16;
    way(1); // makes what is made once
    const double guess = std::max(way(1), 1e-7);
    const int times = std::clamp(static_cast<int>(settings.in_a_row() / guess), 1, most_in_a_row);
    const double budget = settings.seconds / 6; // ways to a case, about
    const int wanted = std::clamp(static_cast<int>(budget / (guess * times)), 2, settings.repetitions);
    std::vector<double> all;
    for (repetitions = 0; repetitions < wanted; ++repetitions)
        all.push_back(way(times));
    return typical(all, {settings.seconds, settings.repetitions, settings.least});
}

/// Until the GPU's clocks have risen.
void warm_up(CardMemory &card, const Settings &settings) {
    const double enough = 25 * settings.in_a_row(); // 0.1
    for (double begin = MPI_Wtime(); MPI_Wtime() - begin < enough;)
        card.copy_by_command(8);
}

double measure_library(CardMemory &card, const Settings &settings, Direction direction, const RegionCase &what,
                       int &repetitions) {
    const std::shared_ptr<const pixmpi::Region> region = region_of(what);
    if (!std::isnan(card.library(direction, region, 1)))
        return measure(
            settings, [&](int times) { return card.library(direction, region, times); }, repetitions);
    Alone alone(card, direction, region);
    return measure(
        settings, [&](int times) { return alone.seconds(times); }, repetitions);
}

void measure_case(const RegionCase &what, const Settings &settings, const Team &team, Report &report) {
    std::string problem;
    const auto object = make_object(*team.api, settings.object, {what.format, what.width, what.height}, problem);
    std::unique_ptr<CardMemory> card;
    if (problem.empty())
        card = team.api->card_memory(*object, what, problem);
    check_all(problem.empty(), problem, team.comm);
    Figures f;
    f.bytes = static_cast<double>(what.pixels()) * object->pixel_bytes;
    f.format = what.format;
    warm_up(*card, settings);
    f.copy_command = measure(
        settings, [&](int times) { return card->copy_by_command(times); }, f.repetitions);
    if (!std::isnan(card->copy_by_shader(1)))
        f.copy_shader = measure(
            settings, [&](int times) { return card->copy_by_shader(times); }, f.repetitions);
    f.limit = std::isnan(f.copy_shader) ? f.copy_command : std::min(f.copy_command, f.copy_shader);
    for (const Direction direction : {Direction::pack, Direction::unpack}) {
        const bool pack = direction == Direction::pack;
        f.naive = 1e9;
        for (int layout = 0; layout < object->layouts(); ++layout) { // as fast as it gets by hand
            object->use_layout(layout);
            const auto naive = [&](int times) { return card->naive(direction, times); };
            f.naive = std::min(f.naive, measure(settings, naive, f.repetitions));
        }
        f.seconds = measure_library(*card, settings, direction, what, f.repetitions);
        f.pack = pack ? f.seconds : not_measured;
        f.unpack = pack ? not_measured : f.seconds;
        report.add((pack ? "pack " : "unpack ") + what.name, f);
    }
}

} // namespace

std::shared_ptr<const pixmpi::Region> region_of(const RegionCase &what) {
    auto region = std::make_shared<pixmpi::Region>();
    region->rects = what.rects;
    region->bounds = {0, 0, what.width, what.height};
    for (const pixMPI_Rect &rect : what.rects) {
        region->starts.push_back(region->pixels);
        region->pixels += static_cast<std::uint64_t>(rect.width) * static_cast<std::uint64_t>(rect.height);
    }
    region->starts.push_back(region->pixels);
    region->committed = true;
    return region;
}

void measure_pack(const Job &job, const Settings &settings, Report &report) {
    for (const RegionCase &what : pack_cases(settings))
        if (settings.wants(what.name))
            measure_case(what, settings, job.all, report);
}

std::size_t largest_pack(const Settings &settings) {
    std::size_t most = 0;
    for (const RegionCase &what : pack_cases(settings))
        most = std::max(most, static_cast<std::size_t>(what.pixels() * pixMPI_Format_bytes(what.format)));
    return most;
}
