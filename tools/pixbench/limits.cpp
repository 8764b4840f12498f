#include "limits.h"

#include <algorithm>

namespace {

/// Bands that may be under way in GL's memory.
constexpr std::size_t ring = 4;

} // namespace

Limits::Limits(Naive &source, Naive &dest, std::size_t bytes, const Team &team)
    : source_(source), dest_(dest), team_(team) {
    const Object &o = source.object();
    const std::size_t row = o.row_bytes();
    rows_ = static_cast<int>((bytes + row - 1) / row);
    // A card says by a fence that a piece has come, which takes longer than many pieces that fit into a cache.
    const std::size_t least = team.software ? std::size_t{64} << 10 : std::size_t{4} << 20;
    for (std::size_t band = std::min(least, bytes); band < bytes && band <= std::size_t{4} << 20; band *= 4)
        choices_.push_back({std::max(band, row), false});
    choices_.push_back({std::max(bytes, row), false});
    band_.resize(std::max(bytes, row), std::byte{1});
    if (!team.gl)
        return;
    const std::size_t large = std::max(row, std::min(bytes, std::size_t{4} << 20));
    choices_.push_back({large, true});
    glGenBuffers(1, &pixel_buffer_);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pixel_buffer_);
    glBufferData(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(large * ring), nullptr, GL_STREAM_READ);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

Limits::~Limits() { glDeleteBuffers(pixel_buffer_ ? 1 : 0, &pixel_buffer_); }

double Limits::band_bytes() const { return static_cast<double>(choices_[choice_].bytes); }

template <class Band> void Limits::for_each_band(std::size_t bytes, Band band) const {
    const Object &o = source_.object();
    const int rows = static_cast<int>(std::max<std::size_t>(bytes / o.row_bytes(), 1));
    std::size_t count = 0;
    for (int y = 0; y < rows_; y += rows)
        band(pixMPI_Rect{0, y, o.width, std::min(rows, rows_ - y)}, count++ % ring * bytes);
}

void Limits::copy(GLuint from, std::size_t from_at, GLuint to, std::size_t to_at, std::size_t bytes) {
    glBindBuffer(GL_COPY_READ_BUFFER, from);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(from_at),
                        static_cast<GLintptr>(to_at), static_cast<GLsizeiptr>(bytes));
}

void Limits::read() {
    const Choice &choice = choices_[choice_];
    const Object &o = source_.object();
    const bool copies = choice.pixel_buffer && o.kind == ObjectKind::buffer;
    if (choice.pixel_buffer)
        glBindBuffer(GL_PIXEL_PACK_BUFFER, pixel_buffer_);
    for_each_band(choice.bytes, [&](pixMPI_Rect rect, std::size_t slot) {
        if (copies)
            copy(o.buffer, o.row_bytes() * static_cast<std::size_t>(rect.y), pixel_buffer_, slot,
                 o.row_bytes() * static_cast<std::size_t>(rect.height));
        else
            source_.read(rect, choice.pixel_buffer ? reinterpret_cast<void *>(slot) : band_.data());
    });
    if (!choice.pixel_buffer)
        return;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glFinish();
}

void Limits::write() {
    const Choice &choice = choices_[choice_];
    const Object &o = dest_.object();
    const bool copies = choice.pixel_buffer && o.kind == ObjectKind::buffer;
    if (choice.pixel_buffer)
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pixel_buffer_);
    for_each_band(choice.bytes, [&](pixMPI_Rect rect, std::size_t slot) {
        if (copies)
            copy(pixel_buffer_, slot, o.buffer, o.row_bytes() * static_cast<std::size_t>(rect.y),
                 o.row_bytes() * static_cast<std::size_t>(rect.height));
        else
            dest_.write(rect, choice.pixel_buffer ? reinterpret_cast<const void *>(slot) : band_.data());
    });
    if (choice.pixel_buffer)
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    if (team_.gl)
        glFinish();
}
