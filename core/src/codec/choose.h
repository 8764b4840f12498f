// Which codec carries a message soonest, from what was measured of the link and of the codecs. Measures nothing itself.
#pragma once

#include "codec/codec.h"

namespace pixmpi {

/// Of a pair of ranks.
struct LinkSpeed {
    double bytes_per_second = 0;
    double latency = 0; ///< seconds
};

/// What a codec has made of similar pixels, at both ends.
struct CodecSpeed {
    CodecChoice choice;
    double encode = 0, decode = 0; ///< bytes of pixels per second
    double ratio = 1;              ///< bytes of pixels for a byte of its streams
    double overhead = 0;           ///< seconds for each band, whatever is in it
};

/// What is to be carried.
struct CodecQuery {
    std::uint64_t bytes = 0;      ///< of pixels
    std::uint64_t band_bytes = 0; ///< what is encoded, sent and decoded in one piece; 0: all of them
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    bool may_lose = false; ///< the user has allowed codecs that lose something
};

/// Whether the user allowed the codec, and the format can go through it; check() without a text.
bool may_use(const CodecChoice &choice, const CodecQuery &query);
/// Seconds until the last pixel is decoded. Encoding, sending and decoding of different bands go on at the same time,
/// so that all bands but one take as long as the slowest of the three. Infinite for rates that are none.
double seconds_with(const LinkSpeed &link, const CodecSpeed &codec, const CodecQuery &query);

/// The fastest, or `none` where nothing is faster than that by a twentieth, which measurements are wrong by. What does
/// not support the format, or loses something without leave, is left out.
CodecChoice choose(const LinkSpeed &link, std::span<const CodecSpeed> codecs, const CodecQuery &query);

} // namespace pixmpi
