// Pictures of the whole wall at full resolution: the tiles' pictures of one frame, put together.
#pragma once

#include "messages.h"
#include "run/board.h"
#include "run/capture.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpiglut::walld {

struct Still {
    Picture picture;
    std::int64_t frame = 0;
    std::string error; ///< why there is none
};

/// Nothing for a list that is no PictureFacts.
std::optional<PictureFacts> facts_from(const std::vector<std::int64_t> &numbers);

class Stills {
  public:
    using Done = std::function<void(const Still &)>;
    /// The number of a new request for a picture of so many tiles.
    int begin(std::size_t tiles, Done done);
    void add(int rank, const PictureFacts &facts, std::string png);
    /// It has taken too long, or the run is over.
    void give_up(int request, const std::string &why);
    void give_up_all(const std::string &why);
    /// No picture is being waited for.
    bool idle() const { return waiting_.empty(); }

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
    static Still put_together(const Waiting &waiting);

    std::map<int, Waiting> waiting_;
    int last_ = 0;
};

} // namespace mpiglut::walld
