#include "desk/log.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_last_words = 6;

/// A program may print the link that it was told: everybody who looks sees the log.
void hide_tokens(std::string &text) {
    constexpr std::string_view key = "token=";
    for (auto at = text.find(key); at != text.npos; at = text.find(key, at + key.size())) {
        const auto begin = at + key.size();
        const auto end = std::min(text.find_first_not_of("0123456789abcdef", begin), text.size());
        if (end - begin >= 16)
            text.replace(begin, end - begin, "...");
    }
}

} // namespace

nlohmann::json to_json(const LogLine &line) {
    return {{"number", line.number},
            {"time", milliseconds(line.time)},
            {"rank", line.rank},
            {"stream", line.stream == 0           ? "report"
                       : line.stream == 1         ? "out"
                       : line.stream == Log::mark ? "mark"
                                                  : "err"},
            {"run", line.run},
            {"text", line.text}};
}

std::vector<LogLine> Log::add(int rank, int stream, const std::string &bytes) {
    std::string &partial = partial_[{rank, stream}];
    std::vector<LogLine> complete;
    for (const char c : bytes) {
        if (c != '\n' && partial.size() < longest_line) {
            if (static_cast<unsigned char>(c) >= ' ' || c == '\t')
                partial += c;
            continue;
        }
        hide_tokens(partial);
        complete.push_back({++last_, Clock::now(), rank, stream, run_, std::exchange(partial, {})});
        if (c != '\n')
            partial += c;
    }
    lines_.insert(lines_.end(), complete.begin(), complete.end());
    while (lines_.size() > most_lines)
        lines_.pop_front();
    return complete;
}

void Log::begin_run() {
    partial_.clear();
    ++run_;
}

std::vector<std::string> Log::last_words() const {
    std::vector<std::string> words;
    for (auto line = lines_.rbegin(); line != lines_.rend() && line->run == run_ && words.size() < most_last_words;
         ++line)
        if (line->stream != 1 && line->stream != mark && !line->text.starts_with("note: ") && !line->text.empty() &&
            std::ranges::find(words, line->text) == words.end()) // ranks mostly fail alike
            words.push_back(line->text);
    std::ranges::reverse(words);
    return words;
}

std::vector<LogLine> Log::after(std::uint64_t number) const {
    const auto first = std::ranges::upper_bound(lines_, number, {}, &LogLine::number);
    return {first, lines_.end()};
}

} // namespace mpiglut::walld
