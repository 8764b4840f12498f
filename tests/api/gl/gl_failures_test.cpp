// What OpenGL itself refuses: memory, mappings, fences, a context that is lost. Software drivers never do, so a layer
// stands between the library and OpenGL.
#include "rig/ends_gl.h"

#include <algorithm>
#include <gl_interpose.h>
#include <pixmpi_collectives.h>

using namespace api;
using gl_interpose::hand;

namespace {

/// A context with an OpenGL that may fail, as new: nothing of what the library keeps for later is there. At its end all
/// is healed, and all that the library has made in it goes.
struct Fragile {
    Fragile() {
        need_context();
        CHECK_OK(glMPI_Context_release());
        CHECK(gl_interpose::alive().empty());
    }
    ~Fragile() {
        const bool lost = gl_interpose::lost;
        gl_interpose::heal_all();
        CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        CHECK_OK(glMPI_Context_release());
        if (lost) // and with it all that was made there
            gl_interpose::forget_all();
        for (const auto &[what, number] : gl_interpose::alive())
            failed(__FILE__, __LINE__, what + " left over: " + std::to_string(number));
    }
};

/// What goes from one end to another, of this rank or around the ring.
struct Cargo {
    Cargo(const EndKind &kind, int edge) : Cargo(kind, edge, rectangle(0, 0, edge, edge)) {}
    Cargo(const EndKind &kind, int edge, Shape part_)
        : out(kind.make(PIXMPI_RGBA8, edge, edge)), in(kind.make(PIXMPI_RGBA8, edge, edge)), part(std::move(part_)) {
        const Bytes sent = out->fill(1);
        expected = in->fill(2);
        unpack(expected, edge, 4, part, pack(sent, edge, 4, part));
    }

    /// The worst code of a message.
    int send(int dest = rank, int source = rank) const {
        pixMPI_Request requests[2] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL};
        if (const int code = in->irecv(part, source, 1, &requests[0]))
            return code;
        const int sent = out->isend(part, dest, 1, &requests[1]);
        if (sent) // no message will come
            CHECK_OK(pixMPI_Cancel(&requests[0]));
        int worst = sent;
        for (const int i : {1, 0}) {
            const int code =
                requests[i] == PIXMPI_REQUEST_NULL ? PIXMPI_SUCCESS : pixMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            if (worst == PIXMPI_SUCCESS || worst == PIXMPI_ERR_PEER)
                worst = code ? code : worst;
        }
        CHECK(requests[0] == PIXMPI_REQUEST_NULL && requests[1] == PIXMPI_REQUEST_NULL);
        return worst;
    }
    void check() const { CHECK_PIXELS(in->read(), expected, in->width, 4); }

    std::unique_ptr<End> out, in;
    Shape part;
    Bytes expected;
};

bool is_fair(int code) { return code == PIXMPI_SUCCESS || code == PIXMPI_ERR_MEMORY || code == PIXMPI_ERR_DEVICE; }

/// Those that go their own ways: layers go as textures, renderbuffers as framebuffers.
template <class Body> void for_each_kind(Body body) {
    for (const EndKind &kind : end_kinds())
        for (const std::string_view name : {"texture", "framebuffer", "buffer"})
            if (std::string_view(kind.api) == "gl" && kind.name == name)
                body(kind);
}

const EndKind &texture() {
    return *std::find_if(end_kinds().begin(), end_kinds().end(),
                         [](const EndKind &kind) { return std::string_view(kind.name) == "texture"; });
}

constexpr const char *functions[] = {
    "glBufferData",     "glBufferStorage",    "glMapBufferRange",     "glUnmapBuffer",       "glFenceSync",
    "glClientWaitSync", "glTexStorage2D",     "glTexImage2D",         "glReadPixels",        "glGetTexImage",
    "glTexSubImage2D",  "glTexSubImage3D",    "glGetTextureSubImage", "glTextureSubImage2D", "glTextureSubImage3D",
    "glBufferSubData",  "glGetBufferSubData", "glCopyBufferSubData",  "glCopyImageSubData",  "glBlitFramebuffer",
    "glCompileShader",  "glLinkProgram",      "glDispatchCompute"};

/// Fails a function at its first to fourth call, for as long as it is called so often.
void fail_each_call(const char *function, const char *what, const EndKind &kind, int edge, const Shape &part) {
    constexpr int some = 3;
    for (int after = 0; after < 4; ++after) {
        note("%s, %s, %s after %d calls", kind.name, what, function, after);
        Fragile fragile;
        const Cargo cargo(kind, edge, part);
        hand(function).calls = 0;
        hand(function).fail(GL_OUT_OF_MEMORY, after, some);
        const int code = cargo.send();
        const bool struck = hand(function).calls > after;
        CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        gl_interpose::heal_all();
        CHECK(is_fair(code));
        if (!struck)
            CHECK_EQ(code, PIXMPI_SUCCESS);
        if (code == PIXMPI_SUCCESS)
            cargo.check();
        note("%s, %s, %s after %d calls, once more", kind.name, what, function, after);
        CHECK_EQ(cargo.send(), PIXMPI_SUCCESS);
        cargo.check();
        if (!struck)
            return;
    }
}

