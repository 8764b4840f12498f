#include "base/status.h"

#include "base/errhandler.h"

#include <atomic>
#include <utility>

namespace pixmpi {
namespace {

thread_local decltype(Error::text) last_text{};  ///< with rank and call
thread_local decltype(Error::text) last_words{}; ///< without
thread_local const char *current_call = nullptr;
thread_local std::uint64_t calls = 0;
std::atomic<int> known_rank{-1};

} // namespace

void set_rank_in_texts(int rank) { known_rank = rank; }

int rank_in_texts() { return known_rank; }

int pixMPI_Internal_fail(int code, const char *text) {
    char rank[24] = "";
    if (const int known = known_rank; known >= 0)
        std::snprintf(rank, sizeof rank, "rank %d: ", known);
    if (text != last_words.data())
        std::snprintf(last_words.data(), last_words.size(), "%s", text);
    std::snprintf(last_text.data(), last_text.size(), "%s%s%s%s", rank, current_call ? current_call : "",
                  current_call ? ": " : "", text);
    return code;
}

const char *pixMPI_Internal_call(const char *name) {
    if (name) {
        ++calls;
        if (!current_call)
            forget_concern();
    }
    return std::exchange(current_call, name);
}

void restore_text(const char *text) { std::snprintf(last_text.data(), last_text.size(), "%s", text); }

std::uint64_t call_number() { return current_call ? calls : 0; }

Error last_error(Status code) { return {code, last_words}; }

Status repeat(const Error &error) { return pixMPI_Internal_fail(error.code, error.text.data()); }

} // namespace pixmpi

const char *pixMPI_Error_text(void) { return pixmpi::last_text.data(); }
