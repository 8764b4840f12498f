#include "suite.h"

#include "base/lock.h"
#include "combine/operation.h"

#include <algorithm>

namespace device_suite {
namespace {

struct Entry {
    std::string name;
    MakeRig make;
};

/// Devices are used with the library's lock held: by this one thread, as long as the program runs.
[[maybe_unused]] const auto *const always = new pixmpi::Lock;

std::vector<Entry> &entries() {
    static std::vector<Entry> all;
    return all;
}

} // namespace

bool add_rig(const char *name, MakeRig make) {
    entries().push_back({name, std::move(make)});
    return true;
}

std::vector<std::string> rig_names() {
    std::vector<std::string> names;
    for (const Entry &entry : entries())
        names.push_back(entry.name);
    return names;
}

void OnEachRig::SetUp() {
    for (const Entry &entry : entries())
        if (entry.name == GetParam())
            rig = entry.make();
    ASSERT_NE(rig, nullptr);
}

bool has(const DeviceRig &rig, Direction direction, pixMPI_Format format) {
    const std::vector<pixMPI_Format> formats = rig.formats(direction);
    return std::find(formats.begin(), formats.end(), format) != formats.end();
}

std::vector<pixMPI_Format> all_formats(const DeviceRig &rig) {
    std::vector<pixMPI_Format> all;
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        if (has(rig, Direction::pack, format) || has(rig, Direction::unpack, format))
            all.push_back(format);
    }
    return all;
}

std::vector<pixMPI_Format> formats_to_combine(const DeviceRig &rig) {
    std::vector<pixMPI_Format> all;
    for (const pixMPI_Format format : all_formats(rig))
        if (has(rig, Direction::pack, format) && has(rig, Direction::unpack, format) &&
            pixmpi::can_combine(pixmpi::Operation::min, format))
            all.push_back(format);
    return all;
}

} // namespace device_suite
