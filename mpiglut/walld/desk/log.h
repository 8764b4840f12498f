// What was printed, line by line, the last some thousand. Earlier runs stay, each behind a line that says which it is.
#pragma once

#include "desk/tiles.h"

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mpiglut::walld {

struct LogLine {
    std::uint64_t number = 0; ///< from 1
    Clock::time_point time;
    int rank = -1, stream = 2; ///< as launcher::Line has them, or Log::mark
    int run = 0;               ///< from 1
    std::string text;
};
nlohmann::json to_json(const LogLine &line);

class Log {
  public:
    static constexpr std::size_t most_lines = 4000, longest_line = 2000;
    static constexpr int mark = 3; ///< the stream of a line that says that a run begins or ends
    /// What comes from now on is another run's.
    void begin_run();
    /// Bytes as they came; the lines that are complete now.
    std::vector<LogLine> add(int rank, int stream, const std::string &bytes);
    /// Those behind this number.
    std::vector<LogLine> after(std::uint64_t number) const;
    /// Why this run ended badly, as far as it has said so: the last lines of its standard error and of mpiglutrun's.
    std::vector<std::string> last_words() const;

  private:
    std::deque<LogLine> lines_;
    std::map<std::pair<int, int>, std::string> partial_;
    std::uint64_t last_ = 0;
    int run_ = 0;
};

} // namespace mpiglut::walld
