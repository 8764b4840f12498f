// The library's own thread, which goes on while the program does something else.
#include "rig/traffic.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace api;

namespace {

pixMPI_Stats stats() {
    pixMPI_Stats now = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&now)); // moves nothing along
    return now;
}

int threads_of_library() {
    int count = 0;
    for (const auto &one : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(one.path() / "comm");
        std::string name;
        count += std::getline(file, name) && name == "pixmpi-progress";
    }
    return count;
}

/// In MPI_Finalize, before the library's own attribute: later ones are deleted first.
int is_alone(MPI_Comm, int, void *, void *) {
    for (int tries = 0; tries < 1000 && threads_of_library() != 0; ++tries)
        ::usleep(10'000); // a thread that has been joined may still be listed
    if (threads_of_library() != 0) {
        std::fprintf(stderr, "the library's thread is there while MPI ends\n");
        std::abort();
    }
    return MPI_SUCCESS;
}

} // namespace

// MPICH stops its locks in MPI_Finalize: a thread that is in a call then takes one with it.
RANK_CASE(progress, thread_is_gone_before_mpi_ends, 1) {
    NEED(threads == MPI_THREAD_MULTIPLE);
    CHECK(threads_of_library() == 1);
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, is_alone, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

RANK_CASE(progress, while_the_program_does_something_else, 2) {
    NEED(threads == MPI_THREAD_MULTIPLE);
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{300'000}, std::size_t{20'000'000}}) {
        note("%zu bytes", bytes);
        const auto seed = [](int of) { return static_cast<std::uint64_t>(of) + 40; };
        Bytes out = pattern(bytes, seed(rank)), in(bytes);
        const pixMPI_Stats before = stats();
        pixMPI_Request requests[2];
        CHECK_OK(pixMPI_Irecv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0]));
        CHECK_OK(pixMPI_Isend(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1]));
        while (stats().messages_received == before.messages_received || stats().messages_sent == before.messages_sent)
            ::usleep(200); // or the watchdog says so
        CHECK_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK(in == pattern(bytes, seed(previous_rank())));
    }
}

RANK_CASE(progress, wants_mpi_for_several_threads, 1) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    pixMPI_Options options = PIXMPI_OPTIONS_INIT;
    options.progress = PIXMPI_PROGRESS_THREAD;
    if (threads == MPI_THREAD_MULTIPLE)
        CHECK_OK(pixMPI_Comm_attach(other, &options));
    else
        CHECK_FAILS(pixMPI_Comm_attach(other, &options), PIXMPI_ERR_ARGUMENT, "progress MPI_THREAD_MULTIPLE");
    options.progress = 7;
    MPI_Comm another = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &another);
    CHECK_FAILS(pixMPI_Comm_attach(another, &options), PIXMPI_ERR_ARGUMENT, "progress 7");
    MPI_Comm_free(&another);
    MPI_Comm_free(&other);
}
