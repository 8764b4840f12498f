// What one rank learns of the way to another while messages go it, for PIXMPI_CODEC_AUTO: the first message travels as
// it is and tells how fast the link is, the next ones try each codec once, and from then on choose() knows all that it
// needs. Every so often what was not chosen is tried again, as pixels and links change.
#pragma once

#include "codec/choose.h"

#include <vector>

namespace pixmpi {

class CodecLedger {
  public:
    /// For the message at hand. `wish` is automatic.
    CodecChoice choose(const CodecWish &wish, const CodecQuery &query);

    /// So many bytes took so long on the link, nothing else being waited for.
    void link_carried(std::uint64_t bytes, double seconds);
    /// What encoding a message's pixels has come to.
    void encoded(const CodecChoice &choice, pixMPI_Format format, std::uint64_t pixel_bytes, std::uint64_t stream_bytes,
                 double seconds);
    bool knows_link() const { return link_.bytes_per_second > 0; }

  private:
    struct CodecRecord {
        pixMPI_Format format;
        CodecSpeed speed;
        std::uint64_t last; ///< message
    };
    CodecRecord *find(const CodecChoice &choice, pixMPI_Format format);

    LinkSpeed link_;
    std::vector<CodecRecord> entries_;
    std::uint64_t messages_ = 0;
};

} // namespace pixmpi
