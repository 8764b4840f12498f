#include "base/status.h"

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
    mine.count += name ? 1 : 0;
    const char *const other = std::exchange(mine.next, nullptr);
    return std::exchange(mine.current, other ? other : name);
}

void pixMPI_Internal_next_call(const char *name) { calls.next = name; }

std::uint64_t call_number() { return calls.current ? calls.count : 0; }

Error last_error(Status code) { return {code, last_words}; }

Status repeat(const Error &error) { return pixMPI_Internal_fail(error.code, error.text.data()); }

} // namespace pixmpi

const char *pixMPI_Error_text(void) { return pixmpi::last_text.data(); }

const char *pixMPI_Error_string(int code) {
    switch (code) {
    case PIXMPI_SUCCESS:
        return "no error";
    case PIXMPI_ERR_ARGUMENT:
        return "wrong argument";
    case PIXMPI_ERR_MPI:
        return "MPI is not running, or an MPI call failed";
    case PIXMPI_ERR_COMM:
        return "wrong communicator";
    case PIXMPI_ERR_RANK:
        return "wrong rank";
    case PIXMPI_ERR_TAG:
        return "wrong tag";
    case PIXMPI_ERR_REQUEST:
        return "wrong request";
    case PIXMPI_ERR_REGION:
        return "wrong region";
    case PIXMPI_ERR_SURFACE:
        return "wrong surface";
    case PIXMPI_ERR_FORMAT:
        return "wrong format";
    case PIXMPI_ERR_CONTEXT:
        return "no graphics context, or not the right one";
    case PIXMPI_ERR_TRUNCATE:
        return "message longer than the receive's region";
    case PIXMPI_ERR_MEMORY:
        return "out of memory";
    case PIXMPI_ERR_DEVICE:
        return "error of the graphics API";
    case PIXMPI_ERR_PEER:
        return "the other rank ended, or gave the message up";
    case PIXMPI_ERR_PENDING:
        return "neither completed nor failed";
    case PIXMPI_ERR_STATUS:
        return "see the statuses";
    case PIXMPI_ERR_CODEC:
        return "compressed pixels are damaged, or not those that were expected";
    case PIXMPI_ERR_FILE:
        return "a file cannot be opened, read or written, or has not what was expected";
    case PIXMPI_ERR_TIMEOUT:
        return "what was waited for did not come in time";
    default:
        return "unknown error";
    }
}
