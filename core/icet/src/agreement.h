// What all ranks have to have set alike.
#pragma once

#include "context.h"

#include <array>
#include <vector>

namespace icet {

using Words = std::array<std::uint32_t, 4>;

/// Each rank's words go to all. All ranks make one.
class Telling {
  public:
    Telling(const Context &context, const Words &mine);
    ~Telling();
    Telling(const Telling &) = delete;
    Telling &operator=(const Telling &) = delete;
    /// By rank, when they have come.
    const std::vector<Words> &words();

  private:
    const Words mine_;
    std::vector<Words> all_;
    pixMPI_Request request_ = PIXMPI_REQUEST_NULL;
};

/// What ranks tell each other while they draw: each frame begins with it.
class Agreement {
  public:
    Agreement(const Context &context, const Background &background);
    /// Throws on all ranks when they have not the same tiles. A frame is a composite for each tile, so ranks that had
    /// other numbers of them would wait for each other, in this frame and in all that follow. Returns for each rank the
    /// lowest one of its data replication group.
    std::vector<int> leaders();
    /// After leaders(): whether all ranks have named the same background, which is not transparent black.
    bool one_background() const { return one_background_; }

  private:
    const std::size_t tiles_;
    bool one_background_ = false;
    Telling telling_;
};

/// Throws when a rank of this rank's data replication group has another one, or a rank outside of it has this one.
void check_group(const Context &context, const std::vector<int> &leaders);

/// The ranks from front to back; by depth, those first that are shown where depths are equal. Those of a group stand
/// where its first one does: they share what that one would draw.
std::vector<int> order_of(const Settings &settings, const std::vector<int> &leaders);

} // namespace icet
