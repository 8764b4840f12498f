#include "route/hop.h"

namespace pixmpi {

Hop::Hop(CudaStream &stream, std::uint64_t from, std::uint64_t to, std::size_t slot_bytes, std::uint32_t slots,
         const Bands &bands, int pixel_bytes)
    : stream_(stream), from_(from), to_(to), slot_bytes_(slot_bytes), slots_(slots), bands_(bands),
      pixel_bytes_(static_cast<std::size_t>(pixel_bytes)), copies_(bands.together ? bands.count() : slots) {}

Hop::~Hop() {
    std::uint64_t over = 0;
    while (over_ < started_ && progress(over) == PIXMPI_SUCCESS) {
    }
}

Status Hop::start() {
    if (started_ >= bands_.count())
        return fail(PIXMPI_ERR_PEER, "the sender has packed more than it announced");
    const std::uint64_t place = bands_.place(started_, slot_bytes_, slots_, pixel_bytes_);
    if (const Status error = stream_.copy(to_ + place, from_ + place, bands_.size(started_) * pixel_bytes_,
                                          copies_[started_ % copies_.size()]))
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
