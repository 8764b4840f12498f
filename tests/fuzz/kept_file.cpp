// What lies in files that another program may have written: the first byte chooses what kind of file the rest is.
#include "entries.h"

#include "file/tiff.h"
#include "run/options.h"
#include "run/record.h"
#include "show/playlist.h"
#include "show/presets.h"
#include "show/programs.h"

#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

/// A file with this text, for what opens one by its path.
class File {
  public:
    explicit File(const std::string &text) : number_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        fuzz::require(::write(number_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "a file");
    }
    ~File() { ::close(number_); }
    File(const File &) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

  private:
    int number_;
};

void recording(const std::string &text) {
    std::istringstream lines(text);
    std::string error;
    const auto events = mpiglut::read_record(lines, "recording", error);
    for (const mpiglut::Recorded &one : events) {
        std::istringstream again(mpiglut::head_of_record(1, 1) + "\n" + mpiglut::line_of(one) + "\n");
        std::string wrong;
        const bool same = !error.empty() || (mpiglut::read_record(again, "again", wrong).size() == 1 && wrong.empty());
        fuzz::require(same, "what is written of an event can be read");
    }
}

void presets(const std::string &text) {
    const File file(text);
    mpiglut::walld::Presets kept(file.path());
    const bool good = kept.load().empty();
    fuzz::require(good || (kept.all().empty() && kept.entries().empty()), "presets or an error");
    for (const auto &one : kept.all())
        fuzz::require(!one.name.empty() && one.name.find('/') == one.name.npos, "a name is part of a path");
}

void programs(const std::string &text) {
    const auto found = mpiglut::walld::parse_apps(text, "apps.toml");
    for (const auto &one : found.apps)
        fuzz::require(!found.errors.empty() || (!one.name.empty() && !one.command.empty()), "a program or an error");
}

void options(const std::string &text) {
    std::string error;
    const auto read = mpiglut::from_json(text, error);
    fuzz::require(read.has_value() == error.empty(), "options or an error");
    if (read)
        fuzz::require(mpiglut::from_json(mpiglut::to_json(*read), error).has_value(), "what is written can be read");
}

/// All pixels lie in tiles with known places.
void tiff(const std::string &text) {
    const File file(text);
    pixmpi::Grid grid;
    pixMPI_Picture picture{};
    if (pixmpi::read_tiff(file.path(), grid, picture))
        return;
    fuzz::require(grid.tiles.size() == static_cast<std::size_t>(grid.across()) * static_cast<std::size_t>(grid.down()),
                  "each tile has a place");
    const int width = grid.extent.width;
    for (const int row : {0, grid.extent.height / 2, grid.extent.height - 1})
        grid.for_each_span(width / 3, row, width - width / 3, [&](std::int64_t offset, std::size_t bytes) {
            fuzz::require(offset >= 0 ? bytes > 0 : offset == pixmpi::Grid::unwritten && grid.is_sparse(), "a place");
        });
    fuzz::require(grid.end() >= 0, "an end that a file can have");
}

} // namespace

void fuzz::kept_file(Input input) {
    if (input.empty())
        return;
    constexpr void (*kinds[])(const std::string &) = {recording, presets, programs, options, tiff};
    kinds[input[0] % std::size(kinds)]({reinterpret_cast<const char *>(input.data()) + 1, input.size() - 1});
}
