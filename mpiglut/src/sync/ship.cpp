#include "sync/ship.h"

#include "base/real.h"
#include "clock/clock.h"
#include "sync/lanes.h"

#include <glmpi.h>

#include <array>
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
    decltype(&::glMPI_Isend) isend = nullptr;
    decltype(&::glMPI_Irecv) irecv = nullptr;
    decltype(&::glMPI_Context_release) release = nullptr;
    decltype(&::pixMPI_Test) test = nullptr;
    decltype(&::pixMPI_Request_free) request_free = nullptr;
    decltype(&::pixMPI_Comm_attach) attach = nullptr;
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
    find("glMPI_Isend", l.isend);
    find("glMPI_Irecv", l.irecv);
    find("glMPI_Context_release", l.release);
    find("pixMPI_Test", l.test);
    find("pixMPI_Request_free", l.request_free);
    find("pixMPI_Comm_attach", l.attach);
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

bool all_can(bool mine) {
    const std::array<std::byte, 1> word{std::byte{mine}};
    const std::vector<std::size_t> sizes(comm::size(), word.size());
    std::vector<comm::Bytes> all;
    if (!comm::all_gather(comm::Collective::agree, word, sizes, all))
        return false;
    for (const comm::Bytes &can : all)
        if (!can.empty() && can[0] == std::byte{0})
            return false;
    return true;
}

pixMPI_Codec codec_of(const std::string &name) {
    pixMPI_Codec codec{};
    // Pixels of windows have no alpha that anybody sees.
    const std::string text = name == "raw" ? "none" : name == "lz4" ? "lz4" : name + ":opaque";
    shipping.library.codec_named(text.c_str(), &codec);
    return codec;
}

/// One message, with what it needs until it is over.
class Message {
  public:
    Message(const Strip &strip, bool out, pixMPI_Request &request) {
        const Library &l = shipping.library;
        const glMPI_Surface surface = glMPI_Texture2D(strip.texture);
        const pixmpi::Rect &r = strip.rect;
        good_ = l.region_rect(r.x, r.y, r.width, r.height, &region_) == PIXMPI_SUCCESS &&
                l.region_commit(&region_) == PIXMPI_SUCCESS &&
                (out ? l.isend(surface, region_, strip.rank, tag, shipping.comm, &request)
                     : l.irecv(surface, region_, strip.rank, tag, shipping.comm, &request)) == PIXMPI_SUCCESS;
    }
    ~Message() {
        if (region_)
            shipping.library.region_free(&region_);
    }
    Message(Message &&other) noexcept : region_(std::exchange(other.region_, nullptr)), good_(other.good_) {}
    Message(const Message &) = delete;
    Message &operator=(const Message &) = delete;
    bool good() const { return good_; }

  private:
    pixMPI_Region region_ = nullptr;
    bool good_ = false;
};

} // namespace

bool started() { return shipping.works; }

bool start(const std::string &codec, std::string &error) {
    if (!all_can(find_functions(error)))
        return false;
    bool good = MPI_Comm_dup(MPI_COMM_WORLD, &shipping.comm) == MPI_SUCCESS;
    if (good && shipping.library.attach(shipping.comm, nullptr) != PIXMPI_SUCCESS) {
        error = shipping.library.error_text();
        good = false;
    }
    if (good)
        shipping.library.set_codec(shipping.comm, codec_of(codec));
    return shipping.works = all_can(good);
}

bool exchange(std::span<const Strip> out, std::span<const Strip> in, std::string &error) {
    const Library &l = shipping.library;
    std::vector<Strip> strips(in.begin(), in.end());
    strips.insert(strips.end(), out.begin(), out.end());
    std::vector<pixMPI_Request> requests(strips.size(), PIXMPI_REQUEST_NULL);
    std::vector<Message> messages;
    messages.reserve(requests.size());
    bool good = true;
    const auto begin = [&](const Strip &strip, bool sends) {
        const Message &message = messages.emplace_back(strip, sends, requests[messages.size()]);
        if (!message.good())
            error = l.error_text();
        good = good && message.good();
    };
    const auto is_over = [&](std::size_t i) {
        int done = 0;
        if (requests[i] == PIXMPI_REQUEST_NULL)
            return true;
        if (!comm::lives(strips[i].rank)) // whose pixels nobody misses
            return l.request_free(&requests[i]), true;
        if (l.test(&requests[i], &done, MPI_STATUS_IGNORE) == PIXMPI_SUCCESS)
            return done != 0;
        error = l.error_text();
        return good = false;
    };
    const std::int64_t deadline = clock::real_monotonic_ns() + longest_ns;
    bool begun = false, over = false;
    comm::wait_until([&] {
        for (std::size_t i = 0; i < strips.size() && !begun; ++i)
            begin(strips[i], i >= in.size());
        begun = true;
        over = true;
        for (std::size_t i = 0; i < requests.size() && good; ++i)
            over = is_over(i) && over;
        return over || !good || clock::real_monotonic_ns() > deadline;
    });
    if (!over && good)
        error = "the pixels of other ranks have not come for 30 seconds";
    return over && good;
}

void forget_context() {
    if (started())
        shipping.library.release();
}

} // namespace mpiglut::ship
