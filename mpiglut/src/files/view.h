// What a rank finds under a path: its own file, what rank 0 has not changed yet on this rank's way, or the real one.
#pragma once

#include "files/overlay.h"
#include "files/store.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mpiglut::files {

struct View {
    Store *own = nullptr;    ///< null: this rank writes through
    Store *before = nullptr; ///< null: unknown
    std::int64_t start_ns = 0;
};
/// Never destroyed: the program's own destructors may write files.
View &view();

/// What the program means by a path: the same text for the same file. Empty: not to be treated here.
struct Key {
    std::string text;
    bool elsewhere = false; ///< the system would come to another file by the program's path

    bool empty() const { return text.empty(); }
    operator const std::string &() const { return text; }
    /// For the system, which knows the program's path already if it means the real file.
    std::string real() const { return elsewhere ? text : std::string(); }
};
/// Links are followed as this rank has them, the last one only if asked for. `at` is AT_FDCWD or a folder's descriptor,
/// which may be one of this rank's own folders.
Key key(int at, const char *path, Last last);

/// Looked for in this order: this rank's own file, or its mark that the file is gone; what rank 0 has kept, or its mark;
/// the real file. A folder's mark holds for all that is below it, unless this rank has made the folder anew.
struct Found {
    Kind kind = Kind::none; ///< not Kind::gone
    std::string path;       ///< where; if there is nothing, something that does not exist, for the system to say so
    bool own = false;
};
Found find(const std::string &key);
/// The path to hand to the system.
std::string lead_to(const Key &name, const Found &found);

/// Was it made since the run began, by rank 0, which this rank cannot tell otherwise?
bool is_twin(const std::string &key);
bool below(std::string_view path, std::string_view folder);

/// May the program use this file so (access(2))?
bool permits(const std::string &path, int how);
/// May the program change what is in the folder of this file? 0 or the error.
int may_change(const std::string &key);
/// The program is about to make what it has found so: rank 0's twin of it is none.
bool is_free(const std::string &key, const Found &found);

} // namespace mpiglut::files
