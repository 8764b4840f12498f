#include "model/console/recording.h"

#include "base/state.h"
#include "run/dashboard.h"
#include "run/report.h"
#include "sync/operator_events.h"

#include <deque>
#include <utility>

namespace mpiglut::recording {
namespace {

struct Recording {
    bool runs = false;
    std::int64_t first = 0;       ///< the frame that it began at
    std::deque<Recorded> waiting; ///< for room on the dashboard
};
Recording recording;

/// A replay that is on its way, or under way.
struct Replay {
    std::vector<Recorded> events;
    bool instant_known = false; ///< of the event that comes next
    int number = 0;             ///< of the one under way, 0: none
};
Replay replay;

void end_replay() {
    if (replay.number)
        state().replayer.reset();
    if (Dashboard *const b = dashboard(); b && replay.number)
        b->replayed = replay.number;
    replay.number = 0;
}

void play(int number) {
    State &s = state();
    end_replay();
    if (s.replayer) {
        report(Report::note, "the operator's replay does not begin: the run is a replay itself (--replay)");
        if (Dashboard *const b = dashboard())
            b->replayed = number;
        return;
    }
    replay.number = number;
    s.replayer = Replayer::of(std::exchange(replay.events, {}), s.complete_frames());
}

void step(const Event &event) {
    switch (static_cast<Replaying>(event.a)) {
    case Replaying::begin:
        replay.events.clear();
        replay.instant_known = false;
        break;
    case Replaying::instant:
        replay.events.push_back({event.x, event.y, {}});
        replay.instant_known = true;
        break;
    case Replaying::play:
        play(event.b);
        break;
    case Replaying::stop:
        end_replay();
        break;
    }
}

void hand_over() {
    Dashboard *const b = dashboard();
    while (b && !recording.waiting.empty() && b->recorded.put(recording.waiting.front()))
        recording.waiting.pop_front();
}

} // namespace

bool handle(const Event &event) {
    if (event.kind == Event::Kind::record) {
        recording.runs = WantedRecording::of(event).runs;
        recording.first = state().complete_frames();
        return true;
    }
    if (event.kind == Event::Kind::replay) {
        step(event);
        return true;
    }
    if (!std::exchange(replay.instant_known, false))
        return false;
    replay.events.back().event = event;
    return true;
}

void tell(std::span<const Event> events, std::int64_t frame, std::int64_t after) {
    for (const Event &event : events)
        if (recording.runs && !is_of_operator(event.kind) && !is_of_program(event.kind))
            recording.waiting.push_back({frame - recording.first, after, event});
    hand_over();
}

void finish_replay() {
    if (replay.number && (!state().replayer || state().replayer->finished()))
        end_replay();
}

} // namespace mpiglut::recording
