// Before MPI_Init, after MPI_Finalize, and what lies between them: a separate program for each case.
//   api_lifecycle CASE
#include "rig/mpi_faults.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pixmpi_collectives.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

int failures = 0, rank = -1, size = 0;

void fail(int line, const std::string &text) {
    ++failures;
    std::fprintf(stderr, "[rank %d] lifecycle_test.cpp:%d: %s\n", rank, line, text.c_str());
}

#define CHECK(condition) ((condition) ? void() : fail(__LINE__, "expected " #condition))
#define CHECK_CODE(call, code, word) check(__LINE__, #call, call, code, word)

void check(int line, const char *call, int code, int expected, const char *word = "") {
    const std::string text = pixMPI_Error_text();
    if (code != expected)
        fail(line, std::string(call) + " gave " + std::to_string(code) + ", expected " + std::to_string(expected) +
                       ": " + text);
    else if (text.find(word) == text.npos)
        fail(line, std::string(call) + ": no \"" + word + "\" in: " + text);
}

std::vector<unsigned char> memory(5'000'000);
pixMPI_Surface surface(int height = 1000) { return pixMPI_Memory(memory.data(), PIXMPI_RGBA8, 1250, height); }

void start(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/// Everything that needs MPI says that it is not there; what does not need it works.
void without_mpi() {
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    int flag = 0;
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_ERR_MPI, "pixMPI_Comm_attach: ");
    CHECK_CODE(pixMPI_Comm_detach(MPI_COMM_WORLD), PIXMPI_ERR_MPI, "pixMPI_Comm_detach: ");
    pixMPI_Route route;
    CHECK_CODE(pixMPI_Comm_route(MPI_COMM_WORLD, 0, &route), PIXMPI_ERR_MPI, "pixMPI_Comm_route: ");
    CHECK_CODE(pixMPI_Send(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD), PIXMPI_ERR_MPI, "MPI_Init");
    CHECK_CODE(pixMPI_Recv(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), PIXMPI_ERR_MPI,
               "pixMPI_Recv");
    CHECK_CODE(pixMPI_Isend(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &request), PIXMPI_ERR_MPI, "pixMPI_Isend");
    CHECK_CODE(pixMPI_Irecv(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &request), PIXMPI_ERR_MPI, "pixMPI_Irecv");
    CHECK_CODE(pixMPI_Send_init(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &request), PIXMPI_ERR_MPI,
               "pixMPI_Send_init");
    CHECK_CODE(pixMPI_Copy(surface(), PIXMPI_WHOLE, surface(), PIXMPI_WHOLE), PIXMPI_ERR_MPI, "pixMPI_Copy: ");
    CHECK_CODE(pixMPI_Recv_init(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &request), PIXMPI_ERR_MPI,
               "pixMPI_Recv_init");
    CHECK_CODE(pixMPI_Sendrecv(surface(), PIXMPI_WHOLE, 0, 1, surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE),
               PIXMPI_ERR_MPI, "pixMPI_Sendrecv");
    CHECK_CODE(pixMPI_Sendrecv_replace(surface(), PIXMPI_WHOLE, 0, 1, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               PIXMPI_ERR_MPI, "pixMPI_Sendrecv_replace");
    CHECK_CODE(pixMPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), PIXMPI_ERR_MPI, "pixMPI_Probe");
    CHECK_CODE(pixMPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), PIXMPI_ERR_MPI, "pixMPI_Iprobe");
    CHECK(request == PIXMPI_REQUEST_NULL);
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    CHECK_CODE(pixMPI_Get_stats(&stats), PIXMPI_SUCCESS, "");
    pixMPI_Region region = PIXMPI_REGION_NULL;
    CHECK_CODE(pixMPI_Region_rect(0, 0, 4, 4, &region), PIXMPI_SUCCESS, "");
    CHECK_CODE(pixMPI_Region_commit(&region), PIXMPI_SUCCESS, "");
    CHECK_CODE(pixMPI_Region_free(&region), PIXMPI_SUCCESS, "");
    CHECK(pixMPI_Format_bytes(PIXMPI_RGBA8) == 4);
}

int before_and_after(int *argc, char ***argv) {
    without_mpi();
    start(argc, argv);
    CHECK_CODE(pixMPI_Send(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD), PIXMPI_ERR_COMM, "pixMPI_Comm_attach");
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS, "");
    pixMPI_Request kept;
    CHECK_CODE(pixMPI_Recv_init(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &kept), PIXMPI_SUCCESS, "");
    CHECK_CODE(pixMPI_Sendrecv_replace(surface(), PIXMPI_WHOLE, (rank + 1) % size, 1, (rank + size - 1) % size, 1,
                                       MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               PIXMPI_SUCCESS, "");
    MPI_Finalize();
    without_mpi();
    pixMPI_Request copy = kept;
    CHECK(pixMPI_Start(&copy) != PIXMPI_SUCCESS);
    return failures;
}

/// Never attached, never used: linking the library costs nothing.
int unused(int *argc, char ***argv) {
    start(argc, argv);
    MPI_Finalize();
    return failures;
}

