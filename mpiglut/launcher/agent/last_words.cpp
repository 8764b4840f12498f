#include "agent/last_words.h"

#include "wall/errors.h"

#include <algorithm>

namespace mpiglut::launcher {

void LastWords::add(std::string_view bytes) {
    constexpr std::size_t most = 4096;
    end_ += bytes.substr(bytes.size() - std::min(bytes.size(), most));
    end_.erase(0, end_.size() - std::min(end_.size(), most));
}

std::vector<std::string> LastWords::lines() const {
    constexpr std::size_t most = 8;
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < end_.size();) {
        const std::size_t end = std::min(end_.find('\n', begin), end_.size());
        const std::string line = pixmpi::printable(std::string_view(end_).substr(begin, end - begin));
        if (line.find_first_not_of(' ') != line.npos)
            lines.push_back(line);
        begin = end + 1;
    }
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(std::min(lines.size(), most)));
    return lines;
}

} // namespace mpiglut::launcher