/// Those that such a message calls.
void fail_each_function(const char *what, const EndKind &kind, int edge, const Shape &part) {
    std::vector<const char *> called;
    {
        const Fragile fragile;
        for (const char *function : functions)
            hand(function).calls = 0;
        CHECK_EQ(Cargo(kind, edge, part).send(), PIXMPI_SUCCESS);
        for (const char *function : functions)
            if (hand(function).calls > 0)
                called.push_back(function);
    }
    for (const char *function : called)
        fail_each_call(function, what, kind, edge, part);
}

} // namespace

RANK_CASE(gl_failures, memory_that_is_kept, 1) {
    // What lies between two surfaces of the device is kept for the next copy, but not what got no memory.
    NEED_OK(pixMPI_Comm_attach(MPI_COMM_SELF, nullptr));
    for (int after = 0; after < 3; ++after) {
        note("glBufferData after %d calls", after);
        const Fragile fragile;
        const Cargo cargo(texture(), 300);
        const pixMPI_Region whole = PIXMPI_WHOLE;
        const auto copy = [&] {
            return pixMPI_Gather(cargo.out->any(), whole, cargo.in->any(), &whole, 0, MPI_COMM_SELF);
        };
        hand("glBufferData").fail(GL_OUT_OF_MEMORY, after, 1);
        CHECK(is_fair(copy()));
        gl_interpose::heal_all();
        CHECK_OK(copy());
        cargo.check();
    }
    NEED_OK(pixMPI_Comm_detach(MPI_COMM_SELF));
}

RANK_CASE(gl_failures, out_of_memory, 1) {
    // The library may find another way; what it may not do is to hang, or to deliver wrong pixels, or to be of no use
    // afterwards, or to keep anything.
    const Shape small = rectangle(0, 0, 16, 16), large = rectangle(0, 0, 300, 300),
                tiles = blocks({0, 0, 10, 7}, 14, 18, 20, 16);
    for_each_kind([&](const EndKind &kind) {
        fail_each_function("small", kind, 16, small);
        fail_each_function("large", kind, 300, large);
        fail_each_function("tiles", kind, 300, tiles);
    });
}

RANK_CASE(gl_failures, for_good, 1) {
    // What is refused every time; also null without an error.
    for_each_kind([](const EndKind &kind) {
        for (const char *function : {"glMapBufferRange", "glFenceSync", "glClientWaitSync", "glUnmapBuffer"})
            for (const GLenum error : {GL_NO_ERROR, GL_OUT_OF_MEMORY}) {
                note("%s, %s, error %#x", kind.name, function, error);
                Fragile fragile;
                const Cargo cargo(kind, 900);
                hand(function).fail(error);
                const int code = cargo.send();
                CHECK(is_fair(code));
                if (code == PIXMPI_SUCCESS)
                    cargo.check();
                CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
            }
    });
}

RANK_CASE(gl_failures, peers_are_told, 2) {
    // One rank's OpenGL fails; no rank waits forever.
    need_context();
    for (const char *function : {"glClientWaitSync", "glFenceSync", "glReadPixels", "glTextureSubImage2D"})
        for (const int failing : {0, 1}) {
            note("%s on rank %d", function, failing);
            Fragile fragile;
            const Cargo cargo(texture(), 900);
            if (rank == failing)
                hand(function).fail(GL_OUT_OF_MEMORY);
            const int code = cargo.send(next_rank(), previous_rank());
            CHECK(is_fair(code) || code == PIXMPI_ERR_PEER);
            CHECK(rank == failing || code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
            gl_interpose::heal_all();
            barrier();
            CHECK_EQ(cargo.send(next_rank(), previous_rank()), PIXMPI_SUCCESS);
            if (rank < 2)
                cargo.check();
        }
}

RANK_CASE(gl_failures, context_lost, 1) {
    const auto memory = make_memory(PIXMPI_RGBA8, 300, 300);
    for_each_kind([&](const EndKind &kind) {
        for (const bool used_before : {false, true}) {
            note("%s, %s", kind.name, used_before ? "after a message" : "from the start");
            Fragile fragile;
            const Cargo cargo(kind, 300);
            if (used_before)
                CHECK_EQ(cargo.send(), PIXMPI_SUCCESS);
            gl_interpose::lost = true;
            for (int turn = 0; turn < 2; ++turn)
                CHECK(cargo.send() != PIXMPI_SUCCESS);
            note("%s, memory of the host", kind.name);
            CHECK_OK(memory->sendrecv_replace(PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, MPI_STATUS_IGNORE));
            note("%s, a receive under way", kind.name);
            gl_interpose::lost = false;
            pixMPI_Request requests[2];
            CHECK_OK(cargo.in->irecv(PIXMPI_WHOLE, rank, 1, &requests[0]));
            gl_interpose::lost = true;
            CHECK_OK(memory->isend(PIXMPI_WHOLE, rank, 1, &requests[1]));
            CHECK(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE) != PIXMPI_SUCCESS);
            CHECK_OK(pixMPI_Wait(&requests[1], MPI_STATUS_IGNORE)); // an unwanted message is the receiver's error
        }
    });
}

RANK_CASE(gl_failures, functions_that_are_missing, 1) {
    Fragile fragile;
    const Cargo cargo(texture(), 64);
    for (const char *function : {"glFenceSync", "glMapBufferRange", "glReadPixels"}) {
        note("no %s", function);
        gl_interpose::missing = function;
        CHECK_FAILS(cargo.out->send(PIXMPI_WHOLE, rank, 1), PIXMPI_ERR_CONTEXT, "glMPI_Send context expected");
    }
}
