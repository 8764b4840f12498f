#include "library.h"

#include "operation.h"

#include <cstdarg>
#include <cstdio>

namespace pixmpi {

Library &library() {
    // Never destroyed: other libraries' destructors may still free requests, and other processes have its memory
    // mapped.
    static Library *const one = new Library;
    return *one;
}

bool logs(int level) { return level <= library().options.log_level; }

void log_line(int level, const char *format, ...) {
    if (!logs(level))
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const Options &options = library().options;
    if (options.log)
        options.log(level, text, options.log_data);
    else
        std::fprintf(stderr, "pixmpi: rank %d: %s\n", rank_in_texts(), text);
}

} // namespace pixmpi
