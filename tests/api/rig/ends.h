// One end of a message, whatever it is: made by the test, filled and read back without the library, and with the verbs
// of its API. So each case is written once and runs for every pair of ends.
#pragma once

#include "rig/cases.h"
#include "rig/pixels.h"

#include <string_view>

namespace api {

class End {
  public:
    End(pixMPI_Format format_, int width_, int height_)
        : format(format_), width(width_), height(height_), pixel_bytes(pixMPI_Format_bytes(format_)) {}
    virtual ~End() = default;
    End(const End &) = delete;

    const pixMPI_Format format;
    const int width, height, pixel_bytes;

    /// All pixels, row after row without gaps.
    virtual void write(const Bytes &pixels) = 0;
    virtual Bytes read() = 0;
    /// That nothing outside the pixels was touched, where there is something.
    virtual void check_surroundings() {}

    virtual int send(pixMPI_Region region, int dest, int tag, MPI_Comm comm = world()) = 0;
    virtual int recv(pixMPI_Region region, int source, int tag, MPI_Status *status, MPI_Comm comm = world()) = 0;
    virtual int isend(pixMPI_Region region, int dest, int tag, pixMPI_Request *request, MPI_Comm comm = world()) = 0;
    virtual int irecv(pixMPI_Region region, int source, int tag, pixMPI_Request *request, MPI_Comm comm = world()) = 0;
    virtual int send_init(pixMPI_Region region, int dest, int tag, pixMPI_Request *request,
                          MPI_Comm comm = world()) = 0;
    virtual int recv_init(pixMPI_Region region, int source, int tag, pixMPI_Request *request,
                          MPI_Comm comm = world()) = 0;
    /// What the pixMPI_ verbs take, whatever the API.
    virtual pixMPI_Surface any() const = 0;
    /// This end sends, the other receives. Both are of one API.
    virtual int sendrecv(pixMPI_Region region, int dest, int sendtag, End &other, pixMPI_Region other_region,
                         int source, int recvtag, MPI_Status *status, MPI_Comm comm = world()) = 0;
    virtual int sendrecv_replace(pixMPI_Region region, int dest, int sendtag, int source, int recvtag,
                                 MPI_Status *status, MPI_Comm comm = world()) = 0;

    std::size_t bytes() const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
               static_cast<std::size_t>(pixel_bytes);
    }
    /// Fills it with the seed's pattern, which is returned.
    Bytes fill(std::uint64_t seed) {
        Bytes pixels = pattern(bytes(), seed);
        write(pixels);
        return pixels;
    }
};

/// The verbs of an API with surfaces of type Surface.
template <class Surface> struct Verbs {
    int (*send)(Surface, pixMPI_Region, int, int, MPI_Comm);
    int (*recv)(Surface, pixMPI_Region, int, int, MPI_Comm, MPI_Status *);
    int (*isend)(Surface, pixMPI_Region, int, int, MPI_Comm, pixMPI_Request *);
    int (*irecv)(Surface, pixMPI_Region, int, int, MPI_Comm, pixMPI_Request *);
    int (*send_init)(Surface, pixMPI_Region, int, int, MPI_Comm, pixMPI_Request *);
    int (*recv_init)(Surface, pixMPI_Region, int, int, MPI_Comm, pixMPI_Request *);
    int (*sendrecv)(Surface, pixMPI_Region, int, int, Surface, pixMPI_Region, int, int, MPI_Comm, MPI_Status *);
    int (*sendrecv_replace)(Surface, pixMPI_Region, int, int, int, int, MPI_Comm, MPI_Status *);
    pixMPI_Surface (*any)(const Surface &); ///< which lives as long as the result
};

