#include "library.h"

#include "operation.h"

#include <cstdio>

namespace pixmpi {

Library &library() {
    // Never destroyed: other libraries' destructors may still free requests, and other processes have its memory
    // mapped.
    static Library *const one = new Library;
    return *one;
}

void log_line(int level, const char *text) {
    const Options &options = library().options;
    if (level > options.log_level)
        return;
    if (options.log)
        options.log(level, text, options.log_data);
    else
        std::fprintf(stderr, "pixmpi: %s\n", text);
}

} // namespace pixmpi
