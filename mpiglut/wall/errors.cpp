#include "errors.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace pixmpi {

namespace {

constexpr std::size_t longest_list = 20;

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row.back();
}

} // namespace

Errors::Errors(std::string_view source) : source_(printable(source)) {}

void Errors::add(int line, std::string_view key, std::string_view expected) {
    std::string text = source_;
    if (line > 0)
        text += ":" + std::to_string(line);
    text += ": ";
    if (!key.empty())
        text.append(key).append(": ");
    text += expected;
    entries_.emplace_back(line, std::move(text));
}

std::vector<std::string> Errors::list() const {
    auto sorted = entries_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<std::string> result;
    for (auto &[line, text] : sorted) {
        if (result.size() == longest_list) {
            result.push_back(source_ + ": " + std::to_string(sorted.size() - longest_list) + " more errors");
            break;
        }
        result.push_back(std::move(text));
    }
    return result;
}

std::string printable(std::string_view text) {
    std::string result(text);
    std::replace_if(
        result.begin(), result.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return result;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    return '"' + printable(text.substr(0, longest)) + (text.size() > longest ? "...\"" : "\"");
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view> &known) {
    if (word.size() > 40)
        return {};
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (std::string_view candidate : known) {
        const bool shortened = word.size() >= 3 && candidate.substr(0, 3) == word.substr(0, 3);
        const std::size_t distance = std::min(edit_distance(word, candidate), shortened ? std::size_t{2} : word.size());
        if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string number(double value) {
    char digits[40];
    const bool whole = value >= -1e15 && value <= 1e15 && value == static_cast<double>(static_cast<long long>(value));
    const auto end = whole ? std::to_chars(digits, digits + sizeof digits, static_cast<long long>(value)).ptr
                           : std::to_chars(digits, digits + sizeof digits, value).ptr;
    return {digits, end};
}

} // namespace pixmpi
