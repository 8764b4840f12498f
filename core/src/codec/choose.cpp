#include "codec/choose.h"

#include "base/format.h"
#include "codec/jpeg.h"

#include <algorithm>
#include <limits>

namespace pixmpi {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double seconds_for(double bytes, double per_second) { return per_second > 0 ? bytes / per_second : never; }

} // namespace

bool may_use(const CodecChoice &choice, const CodecQuery &query) {
    if (choice.kind != CodecKind::jpeg)
        return choice.kind == CodecKind::none || choice.kind == CodecKind::lz4;
    return query.may_lose && jpeg_supports(query.format) &&
           (choice.alpha != Alpha::refuse || format_info(query.format).channels < 4);
}

double seconds_with(const LinkSpeed &link, const CodecSpeed &codec, const CodecQuery &query) {
    const auto all = static_cast<double>(query.bytes);
    const double band = query.band_bytes ? std::min(all, static_cast<double>(query.band_bytes)) : all;
    const double bands = band > 0 ? all / band : 0;
    if (codec.choice.kind == CodecKind::none)
        return link.latency + seconds_for(all, link.bytes_per_second);
    const double encode = codec.overhead + seconds_for(band, codec.encode);
    const double send = codec.ratio > 0 ? seconds_for(band / codec.ratio, link.bytes_per_second) : never;
    const double decode = codec.overhead + seconds_for(band, codec.decode);
    return link.latency + encode + send + decode + std::max(0.0, bands - 1) * std::max({encode, send, decode});
}

CodecChoice choose(const LinkSpeed &link, std::span<const CodecSpeed> codecs, const CodecQuery &query) {
    constexpr double worth = 0.95;
    CodecChoice best{};
    double least = worth * seconds_with(link, {}, query);
    for (const CodecSpeed &codec : codecs) {
        const double seconds = seconds_with(link, codec, query);
        if (codec.choice.kind != CodecKind::none && may_use(codec.choice, query) && seconds < least) {
            least = seconds;
            best = codec.choice;
        }
    }
    return best;
}

} // namespace pixmpi
