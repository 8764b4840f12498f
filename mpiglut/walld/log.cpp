#include "log.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace mpiglut::walld {

nlohmann::json to_json(const LogLine &line) {
    return {{"number", line.number},
            {"time", milliseconds(line.time)},
            {"rank", line.rank},
            {"stream", line.stream == 0   ? "report"
                       : line.stream == 1 ? "out"
                                          : "err"},
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
        complete.push_back({++last_, Clock::now(), rank, stream, std::exchange(partial, {})});
        if (c != '\n')
            partial += c;
    }
    lines_.insert(lines_.end(), complete.begin(), complete.end());
    while (lines_.size() > most_lines)
        lines_.pop_front();
    return complete;
}

std::vector<LogLine> Log::after(std::uint64_t number) const {
    const auto first = std::ranges::upper_bound(lines_, number, {}, &LogLine::number);
    return {first, lines_.end()};
}

} // namespace mpiglut::walld
