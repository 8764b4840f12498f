#include "entries.h"

#include "request/envelope.h"

#include <algorithm>

using namespace pixmpi;

void fuzz::envelope(Input input) {
    const std::span<const std::byte> bytes = std::as_bytes(input);
    Envelope envelope;
    if (!decode(bytes, envelope))
        return;
    require(bytes.size() >= header_bytes, "an envelope has a header");
    require(envelope.pixel_bytes >= 1 && envelope.pixel_bytes <= most_pixel_bytes, "1 to 24 bytes a pixel");
    require(envelope.depth_bytes < envelope.pixel_bytes, "not all of a pixel is depth");
    require(envelope.pixels <= most_bytes / envelope.pixel_bytes, "the number of bytes does not overflow");
    switch (envelope.carriage) {
    case Carriage::inside:
        require(bytes.size() - header_bytes == envelope.bytes(), "all pixels are inside, and nothing else");
        require(envelope.bytes() <= most_inside, "no more inside than allowed");
        require(!envelope.lengths_vary, "pixels inside are plain");
        break;
    case Carriage::flow:
    case Carriage::attached:
        require(envelope.pixels > 0 && bytes.size() == header_bytes, "a flow has pixels, all of them elsewhere");
        break;
    case Carriage::bands:
        require(envelope.pixels > 0 && bytes.size() == header_bytes, "bands have pixels, all of them elsewhere");
        require(envelope.band_pixels > 0, "a band has pixels");
        require(envelope.lengths_vary ? envelope.band_bytes > 0 && envelope.band_bytes <= most_band
                                      : envelope.band_pixels <= most_band / envelope.pixel_bytes,
                "MPI can count a band's bytes");
        require(envelope.number <= INT32_MAX / 2, "two tags are made of it");
        break;
    case Carriage::given_up:
        require(envelope.pixels == 0 && bytes.size() == header_bytes, "what is given up has no pixels");
        break;
    default:
        require(false, "one of five kinds");
    }
    std::byte header[header_bytes], again[header_bytes];
    encode(envelope, header);
    Envelope copy;
    const bool inside = envelope.carriage == Carriage::inside && envelope.pixels > 0;
    require(decode(header, copy) != inside, "the header alone is an envelope when no pixels are inside");
    if (inside)
        return;
    encode(copy, again);
    require(std::equal(header, header + header_bytes, again), "what is decoded is what was encoded");
}
