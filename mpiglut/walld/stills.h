// Screenshots: the tiles' pictures of one frame, put together as one PNG and kept in the folder of captures.
#pragma once

#include "messages.h"
#include "run/board.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpiglut::walld {

struct Still {
    std::string file, png; ///< its name in the folder, and its bytes
    std::string error;     ///< why there is none
};

/// Nothing for a list that is no PictureFacts.
std::optional<PictureFacts> facts_from(const std::vector<std::int64_t> &numbers);

class Stills {
  public:
    using Done = std::function<void(const Still &)>;
    explicit Stills(std::string folder) : folder_(std::move(folder)) {}

    /// The number of a new request for a screenshot of so many tiles.
    int begin(std::size_t tiles, Done done);
    void add(int rank, const PictureFacts &facts, std::string png);
    /// It has taken too long, or the run is over.
    void give_up(int request, const std::string &why);
    void give_up_all(const std::string &why);

    /// PNG files of the folder, newest first.
    std::vector<std::string> files() const;
    /// The bytes of one of these; empty for any other name.
    std::string read(const std::string &file) const;

  private:
    struct Part {
        PictureFacts facts;
        std::string png;
    };
    struct Waiting {
        std::size_t tiles;
        Done done;
        std::map<int, Part> parts;
    };
    Still put_together(const Waiting &waiting) const;

    std::string folder_;
    std::map<int, Waiting> waiting_;
    int last_ = 0;
};

} // namespace mpiglut::walld
