#include "composite/composite_log.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace {

constexpr const char *header =
    "HEADER,num processes,multi-tile strategy,single-image strategy,tiles x,tiles y,width,height,zoom,transparent,"
    "interlacing,collection,dense images,max image split,frame,render time,buffer read time,buffer write time,"
    "compress time,interlace time,blend time,draw time,composite time,collect time,bytes sent,frame time\n";

} // namespace

void CompositeLog::add(const CompositeCase &what, const Way &way, int ranks, double bytes) {
    for (std::size_t frame = 0; frame < way.seconds.size(); ++frame) {
        char line[300];
        std::snprintf(
            line, sizeof line, "LOG,%d,pixmpi,%s,1,1,%d,%d,0,%s,no,yes,%s,0,%zu,0,0,0,0,0,0,0,0,0,%" PRId64 ",%g\n",
            ranks, way.name.c_str(), what.width, what.height, what.merge == Merge::nearest ? "no" : "yes",
            what.cover == Cover::dense ? "yes" : "no", frame, static_cast<std::int64_t>(bytes), way.seconds[frame]);
        lines_ += line;
    }
}

bool CompositeLog::write(const std::string &path) const {
    std::ofstream file(path);
    file << header << lines_ << std::flush;
    return file.good();
}
