#include "environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace mpiglut::launcher {

namespace {

constexpr const char *timeout_variable = "MPIGLUT_LAUNCH_TIMEOUT";
constexpr long default_seconds = 30, most_seconds = 86'400;

/// A whole number from `least` to `most`, or one of two words.
struct Variable {
    const char *name, *unit;
    long least, most;
    std::vector<std::string_view> words{};
};

const std::vector<Variable> &variables() {
    static const std::vector<Variable> all{{timeout_variable, "seconds", 1, most_seconds},
                                           {"MPIGLUT_MAX_VIEWPORT", "pixels", 1, 1 << 20},
                                           {"MPIGLUT_REJOIN", "ticks", -1, 1 << 20},
                                           {"MPIGLUT_BALANCE", "", 0, 0, {"force", "sweep"}},
                                           {"MPIGLUT_GPU_TIME", "", 0, 0, {"yes", "no"}},
                                           {"MPIGLUT_PBUFFERS", "", 0, 0, {"yes", "no"}}};
    return all;
}

std::string_view value_of(const char *name) {
    const char *const text = std::getenv(name);
    return text ? text : "";
}

std::optional<long> number(std::string_view text) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_right(const Variable &variable, std::string_view text) {
    if (!variable.words.empty())
        return std::ranges::find(variable.words, text) != variable.words.end();
    const auto value = number(text);
    return value && *value >= variable.least && *value <= variable.most;
}

std::string expected(const Variable &variable) {
    if (!variable.words.empty())
        return std::string(variable.words[0]) + " or " + std::string(variable.words[1]);
    return std::string("a number of ") + variable.unit + " from " + std::to_string(variable.least) + " to " +
           std::to_string(variable.most);
}

} // namespace

std::vector<std::string> wrong_variables() {
    std::vector<std::string> wrong;
    for (const Variable &variable : variables())
        if (const std::string_view text = value_of(variable.name); !text.empty() && !is_right(variable, text))
            wrong.push_back(std::string(variable.name) + ": expected " + expected(variable) + ", not '" +
                            std::string(text) + "'");
    return wrong;
}

std::chrono::seconds launch_patience() {
    return std::chrono::seconds(number(value_of(timeout_variable)).value_or(default_seconds));
}

} // namespace mpiglut::launcher
