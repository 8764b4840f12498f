// glReadPixels of the window: every rank gets the whole window's pixels, from whichever tile they are on.
#include "base/export.h"
#include "base/real.h"
#include "gl/context/error.h"
#include "gl/coordinates/mirror.h"
#include "gl/draw/cut.h"
#include "gl/pixel/gather.h"
#include "gl/pixel/pixel_layout.h"
#include "gl/pixel/pixel_store.h"
#include "gl/value/buffer_memory.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace mpiglut::gl {

namespace {

using pixmpi::Rect;

/// The memory of the bound pixel pack buffer. Bytes that the image does not touch there have to stay as they are, so
/// all are fetched, and copied back.
class PackBuffer {
  public:
    PackBuffer(std::uintptr_t offset, std::size_t size) : offset_(offset), bytes_(size) {
        REAL(glGetBufferSubData)(GL_PIXEL_PACK_BUFFER, offset_, bytes_.size(), bytes_.data());
    }
    static bool bound() { return get_stored(GL_PIXEL_PACK_BUFFER_BINDING) != 0; }
    std::byte *data() { return bytes_.data(); }
    void write() { write_buffer(GL_PIXEL_PACK_BUFFER, offset_, bytes_); }

  private:
    std::uintptr_t offset_;
    comm::Bytes bytes_;
};

/// glReadPixels from all tiles, after the driver has found nothing wrong with the arguments.
void read_wall(Context &c, const PixelSource &source, const Rect &asked, GLenum format, GLenum type, std::size_t room,
               void *data, ErrorScope &errors) {
    const PixelLayout layout(pixel_bits(format, type), asked.width, pack_state(asked.height));
    const std::size_t extent = layout.extent(asked.height);
    const bool buffer = PackBuffer::bound();
    const auto offset = reinterpret_cast<std::uintptr_t>(data);
    if (extent > room || (buffer && !buffer_writable(GL_PIXEL_PACK_BUFFER, offset, extent)))
        return errors.keep(GL_INVALID_OPERATION);
    if (!buffer && !data)
        return;

    const Gathered gathered = gather_pixels(c, source, asked, format, type);
    if (const GLenum error = errors.fetch(); error != GL_NO_ERROR)
        return errors.keep(error);
    if (buffer) {
        PackBuffer memory(offset, extent);
        compose(layout, memory.data(), asked, source.whole, gathered.pieces);
        memory.write();
    } else {
        compose(layout, static_cast<std::byte *>(data), asked, source.whole, gathered.pieces);
    }
}

/// `real` is the entry point that the program called, with x, y, width and height left open.
template <class F>
void read_pixels(const Rect &asked, GLenum format, GLenum type, std::size_t room, void *data, F &&real) {
    Context *c = current();
    const Origin origin = c ? read_origin(*c) : Origin{};
    const auto straight = [&] { real(asked.x - origin.x, asked.y - origin.y, asked.width, asked.height); };
    if (!c)
        return straight();
    const std::optional<PixelSource> source = reads_window(*c) ? window_source(*c) : cut_source(*c, asked);
    if (!source || !is_collective(*c, asked))
        return straight();
    {
        // Whatever GL has to say about the arguments, it says of an empty rectangle too, and to every rank.
        ErrorScope errors;
        real(0, 0, 0, 0);
        const GLenum error = errors.fetch();
        if (error != GL_NO_ERROR)
            return errors.keep(error);
        if (pixel_bits(format, type) != 0)
            return read_wall(*c, *source, asked, format, type, room, data, errors);
    }
    straight();
}

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
                                 void *data) {
    read_pixels({x, y, width, height}, format, type, unlimited, data, [&](GLint rx, GLint ry, GLsizei w, GLsizei h) {
        REAL(glReadPixels)(rx, ry, w, h, format, type, data);
    });
}

// glReadnPixels, in its three spellings.
#define MPIGLUT_READN(name)                                                                                            \
    MPIGLUT_EXPORT void name(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,              \
                             GLsizei size, void *data) {                                                               \
        const std::size_t room = size > 0 ? static_cast<std::size_t>(size) : 0;                                        \
        read_pixels({x, y, width, height}, format, type, room, data, [&](GLint rx, GLint ry, GLsizei w, GLsizei h) {   \
            REAL(name)(rx, ry, w, h, format, type, size, data);                                                        \
        });                                                                                                            \
    }
MPIGLUT_READN(glReadnPixels)
MPIGLUT_READN(glReadnPixelsARB)
extern "C" void glReadnPixelsEXT(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, GLsizei, void *);
MPIGLUT_READN(glReadnPixelsEXT)
