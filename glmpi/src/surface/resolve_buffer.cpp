#include "surface/buffer_surface.h"

#include <limits>

namespace glmpi {

using namespace pixmpi;

namespace {

Status check_layout(const Named &named, GLint64 size) {
    const std::int64_t pixel = format_info(named.format).bytes, row = pixel * named.width;
    if (named.width < 0 || named.height < 0)
        return fail(PIXMPI_ERR_SURFACE, "surface: %d x %d pixels, expected none below 0", named.width, named.height);
    if (named.offset < 0)
        return fail(PIXMPI_ERR_SURFACE, "surface.offset: %lld, expected 0 or more",
                    static_cast<long long>(named.offset));
    if (named.width == 0 || named.height == 0)
        return PIXMPI_SUCCESS;
    if (named.row_bytes < row && named.height > 1)
        return fail(PIXMPI_ERR_SURFACE, "surface.row_bytes: %lld, expected %lld or more",
                    static_cast<long long>(named.row_bytes), static_cast<long long>(row));
    const std::int64_t room = size - named.offset - row;
    const std::int64_t rows = named.height - 1;
    if (room < 0 || (rows > 0 && named.row_bytes > room / rows))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface: %d x %d pixels at byte %lld, expected them within the %lld bytes of buffer %u",
                    named.width, named.height, static_cast<long long>(named.offset), static_cast<long long>(size),
                    named.name);
    return PIXMPI_SUCCESS;
}

} // namespace

Status resolve_buffer(GlDevice &device, SavedState &state, const Named &named, std::shared_ptr<GlSurface> &surface) {
    const Gl &gl = device.gl;
    if (named.name == 0 || !gl.IsBuffer(named.name))
        return fail(PIXMPI_ERR_SURFACE, "surface.name: %u, expected a buffer object", named.name);
    if (format_info(named.format).bytes == 0)
        return fail(PIXMPI_ERR_FORMAT, "surface.format: %d, expected a pixMPI_Format", static_cast<int>(named.format));
    if (named.as != PIXMPI_FORMAT_NONE && named.as != named.format)
        return fail(PIXMPI_ERR_FORMAT, "surface.as: OpenGL converts no pixels of buffers, expected %s",
                    format_info(named.format).name);

    state.bind_buffer(GL_COPY_READ_BUFFER, named.name);
    GLint64 size = 0;
    gl.GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &size);
    if (const Status status = check_layout(named, size))
        return status;
    const auto ask = [&](GLenum what) {
        GLint value = 0;
        gl.GetBufferParameteriv(GL_COPY_READ_BUFFER, what, &value);
        return value;
    };
    BufferSurface::Place place{named.name, named.offset, named.row_bytes, true, true};
    if (named.height <= 1)
        place.row_bytes = std::int64_t{named.width} * format_info(named.format).bytes;
    const std::int64_t end = place.offset + (named.height - 1) * place.row_bytes +
                             std::int64_t{named.width} * format_info(named.format).bytes;
    place.whole_words = (end + 3) / 4 * 4 <= size;
    if (ask(GL_BUFFER_MAPPED)) {
        if (!device.features.buffer_storage || !(ask(GL_BUFFER_ACCESS_FLAGS) & GL_MAP_PERSISTENT_BIT))
            return fail(PIXMPI_ERR_SURFACE,
                        "surface: buffer %u is mapped, expected none that is, or a persistent mapping", named.name);
        place.map_read = place.map_write = false;
    } else if (device.features.buffer_storage && ask(GL_BUFFER_IMMUTABLE_STORAGE)) {
        const GLint flags = ask(GL_BUFFER_STORAGE_FLAGS);
        place.map_read = (flags & GL_MAP_READ_BIT) != 0;
        place.map_write = (flags & GL_MAP_WRITE_BIT) != 0;
    }
    surface = std::make_shared<BufferSurface>(device, Extent{named.width, named.height}, named.format, place);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
