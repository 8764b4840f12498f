#include "base/status.h"

#include "base/errhandler.h"

#include <atomic>
#include <utility>

namespace pixmpi {
namespace {

thread_local decltype(Error::text) last_text{};  ///< with rank and call
thread_local decltype(Error::text) last_words{}; ///< without
/// In one place, as each thread-local variable of a library costs a call.
struct Calls {
    const char *current = nullptr;
    const char *next = nullptr; ///< what texts name the next call of this thread
    std::uint64_t count = 0;
};
thread_local Calls calls;
std::atomic<int> known_rank{-1};

} // namespace

void set_rank_in_texts(int rank) { known_rank = rank; }

int rank_in_texts() { return known_rank; }

int pixMPI_Internal_fail(int code, const char *text) {
    const char *const call = calls.current;
    char rank[24] = "";
    if (const int known = known_rank; known >= 0)
        std::snprintf(rank, sizeof rank, "rank %d: ", known);
    if (text != last_words.data())
        std::snprintf(last_words.data(), last_words.size(), "%s", text);
    std::snprintf(last_text.data(), last_text.size(), "%s%s%s%s", rank, call ? call : "", call ? ": " : "", text);
    return code;
}

const char *pixMPI_Internal_call(const char *name) {
    Calls &mine = calls;
    if (name) {
        ++mine.count;
        if (!mine.current)
            forget_concern();
    }
    const char *const other = std::exchange(mine.next, nullptr);
    return std::exchange(mine.current, other ? other : name);
}

void pixMPI_Internal_next_call(const char *name) { calls.next = name; }

const char *error_text() { return last_text.data(); }

void restore_text(const char *text) { std::snprintf(last_text.data(), last_text.size(), "%s", text); }

std::uint64_t call_number() { return calls.current ? calls.count : 0; }

Error last_error(Status code) { return {code, last_words}; }

Status repeat(const Error &error) { return pixMPI_Internal_fail(error.code, error.text.data()); }

} // namespace pixmpi
