#include "run/options.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>
#include <unistd.h>

namespace mpiglut {

namespace {

using nlohmann::json;

/// An enumeration's values as words, in order.
constexpr std::array<std::string_view, 3> names(ClockMode) { return {"wall", "step", "off"}; }
constexpr std::array<std::string_view, 3> names(Behind) { return {"auto", "draw", "black"}; }
constexpr std::array<std::string_view, 3> names(OnDeath) { return {"end", "continue", "rejoin"}; }
constexpr std::array<std::string_view, 2> names(System) { return {"glut", "x11"}; }
constexpr std::array<std::string_view, 2> names(Threads) { return {"free", "ordered"}; }

template <class T>
concept Enumeration = std::is_enum_v<T>;

// File names are bytes, JSON strings are Unicode: each byte travels as the character of that number.
std::string to_characters(std::string_view bytes) {
    std::string text;
    for (unsigned char byte : bytes) {
        if (byte < 0x80) {
            text += static_cast<char>(byte);
        } else {
            text += static_cast<char>(0xc0 | (byte >> 6));
            text += static_cast<char>(0x80 | (byte & 0x3f));
        }
    }
    return text;
}

std::optional<std::string> to_bytes(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80) {
            bytes += text[i];
            continue;
        }
        if (lead > 0xc3 || i + 1 == text.size())
            return std::nullopt;
        bytes += static_cast<char>(((lead & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
    }
    if (bytes.find('\0') != std::string::npos)
        return std::nullopt;
    return bytes;
}

/// What a number may be.
template <class T> struct Range {
    T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
};

/// Calls visit(name, member[, range]) for every member: the one list of them that writing and reading share.
template <class Options, class Visit> void each_member(Options &options, Visit visit) {
    const Range<std::int64_t> natural{0};
    visit("wall", options.wall);
    visit("headless", options.headless);
    visit("frames", options.frames, natural);
    visit("captures", options.captures);
    visit("capture_tiles", options.capture_tiles);
    visit("record", options.record);
    visit("replay", options.replay);
    visit("stats", options.stats);
    visit("clock", options.clock);
    visit("step_hz", options.step_hz, Range<double>{least_step_hz, most_step_hz});
    visit("tsc", options.tsc);
    visit("behind", options.behind);
    visit("cut", options.cut, Range<int>{-1, most_cut});
    visit("balance", options.balance);
    visit("latency", options.latency, Range<int>{0, most_latency});
    visit("show_cuts", options.show_cuts);
    visit("helpers", options.helpers, Range<int>{0});
    visit("ship", options.ship);
    visit("start_realtime_ns", options.start_realtime_ns, natural);
    visit("start_monotonic_ns", options.start_monotonic_ns, natural);
    visit("began_ns", options.began_ns, natural);
    visit("pid", options.pid, Range<int>{0});
    visit("host", options.host);
    visit("processors", options.processors, Range<int>{0});
    visit("private_files", options.private_files);
    visit("private_folder", options.private_folder);
    visit("memory_folder", options.memory_folder);
    visit("absent", options.absent);
    visit("every_command", options.every_command);
    visit("system", options.system);
    visit("threads", options.threads);
    visit("tile_display", options.tile_display);
    visit("tile_authority", options.tile_authority);
    visit("local_ranks", options.local_ranks, Range<int>{1});
    visit("stack_guard", options.stack_guard);
    visit("message_key", options.message_key);
    visit("elsewhere", options.elsewhere);
    visit("report_fd", options.report_fd, Range<int>{-1});
    visit("on_death", options.on_death);
    visit("death_counts_fd", options.death_counts_fd, Range<int>{-1});
    visit("rejoin_mib", options.rejoin_mib, natural);
    visit("rejoin_fd", options.rejoin_fd, Range<int>{-1});
    visit("stream_fd", options.stream_fd, Range<int>{-1});
    visit("rank", options.rank, Range<int>{0});
    visit("dashboard_fd", options.dashboard_fd, Range<int>{-1});
}

struct Writer {
    json &object;
    void operator()(const char *key, const std::string &value) { object[key] = to_characters(value); }
    void operator()(const char *key, bool value) { object[key] = value; }
    void operator()(const char *key, const std::vector<Capture> &value) {
        json &array = object[key] = json::array();
        for (const Capture &capture : value)
            array.push_back({to_characters(capture.file), capture.frame});
    }
    template <Enumeration E> void operator()(const char *key, E value) {
        object[key] = names(value)[static_cast<std::size_t>(value)];
    }
    template <class T> void operator()(const char *key, T value, Range<T>) { object[key] = value; }
};

/// Takes out of `object` what it reads, so that unknown members are what is left over.
struct Reader {
    json &object;
    std::string error;

    void operator()(const char *key, std::string &value) {
        read(key, "text", [&](const json &found) {
            if (!found.is_string())
                return false;
            const auto bytes = to_bytes(found.get_ref<const std::string &>());
            value = bytes.value_or(value);
            return bytes.has_value();
        });
    }
    void operator()(const char *key, bool &value) {
        read(key, "true or false", [&](const json &found) {
            value = found == true;
            return found.is_boolean();
        });
    }
    void operator()(const char *key, std::vector<Capture> &value) {
        read(key, "files, each with a frame", [&](const json &found) {
            if (!found.is_array())
                return false;
            for (const json &one : found) {
                if (!one.is_array() || one.size() != 2 || !one[0].is_string() || !one[1].is_number_unsigned())
                    return false;
                const auto file = to_bytes(one[0].get_ref<const std::string &>());
                if (!file)
                    return false;
                value.push_back({*file, one[1].get<std::int64_t>()});
            }
            return true;
        });
    }
    template <Enumeration E> void operator()(const char *key, E &value) {
        const auto words = names(value);
        std::string expected;
        for (const std::string_view word : words)
            expected += std::string(expected.empty()       ? ""
                                    : word == words.back() ? " or "
                                                           : ", ") +
                        '"' + std::string(word) + '"';
        read(key, expected.c_str(), [&](const json &found) {
            const std::string word = found.is_string() ? found.get<std::string>() : "";
            const auto at = std::find(words.begin(), words.end(), word);
            if (at != words.end())
                value = static_cast<E>(at - words.begin());
            return at != words.end();
        });
    }
    void operator()(const char *key, double &value, Range<double> range) {
        read(key, "a positive number", [&](const json &found) {
            value = found.is_number() ? found.get<double>() : value;
            return found.is_number() && std::isfinite(value) && value >= range.least && value <= range.most;
        });
    }
    template <class T> void operator()(const char *key, T &value, Range<T> range) {
        const std::string expected = "an integer of at least " + std::to_string(range.least);
        read(key, expected.c_str(), [&](const json &found) {
            if (!found.is_number_integer())
                return false;
            if (found.is_number_unsigned() &&
                found.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                return false;
            const auto number = found.get<std::int64_t>();
            if (number < range.least || number > range.most)
                return false;
            value = static_cast<T>(number);
            return true;
        });
    }

  private:
    template <class Parse> void read(const char *key, const char *expected, Parse parse) {
        const auto found = object.find(key);
        if (found == object.end())
            return;
        if (!parse(*found) && error.empty())
            error = std::string(key) + ": expected " + expected;
        object.erase(found);
    }
};

} // namespace

std::string to_json(const RunOptions &options) {
    json object = json::object();
    each_member(options, Writer{object});
    return object.dump(-1, ' ', true);
}

std::optional<RunOptions> from_json(const std::string &text, std::string &error) {
    json object = json::parse(text, nullptr, false);
    if (!object.is_object()) {
        error = "expected one JSON object";
        return std::nullopt;
    }
    RunOptions options;
    Reader reader{object, {}};
    each_member(options, std::ref(reader));
    if (reader.error.empty() && !object.empty())
        reader.error = "unknown member \"" + object.begin().key() + "\": are launcher and library of the same build?";
    if (!reader.error.empty()) {
        error = reader.error;
        return std::nullopt;
    }
    return options;
}

std::optional<RunOptions> options_from_environment(std::string &error) {
    const char *value = std::getenv(run_variable);
    if (!value)
        return std::nullopt;
    std::string text = value;
    if (!text.starts_with('{')) {
        std::ifstream file(text);
        text.assign(std::istreambuf_iterator<char>(file), {});
        if (!file) {
            error = std::string(run_variable) + ": cannot read '" + value + "'";
            return std::nullopt;
        }
    }
    auto options = from_json(text, error);
    if (!options)
        error = std::string(run_variable) + ": " + error;
    return options;
}

bool claim_run() {
    const char *file = std::getenv(run_variable);
    if (!file || *file == '{')
        return true;
    const std::string claimed = std::string(file) + claimed_suffix;
    const int claim = ::open(claimed.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (claim < 0)
        return errno != EEXIST;
    ::close(claim);
    return true;
}

} // namespace mpiglut
