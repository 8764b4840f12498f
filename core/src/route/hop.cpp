#include "route/hop.h"

namespace pixmpi {

Hop::Hop(CudaStream &stream, std::uint64_t from, std::uint64_t to, const Layout &layout)
    : stream_(stream), from_(from), to_(to), layout_(layout), copies_(layout.places()) {}

Hop::~Hop() {
    std::uint64_t over = 0;
    while (over_ < started_ && progress(over) == PIXMPI_SUCCESS) {
    }
}

Status Hop::start(std::size_t bytes) {
    const std::uint64_t place = layout_.place(started_);
    if (const Status error = stream_.copy(to_ + place, from_ + place, bytes, copies_[started_ % copies_.size()]))
        return error;
    ++started_;
    return PIXMPI_SUCCESS;
}

Status Hop::progress(std::uint64_t &over) {
    std::uint64_t copies = 0;
    if (over_ < started_)
        if (const Status error = stream_.progress(copies))
            return error;
    while (over_ < started_ && copies_[over_ % copies_.size()] <= copies)
        ++over_;
    over = over_;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
