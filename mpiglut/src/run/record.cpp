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

    void write(std::int64_t frame, std::int64_t after, const Event &event) override {
        nlohmann::ordered_json line{{"frame", frame}, {"after", after}, {"kind", name(event.kind)}};
        each_number(event, [&](const char *key, std::int32_t value) {
            if (std::string_view(key) != "z" || value != 0) // joysticks alone have it
                line[key] = value;
        });
        file_ << line.dump() << std::endl;
        if (!file_)
            report_once(Report::note, path_ + ": the record ends here, because it cannot be written any more");
    }

  private:
    std::ofstream file_;
    std::string path_;
};

struct Instant {
    std::int64_t frame = 0, after = 0;
    auto operator<=>(const Instant &) const = default;
};

class FileReplayer final : public Replayer {
  public:
    explicit FileReplayer(std::vector<std::pair<Instant, Event>> events) : events_(std::move(events)) {}

    std::vector<Event> due(std::int64_t frame, std::int64_t after, bool idle) override {
        Instant now{frame, after};
        if (idle && !finished())
            now = std::max(now, events_[next_].first);
        std::vector<Event> result;
        for (; !finished() && events_[next_].first <= now; ++next_)
            result.push_back(events_[next_].second);
        return result;
    }
    bool finished() const override { return next_ == events_.size(); }
    bool has(Event::Kind kind) const override {
        return std::any_of(events_.begin(), events_.end(), [=](const auto &one) { return one.second.kind == kind; });
    }

  private:
    std::vector<std::pair<Instant, Event>> events_;
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

std::string read_event(const std::string &text, Instant &when, Event &event) {
    Line line(text);
    line.number<std::int64_t>("frame", when.frame, 0, true);
    line.number<std::int64_t>("after", when.after, 0, true);
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

std::unique_ptr<Recorder> Recorder::open(const std::string &path, int width, int height, std::string &error) {
    errno = 0;
    std::ofstream file(path, std::ios::trunc);
    file << nlohmann::ordered_json{{"mpiglut", "input"}, {"version", version}, {"width", width}, {"height", height}}
         << std::endl;
    if (!file) {
        error = path + ": cannot be written" + (errno ? std::string(": ") + std::strerror(errno) : "");
        return nullptr;
    }
    return std::make_unique<FileRecorder>(std::move(file), path);
}

std::unique_ptr<Replayer> Replayer::open(const std::string &path, std::string &error) {
    errno = 0;
    std::ifstream file(path);
    std::string text;
    if (!file || !read_line(file, text)) {
        error = path + (file.is_open() ? ":1: expected the head of a file made by --record"
                                       : std::string(": cannot be read: ") + std::strerror(errno));
        return nullptr;
    }
    std::string wrong = check_head(text);
    std::vector<std::pair<Instant, Event>> events;
    int number = 1;
    while (wrong.empty() && read_line(file, text)) {
        ++number;
        if (text.empty())
            continue;
        auto &[when, event] = events.emplace_back();
        wrong = text.size() > longest_line ? "expected a line of an event" : read_event(text, when, event);
        if (wrong.empty() && events.size() > 1 && when < events[events.size() - 2].first)
            wrong = "frame: expected the lines in the order of their frames";
    }
    if (!wrong.empty()) {
        error = path + ":" + std::to_string(number) + ": " + wrong;
        return nullptr;
    }
    return std::make_unique<FileReplayer>(std::move(events));
}

} // namespace mpiglut
