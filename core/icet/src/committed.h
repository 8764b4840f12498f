// A region for a call: one rectangle, committed, freed afterwards.
#pragma once

#include "context.h"

namespace icet {

class Committed {
  public:
    explicit Committed(const pixMPI_Rect &rect) {
        check(pixMPI_Region_rect(rect.x, rect.y, rect.width, rect.height, &region_));
        check(pixMPI_Region_commit(&region_));
    }
    Committed(Committed &&other) noexcept : region_(std::exchange(other.region_, PIXMPI_REGION_NULL)) {}
    Committed &operator=(Committed &&) = delete;
    ~Committed() {
        if (region_ != PIXMPI_REGION_NULL)
            pixMPI_Region_free(&region_);
    }
    pixMPI_Region region() const { return region_; }

  private:
    pixMPI_Region region_ = PIXMPI_REGION_NULL;
};

} // namespace icet
