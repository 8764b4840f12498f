// The programs, and the walls each of them is shown on.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace wall_test {

struct Program {
    std::string name;
    int frames = 1;      ///< frames that are enough for its picture to be complete
    int plain_frames = 0; ///< of plain FreeGLUT, if it needs more because a new size comes after its first picture
    int windows = 1;      ///< of its own, each with a picture where the wall is cut from windows
    bool exact = false;   ///< not a pixel of its picture may differ
    bool replay = false; ///< plays input/<name>.jsonl
    bool reads = false;  ///< reads its window back, or counts its pixels: tiles have to draw what lies behind bezels
    bool seeded = false; ///< says what time and process it was seeded with; the plain run is given the same
    bool asks = false;   ///< ends with 77 and says `skipped: ` and why where the driver lacks something it needs
};

struct WallCase {
    std::string name; ///< in test names
    std::string spec; ///< for --wall; "walls/..." is a file of the tests
};

/// For GoogleTest's messages.
inline void PrintTo(const Program &program, std::ostream *out) { *out << program.name; }
inline void PrintTo(const WallCase &wall, std::ostream *out) { *out << wall.spec; }

const std::vector<Program> &programs();
/// Those with these names.
std::vector<Program> programs(const std::vector<std::string> &names);
const std::vector<WallCase> &walls();

} // namespace wall_test
