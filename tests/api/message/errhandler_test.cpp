// What happens when a call fails: which handler is called, how often, with what.
#include "rig/traffic.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace api;

namespace {

/// What a handler was told, since it was last asked.
struct Told {
    int times = 0, code = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    std::string text;
};

void keep(MPI_Comm comm, int code, const char *text, void *data) {
    auto &told = *static_cast<Told *>(data);
    ++told.times;
    told.comm = comm;
    told.code = code;
    told.text = text;
    int bytes = pixMPI_Format_bytes(PIXMPI_RGBA8); // handlers may call the library
    int64_t pixels = 0;
    bytes += pixMPI_Region_pixels(PIXMPI_REGION_NULL, &pixels); // and fail there: no handler is called for that
    (void)bytes;
}

/// The handler of the process while it lives; then that of the tests again.
struct OfProcess {
    OfProcess(pixMPI_Errhandler handler, void *data) { pixMPI_Set_errhandler(handler, data); }
    ~OfProcess() { pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr); }
};

/// What the body prints on standard error.
template <class Body> std::string printed(Body body) {
    const std::string name = "/tmp/pixmpi_errhandler." + std::to_string(getpid());
    std::fflush(stderr);
    const int before = dup(STDERR_FILENO);
    NEED(std::freopen(name.c_str(), "w", stderr));
    body();
    std::fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    std::stringstream text;
    text << std::ifstream(name).rdbuf();
    unlink(name.c_str());
    return text.str();
}

std::size_t lines(const std::string &text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

int wrong_send(MPI_Comm comm = world()) {
    static Bytes memory(10);
    return pixMPI_Send(as_surface(memory), PIXMPI_WHOLE, size, 1, comm);
}

/// A communicator with these options.
struct Comm {
    explicit Comm(const pixMPI_Options *options = nullptr) : comm(duplicate()) {
        NEED_OK(pixMPI_Comm_attach(comm, options));
    }
    ~Comm() { MPI_Comm_free(&comm); }
    MPI_Comm comm;
};

} // namespace

RANK_CASE(errhandler, prints_one_line, 1) {
    const OfProcess default_one(nullptr, nullptr);
    const std::string text = printed([] { CHECK_EQ(wrong_send(), PIXMPI_ERR_RANK); });
    CHECK_EQ(lines(text), 1);
    CHECK(text.find("pixmpi: rank " + std::to_string(rank) + ": pixMPI_Send: dest: ") == 0);
    CHECK(printed([] { CHECK_EQ(pixMPI_Format_bytes(PIXMPI_RGBA8), 4); }).empty());
    // An error that is found in one call and returned by another is one error.
    const std::string later = printed([] {
        Bytes out(40), in(10);
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        NEED_OK(pixMPI_Irecv(as_surface(in), PIXMPI_WHOLE, rank, 3, world(), &request));
        NEED_OK(pixMPI_Send(as_surface(out), PIXMPI_WHOLE, rank, 3, world()));
        CHECK_EQ(pixMPI_Wait(&request, MPI_STATUS_IGNORE), PIXMPI_ERR_TRUNCATE);
    });
    CHECK_EQ(lines(later), 1);
    CHECK(later.find("pixMPI_Wait: ") != later.npos);
}

RANK_CASE(errhandler, environment_and_options, 1) {
    const OfProcess default_one(nullptr, nullptr);
    pixMPI_Options silent = PIXMPI_OPTIONS_INIT;
    silent.errors = PIXMPI_ERRORS_RETURN;
    const Comm comm(&silent);
    CHECK(printed([&] { CHECK_EQ(wrong_send(comm.comm), PIXMPI_ERR_RANK); }).empty());
    CHECK_EQ(lines(printed([] { CHECK_EQ(wrong_send(), PIXMPI_ERR_RANK); })), 1);
    {
        const Setting print("PIXMPI_ERRORS=print");
        CHECK_EQ(lines(printed([&] { CHECK_EQ(wrong_send(comm.comm), PIXMPI_ERR_RANK); })), 1);
    }
    {
        const Setting silence("PIXMPI_ERRORS=return");
        CHECK(printed([] { CHECK_EQ(wrong_send(), PIXMPI_ERR_RANK); }).empty());
    }
    const Setting wrong("PIXMPI_ERRORS=shout");
    MPI_Comm another = duplicate();
    const std::string text = printed([&] { CHECK_EQ(pixMPI_Comm_attach(another, nullptr), PIXMPI_ERR_ARGUMENT); });
    CHECK(text.find("PIXMPI_ERRORS: \"shout\", expected ") != text.npos);
    MPI_Comm_free(&another);
}

