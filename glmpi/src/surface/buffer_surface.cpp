#include "surface/buffer_surface.h"

#include "region/copy_rows.h"

#include <algorithm>
#include <utility>

namespace glmpi {

using namespace pixmpi;

namespace {

constexpr std::size_t staging_bytes = 256 << 10;

} // namespace

BufferSurface::~BufferSurface() {
    if (place_.own.name)
        gl_device.give_back(place_.own);
}

Status BufferSurface::make(GlDevice &owner, pixMPI_Format format, Extent size, std::shared_ptr<Surface> &surface) {
    GlAttempt errors(owner.gl);
    SavedState state(owner);
    Place place{0, 0, std::int64_t{size.width} * format_info(format).bytes, true, true, {}, true};
    const std::int64_t bytes = place.row_bytes * size.height;
    place.own = owner.acquire_buffer(state, static_cast<std::size_t>(bytes));
    place.name = place.own.name;
    if (errors.any()) {
        owner.delete_buffer(place.name); // not kept: it may have no memory
        return fail(PIXMPI_ERR_MEMORY, "OpenGL has no memory for %lld bytes of pixels", static_cast<long long>(bytes));
    }
    surface = std::make_shared<BufferSurface>(owner, size, format, place);
    return PIXMPI_SUCCESS;
}

std::int64_t BufferSurface::first_byte(const pixMPI_Rect &r) const {
    return r.y * place_.row_bytes + static_cast<std::int64_t>(r.x) * pixel_bytes;
}

ShaderPacker::Rows BufferSurface::rows() const {
    const std::int64_t bytes = (full.height - 1) * place_.row_bytes + std::int64_t{full.width} * pixel_bytes,
                       end = (place_.offset + bytes + 3) / 4 * 4;
    return {place_.name, static_cast<std::size_t>(place_.offset), static_cast<std::size_t>(end - place_.offset),
            static_cast<std::size_t>(place_.row_bytes)};
}

// A buffer of ours stays this surface's.
std::shared_ptr<Surface> BufferSurface::again() const {
    Place place = place_;
    place.own = {};
    auto made = std::make_shared<BufferSurface>(gl_device, full, format, place);
    made->watch = watch;
    return made;
}

// The program's buffer is bound for reading or writing copies; with a pixel buffer, that one at the other end.
Status BufferSurface::open(SavedState &state, Direction direction, GLuint buffer) {
    const Gl &gl = gl_device.gl;
    const bool pack = direction == Direction::pack;
    const GLenum mine = target_ = pack ? GL_COPY_READ_BUFFER : GL_COPY_WRITE_BUFFER;
    state.bind_buffer(mine, place_.name);
    pixel_buffer_ = buffer;
    mapped_ = nullptr;
    if (buffer) {
        state.bind_buffer(pack ? GL_COPY_WRITE_BUFFER : GL_COPY_READ_BUFFER, buffer);
        return PIXMPI_SUCCESS;
    }
    if (pack ? place_.map_read : place_.map_write) {
        const std::int64_t bytes = (full.height - 1) * place_.row_bytes + std::int64_t{full.width} * pixel_bytes;
        mapped_ = static_cast<std::byte *>(gl.MapBufferRange(mine, static_cast<GLintptr>(place_.offset),
                                                             static_cast<GLsizeiptr>(bytes),
                                                             pack ? GL_MAP_READ_BIT : GL_MAP_WRITE_BIT));
        if (!mapped_)
            return fail(PIXMPI_ERR_DEVICE, "surface: OpenGL does not map buffer %u, expected that it does",
                        place_.name);
        return PIXMPI_SUCCESS;
    }
    if (!pack) {
        state.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
        gl.GenBuffers(1, &staging_);
        gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, staging_);
        gl.BufferData(GL_PIXEL_UNPACK_BUFFER, staging_bytes, nullptr, GL_STREAM_COPY);
    }
    return PIXMPI_SUCCESS;
}

void BufferSurface::copy(const pixMPI_Rect &r, std::size_t at, bool reading) {
    const std::size_t row = row_bytes(r.width);
    std::int64_t surface = place_.offset + first_byte(r);
    const bool joined = place_.row_bytes == static_cast<std::int64_t>(row);
    const std::size_t bytes = joined ? row * static_cast<std::size_t>(r.height) : row;
    for (int y = 0; y < (joined ? 1 : r.height); ++y, surface += place_.row_bytes, at += row) {
        const auto here = static_cast<GLintptr>(reading ? surface : static_cast<std::int64_t>(at));
        const auto there = static_cast<GLintptr>(reading ? static_cast<std::int64_t>(at) : surface);
        gl_device.gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, here, there,
                                       static_cast<GLsizeiptr>(bytes));
    }
}

void BufferSurface::read(const pixMPI_Rect &r, std::byte *pixels) {
    const std::size_t row = row_bytes(r.width);
    if (pixel_buffer_)
        return copy(r, reinterpret_cast<std::size_t>(pixels), true);
    if (mapped_)
        return copy_rows(Direction::pack, {mapped_ + first_byte(r), place_.row_bytes}, row,
                         static_cast<std::size_t>(r.height), pixels);
    for (int y = 0; y < r.height; ++y, pixels += row)
        gl_device.gl.GetBufferSubData(GL_COPY_READ_BUFFER,
                                      static_cast<GLintptr>(place_.offset + first_byte({r.x, r.y + y, 1, 1})),
                                      static_cast<GLsizeiptr>(row), pixels);
}

void BufferSurface::write(const pixMPI_Rect &r, const std::byte *pixels) {
    const std::size_t row = row_bytes(r.width);
    if (pixel_buffer_)
        return copy(r, reinterpret_cast<std::size_t>(pixels), false);
    if (mapped_)
        return copy_rows(mapped_ + first_byte(r), static_cast<std::ptrdiff_t>(place_.row_bytes), pixels,
                         static_cast<std::ptrdiff_t>(row), row, static_cast<std::size_t>(r.height));
    // Storage that takes neither mappings nor glBufferSubData still takes copies from another buffer.
    const Gl &gl = gl_device.gl;
    for (int y = 0; y < r.height; ++y, pixels += row) {
        const std::int64_t to = place_.offset + first_byte({r.x, r.y + y, 1, 1});
        for (std::size_t at = 0; at < row; at += staging_bytes) {
            const auto bytes = static_cast<GLsizeiptr>(std::min(staging_bytes, row - at));
            gl.BufferSubData(GL_PIXEL_UNPACK_BUFFER, 0, bytes, pixels + at);
            gl.CopyBufferSubData(GL_PIXEL_UNPACK_BUFFER, GL_COPY_WRITE_BUFFER, 0,
                                 static_cast<GLintptr>(to + static_cast<std::int64_t>(at)), bytes);
        }
    }
}

void BufferSurface::close() {
    const Gl &gl = gl_device.gl;
    if (mapped_ && gl.UnmapBuffer(target_) != GL_TRUE)
        lost_ = true;
    mapped_ = nullptr;
    if (staging_)
        gl.DeleteBuffers(1, &staging_);
    staging_ = 0;
}

Status BufferSurface::finish(SavedState &) {
    return std::exchange(lost_, false)
               ? fail(PIXMPI_ERR_DEVICE, "surface: OpenGL has lost what buffer %u holds, expected that it keeps it",
                      place_.name)
               : PIXMPI_SUCCESS;
}

} // namespace glmpi
