// Listing folders: what a rank has made there belongs to it, and what rank 0 alone has made does not yet.

#include "base/export.h"
#include "base/real.h"
#include "files/names.h"
#include "files/overlay.h"
#include "files/served.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace files = mpiglut::files;
using files::Name;

namespace {

class Listing {
  public:
    explicit Listing(std::string folder) : folder_(std::move(folder)) {}

    template <class Entry> Entry *next(DIR *stream, Entry *(*read)(DIR *), Entry &extra) {
        for (Entry *entry; !ended_ && (entry = read(stream));)
            if (files::is_listed(folder_, entry->d_name)) {
                given_.insert(entry->d_name);
                return entry;
            }
        if (!std::exchange(ended_, true))
            rest_ = files::other_entries(folder_);
        while (!rest_.empty()) {
            const std::string name = std::move(rest_.back());
            rest_.pop_back();
            if (name.size() < sizeof room.d_name && files::is_listed(folder_, name.c_str()) &&
                given_.insert(name).second && describe(name, extra))
                return &extra;
        }
        return nullptr;
    }
    void rewind() {
        given_.clear();
        rest_.clear();
        ended_ = false;
    }

    dirent room{};
    dirent64 room64{};

  private:
    template <class Entry> bool describe(const std::string &name, Entry &entry) const {
        struct stat what;
        if (REAL(lstat)(files::place_of(folder_, name).c_str(), &what) != 0)
            return false;
        entry.d_ino = what.st_ino;
        entry.d_reclen = sizeof entry;
        entry.d_type = static_cast<unsigned char>(IFTODT(what.st_mode));
        std::strcpy(entry.d_name, name.c_str());
        return true;
    }

    std::string folder_;
    std::set<std::string> given_;
    std::vector<std::string> rest_; ///< once the system's own listing has ended
    bool ended_ = false;
};

std::mutex mutex;
std::map<DIR *, std::shared_ptr<Listing>> &listings() {
    static auto *const all = new std::map<DIR *, std::shared_ptr<Listing>>;
    return *all;
}

std::shared_ptr<Listing> listing_of(DIR *stream) {
    const std::lock_guard lock(mutex);
    const auto found = listings().find(stream);
    return found == listings().end() ? nullptr : found->second;
}

/// A folder that the program has opened, or null.
DIR *list(const void *caller, DIR *stream) {
    const int error = errno;
    if (stream && files::has_changes() && files::serves(caller))
        if (std::string folder = files::folder_key(dirfd(stream)); !folder.empty()) {
            const std::lock_guard lock(mutex);
            listings()[stream] = std::make_shared<Listing>(std::move(folder));
        }
    errno = error;
    return stream;
}

template <class Entry> Entry *next(DIR *stream, Entry *(*read)(DIR *), Entry Listing::*room) {
    const int error = errno;
    const auto listing = listing_of(stream);
    if (!listing)
        return read(stream);
    Entry *const entry = listing->next(stream, read, (*listing).*room);
    errno = error;
    return entry;
}

} // namespace

MPIGLUT_EXPORT DIR *opendir(const char *path) {
    return list(MPIGLUT_FILE_CALLER, REAL(opendir)(Name(MPIGLUT_FILE_CALLER, AT_FDCWD, path).path()));
}
MPIGLUT_EXPORT DIR *fdopendir(int folder) { return list(MPIGLUT_FILE_CALLER, REAL(fdopendir)(folder)); }

MPIGLUT_EXPORT dirent *readdir(DIR *stream) { return next<dirent>(stream, REAL(readdir), &Listing::room); }
MPIGLUT_EXPORT dirent64 *readdir64(DIR *stream) { return next<dirent64>(stream, REAL(readdir64), &Listing::room64); }

MPIGLUT_EXPORT void rewinddir(DIR *stream) noexcept {
    if (const auto listing = listing_of(stream))
        listing->rewind();
    REAL(rewinddir)(stream);
}

MPIGLUT_EXPORT int closedir(DIR *stream) {
    {
        const std::lock_guard lock(mutex);
        listings().erase(stream);
    }
    return REAL(closedir)(stream);
}
