#include "sync/ship.h"

#include "base/real.h"
#include "clock/clock.h"
#include "sync/sequences.h"

#include <glmpi.h>

#include <algorithm>
#include <dlfcn.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace mpiglut::ship {
namespace {

constexpr int tag = 1;
constexpr std::int64_t longest_ns = 30'000'000'000;

/// What is used of the library.
struct Library {
    decltype(&::glMPI_Texture2D) texture2d = nullptr;
    decltype(&::glMPI_Send_init) send_init = nullptr;
    decltype(&::glMPI_Recv_init) recv_init = nullptr;
    decltype(&::glMPI_Context_release) release = nullptr;
    decltype(&::pixMPI_Start) start = nullptr;
    decltype(&::pixMPI_Test) test = nullptr;
    decltype(&::pixMPI_Request_free) request_free = nullptr;
    decltype(&::pixMPI_Comm_attach) attach = nullptr;
    decltype(&::pixMPI_Comm_set_errhandler) set_errhandler = nullptr;
    pixMPI_Errhandler errors_return = nullptr;
    decltype(&::pixMPI_Comm_set_codec) set_codec = nullptr;
    decltype(&::pixMPI_Codec_named) codec_named = nullptr;
    decltype(&::pixMPI_Region_rect) region_rect = nullptr;
    decltype(&::pixMPI_Region_commit) region_commit = nullptr;
    decltype(&::pixMPI_Region_free) region_free = nullptr;
    decltype(&::pixMPI_Error_text) error_text = nullptr;
};

struct Shipping {
    Library library;
    MPI_Comm comm = MPI_COMM_NULL;
    bool works = false;
};
Shipping shipping;

/// Beside this library, else where the system looks.
void *load() {
    Dl_info own{};
    std::string folder;
    if (dladdr(reinterpret_cast<const void *>(&shipping), &own) && own.dli_fname)
        folder.assign(own.dli_fname, std::string(own.dli_fname).rfind('/') + 1);
    dlopen((folder + PIXMPI_FILE).c_str(), RTLD_NOW | RTLD_LOCAL); // which the other one needs
    void *library = dlopen((folder + GLMPI_FILE).c_str(), RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen(GLMPI_FILE, RTLD_NOW | RTLD_LOCAL);
}

bool find_functions(std::string &error) {
    void *library = load();
    if (!library) {
        const char *why = dlerror();
        error = why ? why : "libglmpi cannot be loaded";
        return false;
    }
    bool found = true;
    const auto find = [&](const char *name, auto &function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        found = found && function;
    };
    Library &l = shipping.library;
    find("glMPI_Texture2D", l.texture2d);
    find("glMPI_Send_init", l.send_init);
    find("glMPI_Recv_init", l.recv_init);
    find("glMPI_Context_release", l.release);
    find("pixMPI_Start", l.start);
    find("pixMPI_Test", l.test);
    find("pixMPI_Request_free", l.request_free);
    find("pixMPI_Comm_attach", l.attach);
    find("pixMPI_Comm_set_errhandler", l.set_errhandler);
    find("pixMPI_Errors_return", l.errors_return);
    find("pixMPI_Comm_set_codec", l.set_codec);
    find("pixMPI_Codec_named", l.codec_named);
    find("pixMPI_Region_rect", l.region_rect);
    find("pixMPI_Region_commit", l.region_commit);
    find("pixMPI_Region_free", l.region_free);
    find("pixMPI_Error_text", l.error_text);
    if (!found)
        error = "libglmpi is not of this build";
    return found;
}

pixMPI_Codec codec_of(const std::string &name) {
    pixMPI_Codec codec{};
    // Pixels of windows have no visible alpha.
    const std::string text = name == "raw" ? "none" : name == "lz4" ? "lz4" : name + ":opaque";
    shipping.library.codec_named(text.c_str(), &codec);
    return codec;
}

/// Messages of one strip, a message each time that it is started.
class Line {
  public:
    Line(const Strip &strip, bool sends) : rank_(strip.rank) {
        const Library &l = shipping.library;
        const pixMPI_Surface surface = l.texture2d(strip.texture);
        const pixmpi::Rect &r = strip.rect;
        pixMPI_Region region = nullptr;
        good_ = l.region_rect(r.x, r.y, r.width, r.height, &region) == PIXMPI_SUCCESS &&
                l.region_commit(&region) == PIXMPI_SUCCESS &&
                (sends ? l.send_init(surface, region, rank_, tag, shipping.comm, &request_)
                       : l.recv_init(surface, region, rank_, tag, shipping.comm, &request_)) == PIXMPI_SUCCESS;
        if (region)
            l.region_free(&region);
    }
    ~Line() {
        if (request_ != PIXMPI_REQUEST_NULL)
            shipping.library.request_free(&request_);
    }
    Line(Line &&other) noexcept
        : rank_(other.rank_), request_(std::exchange(other.request_, PIXMPI_REQUEST_NULL)), good_(other.good_) {}
    Line &operator=(Line &&) = delete;

    bool start() { return good_ = good_ && shipping.library.start(&request_) == PIXMPI_SUCCESS; }
    bool is_over() {
        int done = 0;
        if (!comm::lives(rank_)) // its pixels are not missed
            return true;
        good_ = shipping.library.test(&request_, &done, MPI_STATUS_IGNORE) == PIXMPI_SUCCESS;
        return done != 0;
    }
    bool good() const { return good_; }

  private:
    int rank_;
    pixMPI_Request request_ = PIXMPI_REQUEST_NULL;
    bool good_ = false;
};

/// What was begun last. Its lines stay for the next time.
struct Strips {
    std::vector<Strip> in, out;
    std::vector<Line> lines; ///< of those that come, then of those that go
    bool on_their_way = false;

    bool is_of(std::span<const Strip> other_out, std::span<const Strip> other_in) const {
        return std::ranges::equal(out, other_out) && std::ranges::equal(in, other_in);
    }
    void clear() { *this = {}; }
};
Strips &strips_here() {
    static auto *const strips = new Strips; // outlives static destructors: the library may be gone by then
    return *strips;
}

/// In the middle of what moves the wall's other messages, since MPI takes calls from one thread at a time.
template <class F> void in_turn(F call) {
    comm::wait_until([&] { return call(), true; });
}

} // namespace

bool started() { return shipping.works; }

bool start(const std::string &codec, std::string &error) {
    if (!comm::all_agree(find_functions(error)))
        return false;
    bool good = MPI_Comm_dup(MPI_COMM_WORLD, &shipping.comm) == MPI_SUCCESS;
    if (good && shipping.library.attach(shipping.comm, nullptr) != PIXMPI_SUCCESS) {
        error = shipping.library.error_text();
        good = false;
    }
    if (good) // the wall has its own words for what fails
        good =
            shipping.library.set_errhandler(shipping.comm, shipping.library.errors_return, nullptr) == PIXMPI_SUCCESS;
    if (good)
        shipping.library.set_codec(shipping.comm, codec_of(codec));
    return shipping.works = comm::all_agree(good);
}

bool begin(std::span<const Strip> out, std::span<const Strip> in, std::string &error) {
    Strips &strips = strips_here();
    bool good = true;
    in_turn([&] {
        if (!strips.is_of(out, in)) {
            strips.clear();
            strips.in.assign(in.begin(), in.end());
            strips.out.assign(out.begin(), out.end());
            for (const Strip &strip : strips.in)
                strips.lines.emplace_back(strip, false);
            for (const Strip &strip : strips.out)
                strips.lines.emplace_back(strip, true);
        }
        for (Line &line : strips.lines)
            good = good && line.start();
        strips.on_their_way = true;
        if (good)
            return;
        error = shipping.library.error_text();
        strips.clear();
    });
    return good;
}

bool finish(std::string &error) {
    Strips &strips = strips_here();
    if (!strips.on_their_way)
        return true;
    const std::int64_t deadline = clock::real_monotonic_ns() + longest_ns;
    bool over = false, good = true;
    comm::wait_until([&] {
        over = true;
        for (Line &line : strips.lines) {
            over = line.is_over() && over;
            if (!line.good())
                error = shipping.library.error_text();
            good = good && line.good();
        }
        return over || !good || clock::real_monotonic_ns() > deadline;
    });
    if (!over && good)
        error = "the pixels of other ranks have not come for 30 seconds";
    strips.on_their_way = false;
    if (!over || !good)
        forget_strips();
    return over && good;
}

void forget_strips() {
    if (!strips_here().lines.empty())
        in_turn([] { strips_here().clear(); });
}

void forget_context() {
    forget_strips();
    if (started())
        shipping.library.release();
}

} // namespace mpiglut::ship
