#include "composite/frame_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <optional>

namespace pixmpi {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = FrameLog::Clock;

/// From the first step's beginning to the last one's end; of steps that have begun.
class Span {
  public:
    void add(const Plan::Report &step) {
        begun_ = std::min(begun_.value_or(step.begun), step.begun);
        over_ = std::max(over_.value_or(step.over), step.over);
    }
    double seconds() const { return begun_ ? Seconds(*over_ - *begun_).count() : 0; }

  private:
    std::optional<Clock::time_point> begun_, over_;
};

/// Since 1970, since hosts have no other clock in common.
double microseconds(Clock::time_point when) {
    using namespace std::chrono;
    const auto since = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()) - (Clock::now() - when);
    return static_cast<double>(duration_cast<nanoseconds>(since).count()) / 1000;
}

constexpr const char *phase_names[] = {"search", "wait for all ranks", "blend", "collect"};

} // namespace

double FrameLog::drawn_until(Clock::time_point now) const {
    return returned_ == Clock::time_point() ? 0 : Seconds(now - returned_).count();
}

void FrameLog::add(const Frame &frame, int ranks) {
    std::array<Span, std::size(phase_names)> phases;
    sent_.assign(static_cast<std::size_t>(ranks), 0);
    received_.assign(static_cast<std::size_t>(ranks), 0);
    last_ = {};
    for (const Plan::Report &step : frame.steps) {
        phases[static_cast<std::size_t>(step.phase)].add(step);
        last_.compress += step.coding_seconds;
        if (step.phase == static_cast<int>(FramePhase::telling))
            continue; // no pixels
        if (step.kind == Plan::Kind::recv)
            received_[static_cast<std::size_t>(step.rank)] += step.bytes;
        else if (step.kind == Plan::Kind::send)
            sent_[static_cast<std::size_t>(step.rank)] += step.bytes;
    }
    const auto seconds = [&](FramePhase phase) { return phases[static_cast<std::size_t>(phase)].seconds(); };
    last_.frame = frames_++;
    last_.draw = frame.draw;
    last_.search = seconds(FramePhase::search);
    last_.wait = seconds(FramePhase::telling);
    last_.blend = seconds(FramePhase::blending);
    last_.collect = seconds(FramePhase::collecting);
    last_.total = Seconds(Clock::now() - frame.called).count();
    last_.active_pixels = frame.active_pixels;
    for (int rank = 0; rank < ranks; ++rank) {
        last_.bytes_sent += sent_[static_cast<std::size_t>(rank)];
        last_.bytes_received += received_[static_cast<std::size_t>(rank)];
    }
    if (file_)
        write(frame);
}

Status FrameLog::figures(pixMPI_Frame_stats &stats) const {
    if (frames_ == 0)
        return fail(PIXMPI_ERR_REQUEST, "compositor: no frame is complete, expected one");
    stats = last_;
    return PIXMPI_SUCCESS;
}

// The JSON array format of Chrome's trace events, which Perfetto also reads.
Status FrameLog::trace(const char *path, int rank) {
    file_.reset();
    if (!path)
        return PIXMPI_SUCCESS;
    std::unique_ptr<std::FILE, Close> opened(std::fopen(path, "we"));
    if (!opened)
        return fail(PIXMPI_ERR_ARGUMENT, "path: %s: %s, expected a file that can be written", path,
                    std::strerror(errno));
    file_ = std::move(opened);
    rank_ = rank;
    first_event_ = true;
    std::fprintf(file_.get(), "[");
    return PIXMPI_SUCCESS;
}

void FrameLog::Close::operator()(std::FILE *file) const {
    std::fprintf(file, "\n]\n");
    std::fclose(file);
}

// Steps of two frames may overlap, and so may those with different ranks: each has its own track.
void FrameLog::write(const Frame &frame) {
    const auto now = Clock::now();
    const int parity = static_cast<int>(last_.frame % 2), tracks = 2 + 2 * static_cast<int>(sent_.size());
    const int first = 1 + parity * tracks;
    const std::string number = "\"frame\":" + std::to_string(last_.frame);
    if (frame.draw > 0)
        write_event("draw", 0, frame.called - std::chrono::duration_cast<Clock::duration>(Seconds(frame.draw)),
                    frame.called, number);
    write_event("frame", first, frame.called, now,
                number + ",\"active_pixels\":" + std::to_string(frame.active_pixels));
    for (const Plan::Report &step : frame.steps) {
        const bool sends = step.kind == Plan::Kind::send, receives = step.kind == Plan::Kind::recv;
        std::string name = phase_names[static_cast<std::size_t>(step.phase)], arguments = number;
        int track = first + 1;
        if (sends || receives) {
            name += (sends ? ", to rank " : ", from rank ") + std::to_string(step.rank);
            arguments += ",\"bytes\":" + std::to_string(step.bytes);
            track += 1 + 2 * step.rank + receives;
        }
        write_event(name, track, step.begun, step.over, arguments);
    }
    std::fflush(file_.get());
}

void FrameLog::write_event(const std::string &name, int track, Clock::time_point begun, Clock::time_point over,
                           const std::string &arguments) {
    std::fprintf(file_.get(),
                 "%s\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
                 first_event_ ? "" : ",", name.c_str(), rank_, track, microseconds(begun),
                 std::chrono::duration<double, std::micro>(over - begun).count(), arguments.c_str());
    first_event_ = false;
}

} // namespace pixmpi
