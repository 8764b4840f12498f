#include "option/environment.h"

#include "base/variables.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace mpiglut::launcher {

namespace {

using pixmpi::Variable;

constexpr std::string_view timeout_variable = "MPIGLUT_LAUNCH_TIMEOUT";
constexpr long default_seconds = 30;

std::string_view value_of(std::string_view name) { // a whole name of the table
    const char *const text = std::getenv(name.data());
    return text ? text : "";
}

std::optional<long> number(std::string_view text) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_right(const Variable &variable, std::string_view text) {
    if (variable.is_number()) {
        const auto value = number(text);
        return value && *value >= variable.least && *value <= variable.most;
    }
    bool right = !variable.has_words();
    pixmpi::each_word(variable.values, [&](std::string_view word) { right = right || word == text; });
    return right;
}

std::string expected(const Variable &variable) {
    std::string words;
    if (variable.is_number()) {
        words = variable.values;
        words[0] = static_cast<char>(words[0] + ('a' - 'A'));
        return "a number of " + words + " from " + std::to_string(variable.least) + " to " +
               std::to_string(variable.most);
    }
    pixmpi::each_word(variable.values,
                      [&](std::string_view word) { words += (words.empty() ? "" : " or ") + std::string(word); });
    return words;
}

} // namespace

std::vector<std::string> wrong_variables() {
    std::vector<std::string> wrong;
    for (const Variable &variable : pixmpi::variables)
        if (const std::string_view text = value_of(variable.name);
            variable.name.starts_with("MPIGLUT_") && !text.empty() && !is_right(variable, text))
            wrong.push_back(std::string(variable.name) + ": expected " + expected(variable) + ", not '" +
                            std::string(text) + "'");
    return wrong;
}

std::chrono::seconds launch_patience() {
    return std::chrono::seconds(number(value_of(timeout_variable)).value_or(default_seconds));
}

} // namespace mpiglut::launcher
