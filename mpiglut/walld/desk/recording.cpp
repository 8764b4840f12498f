#include "desk/recording.h"
#include "run/record.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace mpiglut::walld {

namespace {

constexpr std::size_t longest_recording = 64u << 20;

Event step(Replaying what) {
    Event event;
    event.kind = Event::Kind::replay;
    event.a = static_cast<std::int32_t>(what);
    return event;
}

} // namespace

Recording::Recording(Captures &captures, int width, int height) {
    file_ = captures.create(".jsonl", name_, error_);
    if (!file_)
        end(error_);
    else if (!file_.append(head_of_record(width, height) + "\n"))
        end("'" + captures.path(name_) + "' cannot be written");
}

void Recording::add(const std::string &lines) {
    if (!runs_)
        return;
    bytes_ += lines.size();
    if (bytes_ > longest_recording)
        return end("it has " + std::to_string(longest_recording >> 20) + " MiB");
    events_ += static_cast<std::size_t>(std::ranges::count(lines, '\n'));
    if (!file_.append(lines))
        end("it cannot be written any more");
}

void Recording::end(const std::string &error) {
    runs_ = false;
    error_ = error;
    file_ = {};
}

Read<std::vector<Event>> events_of_replay(const Captures &captures, const std::string &name, int number) {
    const std::string text = name.ends_with(".jsonl") ? captures.read(name) : std::string();
    if (text.empty())
        return {{}, "recording: there is none of this name"};
    std::istringstream lines(text);
    std::string error;
    const std::vector<Recorded> recorded = read_record(lines, name, error);
    if (!error.empty())
        return {{}, error};
    std::vector<Event> events{step(Replaying::begin)};
    for (const Recorded &one : recorded) {
        constexpr std::int64_t last = std::numeric_limits<std::int32_t>::max();
        if (is_of_operator(one.event.kind) || one.frame > last || one.after > last)
            continue; // nothing that a device does
        events.push_back(step(Replaying::instant));
        events.back().x = static_cast<std::int32_t>(one.frame);
        events.back().y = static_cast<std::int32_t>(one.after);
        events.push_back(one.event);
    }
    events.push_back(step(Replaying::play));
    events.back().b = number;
    return {std::move(events), {}};
}

Event end_of_replay() { return step(Replaying::stop); }

} // namespace mpiglut::walld
