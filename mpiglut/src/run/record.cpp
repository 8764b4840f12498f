#include "run/record.h"

#include "run/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

namespace mpiglut {

namespace {

using nlohmann::json;

constexpr int version = 1;
constexpr std::size_t longest_line = 4096;

/// The numbers of an event, by the names they have in the file: visit(name, member).
template <class E, class Visit> void each_number(E &event, Visit visit) {
    visit("window", event.window);
    visit("rank", event.rank);
    visit("x", event.x);
    visit("y", event.y);
    visit("z", event.z);
    visit("a", event.a);
    visit("b", event.b);
    visit("modifiers", event.modifiers);
}

class FileRecorder final : public Recorder {
  public:
    FileRecorder(std::ofstream file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

    void write(const Recorded &recorded) override {
        file_ << line_of(recorded) << std::endl;
        if (!file_)
            report_once(Report::note, path_ + ": the record ends here, because it cannot be written any more");
    }

  private:
    std::ofstream file_;
    std::string path_;
};

using Instant = std::pair<std::int64_t, std::int64_t>;

Instant instant_of(const Recorded &recorded) { return {recorded.frame, recorded.after}; }

class ListReplayer final : public Replayer {
  public:
    ListReplayer(std::vector<Recorded> events, std::int64_t frame) : events_(std::move(events)), first_(frame) {}

    std::vector<Event> due(std::int64_t frame, std::int64_t after, bool idle) override {
        Instant now{frame - first_, after};
        if (idle && !finished())
            now = std::max(now, instant_of(events_[next_]));
        std::vector<Event> result;
        for (; !finished() && instant_of(events_[next_]) <= now; ++next_)
            result.push_back(events_[next_].event);
        return result;
    }
    bool finished() const override { return next_ == events_.size(); }
    bool has(Event::Kind kind) const override {
        return std::any_of(events_.begin(), events_.end(), [=](const auto &one) { return one.event.kind == kind; });
    }

  private:
    std::vector<Recorded> events_;
    std::int64_t first_;
    std::size_t next_ = 0;
};

/// Reads one line's object; what is wrong goes to `expected`, "key: what was expected".
class Line {
  public:
    explicit Line(const std::string &text) : object_(json::parse(text, nullptr, false)) {
        if (!object_.is_object())
            expected = "expected one JSON object";
    }

    /// Absent keys leave `value` as it is, unless `needed`.
    template <class T> void number(const char *key, T &value, T least, bool needed) {
        const json *found = find(key, needed);
        if (!found)
            return;
        const bool fits = found->is_number_integer() && (!found->is_number_unsigned() || found->get<std::uint64_t>() <=
                          static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
        if (!fits || found->get<std::int64_t>() < least || found->get<std::int64_t>() > std::numeric_limits<T>::max())
            fail(key, "an integer from " + std::to_string(least) + " to " +
                          std::to_string(std::numeric_limits<T>::max()));
        else
            value = found->get<T>();
    }
    std::string word(const char *key, const std::string &what) {
        const json *found = find(key, true);
        if (!found || !found->is_string()) {
            fail(key, what);
            return {};
        }
        return *found;
    }
    void fail(const std::string &key, const std::string &what) {
        if (expected.empty())
            expected = key + ": expected " + what;
    }
    std::string expected;

  private:
    const json *find(const char *key, bool needed) {
        if (!expected.empty())
            return nullptr;
        const auto found = object_.find(key);
        if (found != object_.end())
            return &*found;
        if (needed)
            expected = std::string(key) + ": missing";
        return nullptr;
    }
    json object_;
};

std::string check_head(const std::string &text) {
    Line line(text);
    if (line.word("mpiglut", "\"input\"") != "input")
        line.fail("mpiglut", "\"input\", the head of a file made by --record");
    int found = 0;
    line.number("version", found, 0, true);
    if (found != version)
        line.fail("version", std::to_string(version));
    return line.expected;
}

std::string read_event(const std::string &text, Recorded &recorded) {
    Line line(text);
    Event &event = recorded.event;
    line.number<std::int64_t>("frame", recorded.frame, 0, true);
    line.number<std::int64_t>("after", recorded.after, 0, true);
    const std::string word = line.word("kind", "a kind of event");
    if (const auto kind = kind_from_name(word))
        event.kind = *kind;
    else
        line.fail("kind", "a kind of event such as \"key\" or \"mouse\"");
    each_number(event, [&](const char *key, std::int32_t &value) {
        const bool natural = &value == &event.window || &value == &event.rank;
        line.number(key, value, natural ? 0 : std::numeric_limits<std::int32_t>::min(), false);
    });
    return line.expected;
}

/// A line without its end; false at the end of the file. Of a line that is too long only the beginning is kept.
bool read_line(std::istream &file, std::string &line) {
    line.clear();
    bool any = false;
    for (int c; (c = file.get()) != std::char_traits<char>::eof() && c != '\n'; any = true)
        if (line.size() <= longest_line)
            line += static_cast<char>(c);
    if (!line.empty() && line.back() == '\r')
        line.pop_back();
    return any || !file.eof();
}

} // namespace

std::string head_of_record(int width, int height) {
    return nlohmann::ordered_json{{"mpiglut", "input"}, {"version", version}, {"width", width}, {"height", height}}
        .dump();
}

std::string line_of(const Recorded &recorded) {
    nlohmann::ordered_json line{
        {"frame", recorded.frame}, {"after", recorded.after}, {"kind", name(recorded.event.kind)}};
    each_number(recorded.event, [&](const char *key, std::int32_t value) {
        if (std::string_view(key) != "z" || value != 0) // few have it
            line[key] = value;
    });
    return line.dump();
}

std::vector<Recorded> read_record(std::istream &lines, const std::string &name, std::string &error) {
    std::string text;
    if (!lines || !read_line(lines, text)) {
        error = name + ":1: expected the head of a file made by --record";
        return {};
    }
    std::string wrong = check_head(text);
    std::vector<Recorded> events;
    int number = 1;
    while (wrong.empty() && read_line(lines, text)) {
        ++number;
        if (text.empty())
            continue;
        Recorded &recorded = events.emplace_back();
        wrong = text.size() > longest_line ? "expected a line of an event" : read_event(text, recorded);
        if (wrong.empty() && events.size() > 1 && instant_of(recorded) < instant_of(events[events.size() - 2]))
            wrong = "frame: expected the lines in the order of their frames";
    }
    if (!wrong.empty())
        error = name + ":" + std::to_string(number) + ": " + wrong;
    return events;
}

std::unique_ptr<Recorder> Recorder::open(const std::string &path, int width, int height, std::string &error) {
    errno = 0;
    std::ofstream file(path, std::ios::trunc);
    file << head_of_record(width, height) << std::endl;
    if (!file) {
        error = path + ": cannot be written" + (errno ? std::string(": ") + std::strerror(errno) : "");
        return nullptr;
    }
    return std::make_unique<FileRecorder>(std::move(file), path);
}

std::unique_ptr<Replayer> Replayer::open(const std::string &path, std::string &error) {
    errno = 0;
    std::ifstream file(path);
    if (!file) {
        error = path + ": cannot be read: " + std::strerror(errno);
        return nullptr;
    }
    std::vector<Recorded> events = read_record(file, path, error);
    return error.empty() ? of(std::move(events), 0) : nullptr;
}

std::unique_ptr<Replayer> Replayer::of(std::vector<Recorded> events, std::int64_t frame) {
    return std::make_unique<ListReplayer>(std::move(events), frame);
}

} // namespace mpiglut
