// What holds the pixels of a case on one rank: a texture, a framebuffer's attachment, a GL buffer, host memory.
#pragma once

#include "gl_format.h"
#include "glmpi.h"
#include "host_memory.h"
#include "settings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct Object {
    ObjectKind kind = ObjectKind::memory;
    pixMPI_Format format = PIXMPI_RGBA8;
    int width = 0, height = 0, pixel_bytes = 0;
    GLuint texture = 0;
    GLuint framebuffer = 0; ///< with the texture; 0 when the driver cannot draw to this format
    GLuint buffer = 0;
    HostMemory memory;

    Object() = default;
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;
    ~Object();
    /// What is wrong, or nothing.
    std::string make(ObjectKind kind, pixMPI_Format format, int width, int height);

    std::size_t row_bytes() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(pixel_bytes); }
    std::size_t bytes() const { return row_bytes() * static_cast<std::size_t>(height); }
    pixMPI_Rect whole() const { return {0, 0, width, height}; }
    /// A small change, different for each frame: what a program draws before it sends.
    void touch(int frame);
};

/// The object as an end of a message.
struct End {
    bool gl = false;
    glMPI_Surface surface{};
    pixMPI_Surface memory{};
};

End end_of(Object &object);
/// As many pixels in a row in host memory.
End end_of(HostMemory &memory, pixMPI_Format format, std::int64_t pixels);

void send(const End &end, pixMPI_Region region, int dest, MPI_Comm comm);
void receive(const End &end, pixMPI_Region region, int source, MPI_Comm comm);
void exchange(const End &out, const End &in, pixMPI_Region region, int dest, int source, MPI_Comm comm);
pixMPI_Request make_send(const End &end, pixMPI_Region region, int dest, MPI_Comm comm, bool persistent);
pixMPI_Request make_receive(const End &end, pixMPI_Region region, int source, MPI_Comm comm, bool persistent);

/// Bytes that any format keeps as they are: no NaNs, no bits that mean nothing.
std::vector<std::byte> test_pixels(pixMPI_Format format, std::int64_t pixels, std::uint32_t seed);
