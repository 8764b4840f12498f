// Threads, each with an OpenGL context of its own.
#include "rig/ends_gl.h"

#include <array>
#include <atomic>
#include <chrono>
#include <pixmpi_partitioned.h>
#include <thread>

using namespace api;

namespace {

const EndKind &kind_named(std::string_view name) {
    for (const EndKind &kind : end_kinds())
        if (std::string_view(kind.api) == "gl" && name == kind.name)
            return kind;
    NEED(!"an end of that name");
    return end_kinds().front();
}

/// A context of this thread's own, current until it goes.
struct Own {
    explicit Own(const demo::Headless *share = nullptr) {
        std::string error;
        demo::HeadlessOptions options = context_options();
        options.share = share;
        context = demo::Headless::make(options, error);
        if (!context)
            failed(__FILE__, __LINE__, error);
        NEED(context != nullptr);
    }
    ~Own() {
        CHECK_OK(glMPI_Context_release());
        context->release_current();
    }
    std::unique_ptr<demo::Headless> context;
};

/// Messages of two sizes around the ring with this tag, between ends of this thread's context; how many were wrong.
int ping(const char *name, int tag, int count) {
    int wrong = 0;
    const auto out = kind_named(name).make(PIXMPI_RGBA8, 300, 200), in = kind_named(name).make(PIXMPI_RGBA8, 300, 200);
    const Bytes sent = out->fill(static_cast<std::uint64_t>(tag));
    for (int i = 0; i < count; ++i) {
        const Shape part = rectangle(0, 0, 300, i % 3 ? 4 : 200);
        MPI_Status status;
        wrong += out->sendrecv(part, next_rank(), tag, *in, part, previous_rank(), tag, &status) != PIXMPI_SUCCESS;
    }
    wrong += in->read() != sent;
    return wrong;
}

} // namespace

RANK_CASE(gl_threads, each_with_a_context, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    need_context();
    for (const char *name : {"texture", "buffer"}) {
        note("%s", name);
        std::atomic<int> wrong{0};
        std::thread other([&] {
            const Own own;
            wrong += ping(name, 1, 40);
        });
        wrong += ping(name, 2, 40);
        other.join();
        CHECK_EQ(wrong.load(), 0);
    }
}

RANK_CASE(gl_threads, contexts_that_come_and_go, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    need_context();
    std::atomic<int> wrong{0};
    const auto work = [&](int tag) {
        for (int turn = 0; turn < 3; ++turn) {
            const Own own;
            wrong += ping("texture", tag, 5);
        }
    };
    std::thread first(work, 1), second(work, 2);
    first.join();
    second.join();
    CHECK_EQ(wrong.load(), 0);
}

RANK_CASE(gl_threads, requests_that_another_thread_frees, 1) {
    // What they had of the context is left for the thread that has it, which looks for that in each call.
    NEED(threads >= MPI_THREAD_SERIALIZED);
    need_context();
    const EndKind &kind = kind_named("texture");
    const auto out = kind.make(PIXMPI_RGBA8, 300, 200), in = kind.make(PIXMPI_RGBA8, 300, 200);
    std::array<std::array<pixMPI_Request, 2>, 30> requests;
    for (auto &pair : requests) {
        CHECK_OK(out->send_init(PIXMPI_WHOLE, next_rank(), 1, &pair[0]));
        CHECK_OK(in->recv_init(PIXMPI_WHOLE, previous_rank(), 1, &pair[1]));
        NEED_OK(pixMPI_Startall(2, pair.data()));
        NEED_OK(pixMPI_Waitall(2, pair.data(), MPI_STATUSES_IGNORE));
    }
    std::atomic<int> wrong{0};
    std::thread other([&] {
        for (auto &pair : requests)
            for (pixMPI_Request &one : pair)
                wrong += pixMPI_Request_free(&one) != PIXMPI_SUCCESS;
    });
    wrong += ping("texture", 2, 40);
    other.join();
    CHECK_EQ(wrong.load(), 0);
}

RANK_CASE(gl_threads, requests_stay_with_their_context, 1) {
    // Another thread, without the context or with its own, gets an error, and leaves the request as it was.
    NEED(threads >= MPI_THREAD_SERIALIZED);
    need_context();
    const EndKind &kind = kind_named("texture");
    const auto out = kind.make(PIXMPI_RGBA8, 300, 300), in = kind.make(PIXMPI_RGBA8, 300, 300);
    const Bytes sent = out->fill(1);
    pixMPI_Request requests[2];
    CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &requests[0]));
    std::thread([&] {
        CHECK_FAILS(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE), PIXMPI_ERR_CONTEXT, "pixMPI_Wait context");
        const Own own;
        CHECK_FAILS(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE), PIXMPI_ERR_CONTEXT, "pixMPI_Wait context");
    }).join();
    barrier(); // no rank has sent yet
    CHECK_OK(out->isend(PIXMPI_WHOLE, next_rank(), 1, &requests[1]));
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_PIXELS(in->read(), sent, 300, 4);
}

RANK_CASE(gl_threads, one_waits_while_the_other_sends, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    need_context();
    for (const int edge : {4, 500}) {
        note("edge %d", edge);
        Bytes seen, sent;
        int code = -1;
        std::thread receiver([&] {
            const Own own;
            const auto in = kind_named("texture").make(PIXMPI_RGBA8, edge, edge);
            code = in->recv(PIXMPI_WHOLE, previous_rank(), 3, MPI_STATUS_IGNORE);
            seen = in->read();
        });
        const auto out = kind_named("texture").make(PIXMPI_RGBA8, edge, edge);
        sent = out->fill(1);
        CHECK_OK(out->send(PIXMPI_WHOLE, next_rank(), 3));
        receiver.join();
        CHECK_EQ(code, PIXMPI_SUCCESS);
        CHECK_PIXELS(seen, sent, edge, 4);
    }
}

/// Partitions that come wait for the thread that has the context, whichever thread moves messages along.
RANK_CASE(gl_threads, partitions_wait_for_their_context, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    need_context();
    const auto in = kind_named("texture").make(PIXMPI_RGBA8, 300, 200), out = make_memory(PIXMPI_RGBA8, 300, 200);
    in->fill(1);
    const Bytes sent = out->fill(2);
    const Shape halves[] = {rectangle(0, 0, 300, 100), rectangle(0, 100, 300, 100)};
    const pixMPI_Region regions[] = {halves[0], halves[1]};
    pixMPI_Request sending, receiving;
    NEED_OK(pixMPI_Precv_init(in->any(), 2, regions, previous_rank(), 9, world(), &receiving));
    NEED_OK(pixMPI_Psend_init(out->any(), 2, regions, next_rank(), 9, world(), &sending));
    NEED_OK(pixMPI_Start(&receiving));
    NEED_OK(pixMPI_Start(&sending));
    NEED_OK(pixMPI_Pready_range(0, 1, sending));
    std::thread([] {
        for (int turn = 0; turn < 200; ++turn) {
            CHECK_OK(pixMPI_Progress());
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }).join();
    NEED_OK(pixMPI_Wait(&receiving, MPI_STATUS_IGNORE));
    NEED_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
    CHECK(in->read() == sent);
    CHECK_OK(pixMPI_Request_free(&sending));
    CHECK_OK(pixMPI_Request_free(&receiving));
}
