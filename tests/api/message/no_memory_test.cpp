// Memory that runs out, at each place of a message, one after another: calls fail with an error and change nothing,
// messages that have started end with one, at both ends, and when there is memory again all is as before.
#include "rig/traffic.h"

#include <pixmpi_compositor.h>

#include <cstdlib>
#include <functional>
#include <new>

using namespace api;

namespace {

/// So many more requests of this thread find memory, then so many do not, and then all do again.
thread_local long good = 0, bad = 0;
thread_local bool felt = false;

void *find_memory(std::size_t bytes) {
    if (bad > 0 && good-- <= 0) {
        --bad;
        felt = true;
        return nullptr;
    }
    return std::malloc(bytes ? bytes : 1);
}

/// Until the end of the scope.
class Shortage {
  public:
    Shortage(long after, long times) {
        good = after;
        bad = times;
        felt = false;
    }
    ~Shortage() { bad = 0; }
    Shortage(const Shortage &) = delete;
};

} // namespace

void *operator new(std::size_t bytes) {
    if (void *const memory = find_memory(bytes))
        return memory;
    throw std::bad_alloc();
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept { return find_memory(bytes); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// An error, if there is one, is that of the shortage.
void check_shortage(int code) {
    if (code != PIXMPI_SUCCESS)
        CHECK_EQ(code, PIXMPI_ERR_MEMORY);
    CHECK(code == PIXMPI_SUCCESS || felt);
}

/// A persistent request at each of two ranks. Rank 0 runs short of memory, rank 1 does not.
class Exchange {
  public:
    Exchange(std::size_t bytes, bool short_one_sends)
        : sends_((rank == 0) == short_one_sends), memory_(sends_ ? pattern(bytes, 1) : Bytes(bytes)) {
        NEED_OK((sends_ ? send_init() : recv_init()));
    }
    ~Exchange() { CHECK_OK(pixMPI_Request_free(&request_)); }
    Exchange(const Exchange &) = delete;

    /// One message. Whether the shortage was felt.
    bool pass(long after, long times) {
        if (!sends_)
            std::fill(memory_.begin(), memory_.end(), 0);
        int code = PIXMPI_SUCCESS;
        bool short_of_memory = false;
        if (rank == 0) {
            const Shortage shortage(after, times);
            code = pixMPI_Start(&request_);
            for (long tries = 0; code != PIXMPI_SUCCESS && tries < times; ++tries) {
                check_shortage(code); // it has not been started, and can be
                code = pixMPI_Start(&request_);
            }
            NEED_OK(code);
            code = pixMPI_Wait(&request_, MPI_STATUS_IGNORE);
            short_of_memory = felt;
            check_shortage(code);
        } else {
            NEED_OK(pixMPI_Start(&request_));
            code = pixMPI_Wait(&request_, MPI_STATUS_IGNORE);
            CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
        }
        if (!sends_ && code == PIXMPI_SUCCESS)
            CHECK_PIXELS(memory_, pattern(memory_.size(), 1), 1000, 1);
        const bool felt_somewhere = everywhere(short_of_memory, true) != 0;
        CHECK(felt_somewhere || code == PIXMPI_SUCCESS);
        return felt_somewhere;
    }

  private:
    int send_init() { return pixMPI_Send_init(as_surface(memory_), PIXMPI_WHOLE, 1 - rank, 1, world(), &request_); }
    int recv_init() { return pixMPI_Recv_init(as_surface(memory_), PIXMPI_WHOLE, 1 - rank, 1, world(), &request_); }
    const bool sends_;
    Bytes memory_;
    pixMPI_Request request_ = PIXMPI_REQUEST_NULL;
};

} // namespace

RANK_CASE(no_memory, persistent_requests, 2) {
    for (const std::size_t bytes : {500, 60'000, 3'000'000})
        for (const bool short_one_sends : {true, false})
            for (const long times : {1, 3}) {
                Exchange exchange(bytes, short_one_sends);
                bool goes_on = true;
                for (long after = 0; goes_on; ++after) {
                    note("%zu bytes, the short one %s, after %ld, %ld times", bytes,
                         short_one_sends ? "sends" : "receives", after, times);
                    goes_on = exchange.pass(after, times);
                    NEED(!exchange.pass(0, 0));
                }
            }
}

RANK_CASE(no_memory, sendrecv, 1) {
    for (const std::size_t bytes : {500, 60'000, 3'000'000})
        for (const long times : {1, 3}) {
            const Bytes out = pattern(bytes, 2);
            Bytes copy = out, in(bytes);
            const auto to_itself = [&] {
                return pixMPI_Sendrecv(as_surface(copy), PIXMPI_WHOLE, rank, 1, as_surface(in), PIXMPI_WHOLE, rank, 1,
                                       world(), MPI_STATUS_IGNORE);
            };
            bool goes_on = true;
            for (long after = 0; goes_on; ++after) {
                note("%zu bytes, after %ld, %ld times", bytes, after, times);
                int code;
                {
                    const Shortage shortage(after, times);
                    code = to_itself();
                    goes_on = felt;
                }
                if (code != PIXMPI_ERR_PEER) // one end tells the other
                    check_shortage(code);
                const Bytes then = in;
                int flag = 0;
                for (int i = 0; i < 20; ++i)
                    CHECK_OK(pixMPI_Iprobe(rank, 1, world(), &flag, MPI_STATUS_IGNORE));
                CHECK_EQ(flag, 0);
                CHECK(in == then);
                NEED_OK(to_itself());
                CHECK(in == out);
            }
        }
}

RANK_CASE(no_memory, attach, 1) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int goes_on = 1;
    for (long after = 0; goes_on; ++after) {
        note("after %ld", after);
        int code, short_of_memory = 0;
        {
            const Shortage shortage(after, rank == 0 ? 1 : 0);
            code = pixMPI_Comm_attach(comm, nullptr);
            short_of_memory = felt;
        }
        if (rank == 0)
            check_shortage(code);
        goes_on = everywhere(short_of_memory);
        CHECK_EQ(everywhere(code != PIXMPI_SUCCESS), code != PIXMPI_SUCCESS);
        if (code == PIXMPI_SUCCESS)
            CHECK_OK(pixMPI_Comm_detach(comm));
    }
    MPI_Comm_free(&comm);
}

/// Rank 0 runs short in the middle of a call of all ranks, which fails on all of them; the next one is right.
static void run_short_in(const char *what, const std::function<int()> &call, const std::function<bool()> &is_right) {
    int goes_on = 1;
    for (long after = 0; goes_on; ++after) {
        note("%s, after %ld", what, after);
        int code, short_of_memory = 0;
        {
            const Shortage shortage(after, rank == 0 ? 1 : 0);
            code = call();
            short_of_memory = felt;
        }
        if (rank == 0)
            check_shortage(code);
        else
            CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
        goes_on = everywhere(short_of_memory, true);
        CHECK(goes_on || code == PIXMPI_SUCCESS);
        NEED_OK(call());
        CHECK(is_right());
    }
}

RANK_CASE(no_memory, frames_and_collectives, 2) {
    constexpr int width = 40, height = 50;
    const Bytes zeros(width * height), ones(width * height, 1);
    Bytes drawn = rank == 0 ? zeros : ones, picture = zeros;
    const pixMPI_Surface from = pixMPI_Memory(drawn.data(), PIXMPI_R8, width, height),
                         to = pixMPI_Memory(picture.data(), PIXMPI_R8, width, height);
    pixMPI_Compositor compositor = PIXMPI_COMPOSITOR_NULL;
    NEED_OK(pixMPI_Compositor_create(PIXMPI_MAX, PIXMPI_RESULT_ALL, world(), &compositor));
    const auto is_right = [&] {
        const bool right = picture == ones;
        std::copy(zeros.begin(), zeros.end(), picture.begin());
        return right;
    };
    run_short_in(
        "frame", [&] { return pixMPI_Composite(from, PIXMPI_WHOLE, to, compositor); }, is_right);
    run_short_in(
        "Allreduce", [&] { return pixMPI_Allreduce(from, PIXMPI_WHOLE, to, PIXMPI_WHOLE, PIXMPI_MAX, world()); },
        is_right);
    const auto nonblocking = [&] {
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        const int error = pixMPI_Icomposite(from, PIXMPI_WHOLE, to, compositor, &request);
        return error ? error : pixMPI_Wait(&request, MPI_STATUS_IGNORE);
    };
    run_short_in("nonblocking frame", nonblocking, is_right);
    CHECK_OK(pixMPI_Compositor_free(&compositor));
}