template <class Surface> class VerbEnd : public End {
  public:
    VerbEnd(const Verbs<Surface> &verbs, pixMPI_Format format_, int width_, int height_)
        : End(format_, width_, height_), verbs_(verbs) {}

    int send(pixMPI_Region region, int dest, int tag, MPI_Comm comm) override {
        return verbs_.send(surface, region, dest, tag, comm);
    }
    int recv(pixMPI_Region region, int source, int tag, MPI_Status *status, MPI_Comm comm) override {
        return verbs_.recv(surface, region, source, tag, comm, status);
    }
    int isend(pixMPI_Region region, int dest, int tag, pixMPI_Request *request, MPI_Comm comm) override {
        return verbs_.isend(surface, region, dest, tag, comm, request);
    }
    int irecv(pixMPI_Region region, int source, int tag, pixMPI_Request *request, MPI_Comm comm) override {
        return verbs_.irecv(surface, region, source, tag, comm, request);
    }
    int send_init(pixMPI_Region region, int dest, int tag, pixMPI_Request *request, MPI_Comm comm) override {
        return verbs_.send_init(surface, region, dest, tag, comm, request);
    }
    int recv_init(pixMPI_Region region, int source, int tag, pixMPI_Request *request, MPI_Comm comm) override {
        return verbs_.recv_init(surface, region, source, tag, comm, request);
    }
    pixMPI_Surface any() const override { return verbs_.any(surface); }
    int sendrecv(pixMPI_Region region, int dest, int sendtag, End &other, pixMPI_Region other_region, int source,
                 int recvtag, MPI_Status *status, MPI_Comm comm) override {
        auto *same = dynamic_cast<VerbEnd *>(&other);
        NEED(same != nullptr);
        return verbs_.sendrecv(surface, region, dest, sendtag, same->surface, other_region, source, recvtag, comm,
                               status);
    }
    int sendrecv_replace(pixMPI_Region region, int dest, int sendtag, int source, int recvtag, MPI_Status *status,
                         MPI_Comm comm) override {
        return verbs_.sendrecv_replace(surface, region, dest, sendtag, source, recvtag, comm, status);
    }

    /// What the verbs are handed.
    const Surface &named() const { return surface; }

  protected:
    Surface surface{};

  private:
    const Verbs<Surface> &verbs_;
};

/// Colours and depths as one surface, and the surfaces that it points to, for the time of a call.
struct WithDepth {
    pixMPI_Surface colors, depths;
    operator pixMPI_Surface() const { return pixMPI_With_depth(&colors, &depths); }
};

struct EndKind {
    const char *api, *name;
    std::unique_ptr<End> (*make)(pixMPI_Format, int width, int height);
    bool any_format; ///< else only those of `formats_of_all`
};

/// Those that this program knows: host memory, and in the program with GL textures, framebuffers and so on.
const std::vector<EndKind> &end_kinds();
void add_end_kind(const EndKind &kind);
/// Formats that every kind of end can hold.
const std::vector<pixMPI_Format> &formats_of_all();

std::unique_ptr<End> make_memory(pixMPI_Format format, int width, int height);

/// The API that this program is about: pairs without it are for other programs. Null: all pairs.
extern const char *subject;

/// For each pair of kinds, all ranks alike.
template <class Body> void for_each_pair(Body body) {
    const auto wanted = [](const EndKind &kind) { return !subject || std::string_view(kind.api) == subject; };
    for (const EndKind &from : end_kinds())
        for (const EndKind &to : end_kinds())
            if (wanted(from) || wanted(to))
                body(from, to);
}

/// The rank to send to in a ring, and the one to receive from.
inline int next_rank() { return (rank + 1) % size; }
inline int previous_rank() { return (rank + size - 1) % size; }

/// Source, tag and size of a received message.
void check_status(const char *file, int line, const MPI_Status &status, int source, int tag, std::size_t pixels,
                  pixMPI_Format format);
#define CHECK_STATUS(status, source, tag, pixels, format)                                                              \
    api::check_status(__FILE__, __LINE__, status, source, tag, pixels, format)

} // namespace api
