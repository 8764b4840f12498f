#include "limits.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr std::size_t memcpy_band = 64 << 10;
/// Bands that may be under way in GL's memory.
constexpr std::size_t ring = 4;

} // namespace

Limits::Limits(Naive &source, Naive &dest, std::size_t bytes, const Team &team)
    : source_(source), dest_(dest), bytes_(bytes), team_(team), memory_(bytes, std::byte{1}) {
    const Object &o = source.object();
    const std::size_t row = o.row_bytes();
    rows_ = static_cast<int>((bytes + row - 1) / row);
    for (std::size_t band : {std::size_t{64} << 10, std::size_t{256} << 10, std::size_t{1} << 20, bytes})
        if (band <= bytes)
            choices_.push_back({std::max(band, row), false});
    band_.resize(std::max(std::max(bytes, row), memcpy_band), std::byte{1});
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

void Limits::consider(double seconds) { choices_[choice_].seconds = seconds; }

void Limits::settle() {
    const auto quicker = [](const Choice &a, const Choice &b) { return a.seconds < b.seconds; };
    int best = static_cast<int>(std::min_element(choices_.begin(), choices_.end(), quicker) - choices_.begin());
    MPI_Bcast(&best, 1, MPI_INT, 0, team_.comm);
    choice_ = static_cast<std::size_t>(best);
}

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

void Limits::copy_out() {
    for (std::size_t at = 0; at < bytes_; at += memcpy_band)
        std::memcpy(band_.data(), memory_.data() + at, std::min(memcpy_band, bytes_ - at));
}

void Limits::copy_in() {
    for (std::size_t at = 0; at < bytes_; at += memcpy_band)
        std::memcpy(memory_.data() + at, band_.data(), std::min(memcpy_band, bytes_ - at));
}