RANK_CASE(errhandler, of_process_and_of_communicator, 1) {
    Told process, own;
    const OfProcess handler(keep, &process);
    const Comm comm;
    CHECK_EQ(wrong_send(comm.comm), PIXMPI_ERR_RANK);
    CHECK_EQ(process.times, 1);
    CHECK_EQ(process.code, PIXMPI_ERR_RANK);
    CHECK(process.comm == comm.comm);
    CHECK(process.text == pixMPI_Error_text());
    CHECK(process.text.find("pixMPI_Send: dest") != process.text.npos);

    NEED_OK(pixMPI_Comm_set_errhandler(comm.comm, keep, &own));
    pixMPI_Errhandler found = nullptr;
    void *data = nullptr;
    NEED_OK(pixMPI_Comm_get_errhandler(comm.comm, &found, &data));
    CHECK(found == keep && data == &own);
    CHECK_EQ(wrong_send(comm.comm), PIXMPI_ERR_RANK);
    CHECK_EQ(wrong_send(), PIXMPI_ERR_RANK); // of another communicator
    CHECK_EQ(process.times, 2);
    CHECK_EQ(own.times, 1);
    pixMPI_Rect bounds;
    CHECK_EQ(pixMPI_Region_bounds(PIXMPI_REGION_NULL, &bounds), PIXMPI_ERR_REGION); // of none
    CHECK_EQ(process.times, 3);
    CHECK(process.comm == MPI_COMM_NULL);

    NEED_OK(pixMPI_Comm_set_errhandler(comm.comm, nullptr, nullptr));
    CHECK_EQ(wrong_send(comm.comm), PIXMPI_ERR_RANK);
    CHECK_EQ(process.times, 4);
    CHECK_FAILS(pixMPI_Comm_set_errhandler(MPI_COMM_NULL, keep, &own), PIXMPI_ERR_COMM, "comm");
    CHECK_FAILS(pixMPI_Comm_get_errhandler(comm.comm, nullptr, nullptr), PIXMPI_ERR_ARGUMENT, "handler");
    NEED_OK(pixMPI_Comm_get_errhandler(MPI_COMM_NULL, &found, nullptr));
    CHECK(found == keep);
}

RANK_CASE(errhandler, of_requests, 1) {
    Told first, second;
    Comm a, b;
    NEED_OK(pixMPI_Comm_set_errhandler(a.comm, keep, &first));
    NEED_OK(pixMPI_Comm_set_errhandler(b.comm, keep, &second));
    Bytes out(40), in[3] = {Bytes(40), Bytes(10), Bytes(10)};
    pixMPI_Request requests[3];
    MPI_Comm comms[3] = {a.comm, b.comm, a.comm};
    for (int i = 0; i < 3; ++i) {
        NEED_OK(pixMPI_Irecv(as_surface(in[i]), PIXMPI_WHOLE, rank, i, comms[i], &requests[i]));
        NEED_OK(pixMPI_Send(as_surface(out), PIXMPI_WHOLE, rank, i, comms[i]));
    }
    MPI_Status statuses[3];
    CHECK_EQ(pixMPI_Waitall(3, requests, statuses), PIXMPI_ERR_STATUS);
    CHECK_EQ(first.times, 0); // one call, one error: of the first request that has failed
    CHECK_EQ(second.times, 1);
    CHECK_EQ(second.code, PIXMPI_ERR_STATUS);
    const int expected[3] = {PIXMPI_SUCCESS, PIXMPI_ERR_TRUNCATE, PIXMPI_ERR_TRUNCATE};
    for (int i = 0; i < 3; ++i)
        CHECK_EQ(pixMPI_Status_error(&statuses[i]), expected[i]);
    // MPI explains what is in the status, in the same words.
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(statuses[1].MPI_ERROR, text, &length);
    CHECK(std::string(text) == pixMPI_Error_string(PIXMPI_ERR_TRUNCATE));
    CHECK(std::string(pixMPI_Error_string(statuses[1].MPI_ERROR)) == text);
    CHECK_EQ(pixMPI_Status_error(nullptr), PIXMPI_ERR_ARGUMENT);
    statuses[0].MPI_ERROR = MPI_ERR_TAG; // of another library
    CHECK_EQ(pixMPI_Status_error(&statuses[0]), PIXMPI_ERR_ARGUMENT);
}
