// Pictures of the whole wall at full resolution: the tiles' pictures of one frame, put together.
#pragma once

#include "messages.h"
#include "run/board.h"
#include "run/capture.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
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
    /// The number of a new request for a picture of these ranks' tiles.
    int begin(std::set<int> ranks, Done done);
    void add(int rank, const PictureFacts &facts, std::string png);
    /// This rank's tile shows nothing any more, so it is dark in the pictures that are being waited for.
    void lose(int rank);
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
        std::set<int> missing;
        Done done;
        std::map<int, Part> parts;
    };
    static Still put_together(const Waiting &waiting);
    void finish_complete();

    std::map<int, Waiting> waiting_;
    int last_ = 0;
};

} // namespace mpiglut::walld