/// A copy needs no communicator; one that is attached afterwards is as good as any.
int copy_alone(int *argc, char ***argv) {
    start(argc, argv);
    std::vector<unsigned char> target(memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<unsigned char>(i * 37 >> 2);
    CHECK_CODE(
        pixMPI_Copy(surface(), PIXMPI_WHOLE, pixMPI_Memory(target.data(), PIXMPI_RGBA8, 1250, 1000), PIXMPI_WHOLE),
        PIXMPI_SUCCESS, "");
    CHECK(target == memory);
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS, "");
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    std::fill(target.begin(), target.end(), 0);
    CHECK_CODE(pixMPI_Sendrecv(surface(), PIXMPI_WHOLE, next, 1, pixMPI_Memory(target.data(), PIXMPI_RGBA8, 1250, 1000),
                               PIXMPI_WHOLE, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               PIXMPI_SUCCESS, "");
    CHECK(target == memory);
    MPI_Finalize();
    return failures;
}

/// A send that is never waited for arrives all the same, even when all that its rank still does is to end. MPI has
/// nothing of it then.
int let_go_then_finalize(int *argc, char ***argv) {
    start(argc, argv);
    mpi_faults::expect_none_open_at_end();
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS, "");
    if (rank == 0) {
        for (std::size_t i = 0; i < memory.size(); ++i)
            memory[i] = static_cast<unsigned char>(i * 31 >> 3);
        for (int height : {12, 1, 1000}) {
            pixMPI_Request request;
            CHECK_CODE(pixMPI_Isend(surface(height), PIXMPI_WHOLE, 1, height, MPI_COMM_WORLD, &request), PIXMPI_SUCCESS,
                       "");
            CHECK_CODE(pixMPI_Request_free(&request), PIXMPI_SUCCESS, "");
        }
    } else if (rank == 1) {
        for (int height : {1000, 1, 12}) {
            ::usleep(300'000);
            CHECK_CODE(pixMPI_Recv(surface(height), PIXMPI_WHOLE, 0, height, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                       PIXMPI_SUCCESS, "");
            for (std::size_t i = 0; i < static_cast<std::size_t>(height) * 5000; ++i)
                if (memory[i] != static_cast<unsigned char>(i * 31 >> 3)) {
                    CHECK(!"the pixels that were sent");
                    break;
                }
        }
    }
    MPI_Finalize();
    return failures;
}

/// A collective that is never waited for is completed all the same, and in no other way than it would have been.
int let_go_collective(int *argc, char ***argv) {
    start(argc, argv);
    mpi_faults::expect_none_open_at_end();
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS, "");
    const unsigned char mine = rank == 0 ? 9 : 3;
    std::memset(memory.data(), mine, memory.size());
    if (rank == 0)
        ::usleep(300'000);
    pixMPI_Request request;
    CHECK_CODE(
        pixMPI_Iscan(pixMPI_In_place(), PIXMPI_WHOLE, surface(), PIXMPI_WHOLE, PIXMPI_MAX, MPI_COMM_WORLD, &request),
        PIXMPI_SUCCESS, "");
    CHECK_CODE(pixMPI_Request_free(&request), PIXMPI_SUCCESS, "");
    MPI_Finalize();
    CHECK(memory == std::vector<unsigned char>(memory.size(), 9));
    return failures;
}

/// A session of MPI 4 is not enough. With MPI_Init its communicators are as good as ordinary ones, and may outlive
/// MPI_Finalize.
int sessions(int *argc, char ***argv) {
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "pixmpi.lifecycle", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    CHECK_CODE(pixMPI_Comm_attach(comm, nullptr), PIXMPI_ERR_MPI, "pixMPI_Comm_attach: MPI is not running");
    CHECK_CODE(pixMPI_Comm_attach(comm, nullptr), PIXMPI_ERR_MPI, "session");
    start(argc, argv);
    CHECK_CODE(pixMPI_Comm_attach(comm, nullptr), PIXMPI_SUCCESS, "");
    memory[5] = static_cast<unsigned char>(rank);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    CHECK_CODE(pixMPI_Sendrecv_replace(surface(), PIXMPI_WHOLE, next, 1, previous, 1, comm, MPI_STATUS_IGNORE),
               PIXMPI_SUCCESS, "");
    CHECK(memory[5] == previous);
    CHECK_CODE(pixMPI_Barrier(comm), PIXMPI_SUCCESS, "");
    MPI_Finalize();
    CHECK_CODE(pixMPI_Barrier(comm), PIXMPI_ERR_MPI, "pixMPI_Barrier: MPI is not running");
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return failures;
#else
    (void)argc, (void)argv;
    std::printf("skipped: this MPI has no sessions\n");
    return 77;
#endif
}

/// What was never received, waited for or freed when MPI ends: an error of the program, and no reason to hang or crash.
int left_over(int *argc, char ***argv) {
    start(argc, argv);
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS, "");
    pixMPI_Request receive, inactive;
    CHECK_CODE(pixMPI_Irecv(surface(), PIXMPI_WHOLE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &receive), PIXMPI_SUCCESS, "");
    CHECK_CODE(pixMPI_Send_init(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, &inactive), PIXMPI_SUCCESS, "");
    CHECK_CODE(pixMPI_Send(surface(1), PIXMPI_WHOLE, rank, 3, MPI_COMM_WORLD), PIXMPI_SUCCESS, "");
    MPI_Finalize();
    return failures;
}

/// What the program does with a line for the log is its own affair: here it sends another message.
int log_calls_library(int *argc, char ***argv) {
    start(argc, argv);
    static int lines = 0, inside = 0, sent = 0;
    pixMPI_Options options = PIXMPI_OPTIONS_INIT;
    options.log_level = PIXMPI_LOG_DEBUG;
    options.log = [](int, const char *text, void *) {
        ++lines;
        CHECK(inside == 0); // one at a time
        ++inside;
        pixMPI_Stats stats = PIXMPI_STATS_INIT;
        CHECK_CODE(pixMPI_Get_stats(&stats), PIXMPI_SUCCESS, "");
        if (std::string_view(text).find("is complete") != std::string_view::npos && sent < 5) {
            ++sent;
            CHECK_CODE(
                pixMPI_Sendrecv_replace(surface(), PIXMPI_WHOLE, rank, 2, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                PIXMPI_SUCCESS, "");
        }
        --inside;
    };
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, &options), PIXMPI_SUCCESS, "");
    CHECK(lines > 0);
    CHECK_CODE(pixMPI_Sendrecv_replace(surface(), PIXMPI_WHOLE, (rank + 1) % size, 1, (rank + size - 1) % size, 1,
                                       MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               PIXMPI_SUCCESS, "");
    CHECK(sent == 5);
    // The text of an error is that of the call, whatever the log's function called meanwhile.
    CHECK_CODE(pixMPI_Send(surface(), PIXMPI_WHOLE, size, 1, MPI_COMM_WORLD), PIXMPI_ERR_RANK, "pixMPI_Send: dest");
    MPI_Finalize();
    return failures;
}

/// No more memory than there is: messages fail or find another way, and work again when there is some.
int out_of_memory(int *argc, char ***argv) {
    start(argc, argv);
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS, "");
    const auto around = [](int height) {
        return pixMPI_Sendrecv_replace(surface(height), PIXMPI_WHOLE, rank, 1, rank, 1, MPI_COMM_WORLD,
                                       MPI_STATUS_IGNORE);
    };
    CHECK_CODE(around(1), PIXMPI_SUCCESS, "");
    std::vector<pixMPI_Rect> many(100'000, {0, 0, 1, 1});
    rlimit before{}, none{};
    ::getrlimit(RLIMIT_AS, &before);
    none = before;
    none.rlim_cur = 1; // whatever is asked for is too much
    ::setrlimit(RLIMIT_AS, &none);
    const int code = around(1000);
    ::setrlimit(RLIMIT_AS, &before);
    CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_MEMORY || code == PIXMPI_ERR_MPI);
    ::setrlimit(RLIMIT_AS, &none);
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int list = pixMPI_Region_indexed(static_cast<int>(many.size()), many.data(), &region);
    ::setrlimit(RLIMIT_AS, &before);
    CHECK_CODE(list, PIXMPI_ERR_MEMORY, "pixMPI_Region_indexed: ");
    CHECK(region == PIXMPI_REGION_NULL);
    CHECK_CODE(around(1000), PIXMPI_SUCCESS, "");
    MPI_Finalize();
    return failures;
}

