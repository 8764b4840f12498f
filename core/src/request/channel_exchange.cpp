#include "request/channel_exchange.h"

#include "request/request.h"

#include <mpi.h>

namespace pixmpi {
namespace {

Status await(Runtime &runtime, Lock &lock, int started, const char *what, MPI_Request &request) {
    if (const Status error = mpi::check(started, what))
        return error;
    return go_on_until(runtime, lock, Pause(), [&](bool &yes) { return mpi::test(request, yes); });
}

} // namespace

Status gather_words(Runtime &runtime, Lock &lock, const Channel &channel, MPI_Comm comm, const Words &mine,
                    std::vector<Words> &all) {
    const auto processes = static_cast<std::size_t>(channel.size);
    Words gathered(processes * mine.size());
    const int count = static_cast<int>(mine.size());
    MPI_Request request = MPI_REQUEST_NULL;
    if (const Status error = await(
            runtime, lock,
            MPI_Iallgather(mine.data(), count, MPI_UINT64_T, gathered.data(), count, MPI_UINT64_T, comm, &request),
            "MPI_Iallgather", request))
        return error;
    all.clear();
    for (std::size_t i = 0; i < processes; ++i) {
        const auto first = gathered.begin() + static_cast<std::ptrdiff_t>(i * mine.size());
        all.emplace_back(first, first + count);
    }
    return PIXMPI_SUCCESS;
}

Status exchange_bytes(Runtime &runtime, Lock &lock, MPI_Comm comm, const std::vector<char> &to,
                      std::vector<char> &from) {
    from.resize(to.size());
    MPI_Request request = MPI_REQUEST_NULL;
    return await(runtime, lock, MPI_Ialltoall(to.data(), 1, MPI_CHAR, from.data(), 1, MPI_CHAR, comm, &request),
                 "MPI_Ialltoall", request);
}

Status duplicate(Runtime &runtime, Lock &lock, MPI_Comm comm, MPI_Comm &copy) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (const Status error = await(runtime, lock, MPI_Comm_idup(comm, &copy, &request), "MPI_Comm_idup", request))
        return error;
    return attach(runtime, lock, copy, nullptr);
}

void free_duplicate(MPI_Comm &copy) {
    if (copy != MPI_COMM_NULL)
        MPI_Comm_free(&copy);
}

bool supports_threads() {
    int threads = MPI_THREAD_SINGLE;
    MPI_Query_thread(&threads);
    return threads == MPI_THREAD_MULTIPLE;
}

} // namespace pixmpi
