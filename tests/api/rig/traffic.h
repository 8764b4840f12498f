// Messages with contents, size and tag that follow from sender, receiver and number, so that the receiver can check
// whatever comes.
#pragma once

#include "rig/ends.h"

#include <cstring>
#include <deque>

namespace api {

/// What a message of the traffic says of itself in its first 12 bytes.
struct Parcel {
    int source, dest, number;

    /// From 12 bytes to half a megabyte, small and large ones mixed.
    std::size_t bytes() const {
        const std::uint64_t random = seed_of(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(dest),
                                             static_cast<std::uint64_t>(number), 17);
        static constexpr std::size_t limits[] = {64, 3000, 65'536, 70'000, 262'150, 524'288};
        return 12 + (random >> 8) % (limits[random % 6] - 12);
    }
    Bytes content() const {
        Bytes all = pattern(bytes(), seed_of(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(dest),
                                             static_cast<std::uint64_t>(number), 18));
        std::memcpy(all.data(), this, 12);
        return all;
    }
    static constexpr std::size_t most = 524'288;
};

/// Sends parcels 0 .. count-1 to `dest`, at most `window` at once.
class Sender {
  public:
    Sender(int dest, int count, int window, int (*tag_of)(int number), MPI_Comm comm = world())
        : dest_(dest), count_(count), window_(window), tag_of_(tag_of), comm_(comm) {}
    /// Starts what may be started and lets go of what is over; true while there is more to do.
    bool go_on() {
        while (next_ < count_ && static_cast<int>(flying_.size()) < window_) {
            flying_.push_back({Parcel{rank, dest_, next_}.content(), PIXMPI_REQUEST_NULL});
            auto &[content, request] = flying_.back();
            NEED_OK(pixMPI_Isend(pixMPI_Memory(content.data(), PIXMPI_R8, static_cast<int>(content.size()), 1),
                                 PIXMPI_WHOLE, dest_, tag_of_(next_), comm_, &request));
            ++next_;
        }
        for (int over = 1; over && !flying_.empty();) {
            NEED_OK(pixMPI_Test(&flying_.front().request, &over, MPI_STATUS_IGNORE));
            if (over)
                flying_.pop_front();
        }
        return next_ < count_ || !flying_.empty();
    }

  private:
    struct Flying {
        Bytes content;
        pixMPI_Request request;
    };
    const int dest_, count_, window_;
    int (*const tag_of_)(int);
    const MPI_Comm comm_;
    int next_ = 0;
    std::deque<Flying> flying_;
};

/// Checks contents, source and size of what came into `memory`, and returns what it is.
inline Parcel check_parcel(const Bytes &memory, const MPI_Status &status) {
    Parcel parcel;
    std::memcpy(&parcel, memory.data(), 12);
    CHECK_EQ(parcel.dest, rank);
    NEED(parcel.number >= 0 && parcel.number < 1'000'000);
    CHECK_STATUS(status, parcel.source, status.MPI_TAG, parcel.bytes(), PIXMPI_R8);
    const Bytes expected = parcel.content();
    NEED(expected.size() <= memory.size());
    CHECK_PIXELS(Bytes(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(expected.size())), expected,
                 static_cast<int>(expected.size()), 1);
    return parcel;
}

inline pixMPI_Surface as_surface(Bytes &memory) {
    return pixMPI_Memory(memory.data(), PIXMPI_R8, static_cast<int>(memory.size()), 1);
}

} // namespace api
