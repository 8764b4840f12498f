#include "base/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <list>
#include <mutex>

namespace pixmpi {
namespace {

struct Line {
    int level;
    char text[256];
};

/// Never destroyed, as the library.
struct Log {
    std::mutex mutex;
    std::list<Line> lines;
    bool telling = false; ///< a thread does, and goes on until there are no more
};

Log &the_log() {
    static Log *const one = new Log;
    return *one;
}

std::atomic<const Options *> known{nullptr};
thread_local bool tells = true;

} // namespace

void log_by(const Options &options) { known = &options; }

bool logs(int level) {
    const Options *const by = known;
    return by && level <= by->log_level;
}

void log_line(int level, const char *format, ...) {
    if (!logs(level))
        return;
    Line line{level, ""};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line.text, sizeof line.text, format, arguments);
    va_end(arguments);
    if (!known.load()->log) {
        std::fprintf(stderr, "pixmpi: rank %d: %s\n", rank_in_texts(), line.text);
        return;
    }
    Log &log = the_log();
    const std::lock_guard lock(log.mutex);
    try {
        log.lines.push_back(line);
    } catch (const std::bad_alloc &) {
        // A line less is better than a message that fails for it.
    }
}

void leave_log_to_others() { tells = false; }

void write_log() noexcept {
    const Options *const by = known;
    if (!by || !by->log || !tells)
        return;
    Log &log = the_log();
    std::unique_lock lock(log.mutex);
    if (log.telling)
        return;
    log.telling = true;
    while (!log.lines.empty()) {
        std::list<Line> one;
        one.splice(one.end(), log.lines, log.lines.begin());
        lock.unlock();
        by->log(one.front().level, one.front().text, by->log_data);
        lock.lock();
    }
    log.telling = false;
}

} // namespace pixmpi
