// Arithmetic of packed pixels on the host.
#pragma once

#include "combine/user_operation.h"

#include <cstddef>

namespace pixmpi {

/// What combines pixels in one way; false where check_operation() says that there is none.
class Combiner {
  public:
    /// Combines `numbers` numbers, or whole pixels, of `present` with as many of `incoming`.
    using Loop = void (*)(std::byte *present, const std::byte *incoming, std::size_t numbers);

    Combiner(const Combination &how, pixMPI_Format format);
    explicit operator bool() const { return loop_ || user_; }
    /// In place, in `present`. Both lie without gaps, at any address, and do not overlap.
    void operator()(std::byte *present, const std::byte *incoming, std::size_t pixels) const {
        if (user_)
            user_->combine(order_, format_, present, incoming, pixels);
        else
            loop_(present, incoming, pixels * numbers_);
    }

  private:
    Loop loop_ = nullptr;
    std::size_t numbers_ = 1; ///< in a pixel
    std::shared_ptr<const UserOperation> user_;
    Order order_;
    pixMPI_Format format_;
};

} // namespace pixmpi