/// With PIXMPI_ERRORS=abort: one line, and the job ends, also where the other rank waits for a message.
int abort(int *argc, char ***argv) {
    start(argc, argv);
    CHECK_CODE(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS, "");
    if (rank == 1)
        pixMPI_Recv(surface(), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        pixMPI_Send(surface(), PIXMPI_WHOLE, size, 1, MPI_COMM_WORLD);
    std::printf("rank %d goes on\n", rank);
    MPI_Finalize();
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const std::string_view name = argc > 1 ? argv[1] : "";
    ::alarm(60); // ends with the signal, as whatever hangs ought to
    if (name == "before_and_after")
        return before_and_after(&argc, &argv);
    if (name == "abort")
        return abort(&argc, &argv);
    if (name == "unused")
        return unused(&argc, &argv);
    if (name == "copy_alone")
        return copy_alone(&argc, &argv);
    if (name == "let_go_then_finalize")
        return let_go_then_finalize(&argc, &argv);
    if (name == "let_go_collective")
        return let_go_collective(&argc, &argv);
    if (name == "sessions")
        return sessions(&argc, &argv);
    if (name == "left_over")
        return left_over(&argc, &argv);
    if (name == "log_calls_library")
        return log_calls_library(&argc, &argv);
    if (name == "out_of_memory")
        return out_of_memory(&argc, &argv);
    std::fprintf(stderr, "api_lifecycle: no case %s\n", argv[1]);
    return 2;
}
