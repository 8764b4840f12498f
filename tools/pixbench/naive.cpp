// Pixels sent by hand, as a good programmer writes it: read back with glReadPixels, MPI_Send; MPI_Recv, upload with
// glTexSubImage2D. Memory and framebuffers are made beforehand, the layout is the one that this driver moves fastest,
// and a rectangle takes one call of OpenGL. This is the baseline of pixbench, so nothing here is slow on purpose.

#include "naive.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr int tag = 1;

std::size_t offset_of(const Object &o, int x, int y) {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(o.width) + static_cast<std::size_t>(x)) *
           static_cast<std::size_t>(o.pixel_bytes);
}

/// Rows of a rectangle that lies in memory or in a buffer object; one piece when it is as wide as that.
template <class Visit> void for_each_row(const Object &o, pixMPI_Rect rect, Visit visit) {
    const bool one_piece = rect.width == o.width;
    const std::size_t rows = one_piece ? 1 : static_cast<std::size_t>(rect.height);
    const std::size_t length = static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(o.pixel_bytes) *
                               (one_piece ? static_cast<std::size_t>(rect.height) : 1);
    for (std::size_t row = 0; row < rows; ++row)
        visit(offset_of(o, rect.x, rect.y + static_cast<int>(row)), row * length, length);
}

} // namespace

void Naive::read(pixMPI_Rect rect, void *to) const {
    auto *const bytes_to = static_cast<std::byte *>(to);
    switch (object_.kind) {
    case ObjectKind::texture:
    case ObjectKind::framebuffer:
        if (object_.framebuffer) {
            glBindFramebuffer(GL_READ_FRAMEBUFFER, object_.framebuffer);
            glReadPixels(rect.x, rect.y, rect.width, rect.height, layout_.format, layout_.type, to);
        } else { // a format that framebuffers do not have
            glGetTextureSubImage(object_.texture, 0, rect.x, rect.y, 0, rect.width, rect.height, 1, layout_.format,
                                 layout_.type, bytes(rect), to);
        }
        break;
    case ObjectKind::buffer:
        glBindBuffer(GL_COPY_READ_BUFFER, object_.buffer);
        for_each_row(object_, rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            glGetBufferSubData(GL_COPY_READ_BUFFER, static_cast<GLintptr>(at), static_cast<GLsizeiptr>(length),
                               bytes_to + packed);
        });
        break;
    case ObjectKind::memory:
        for_each_row(object_, rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            std::memcpy(bytes_to + packed, object_.memory.data() + at, length);
        });
        break;
    }
}

void Naive::write(pixMPI_Rect rect, const void *from) {
    const auto *const bytes_from = static_cast<const std::byte *>(from);
    switch (object_.kind) {
    case ObjectKind::texture:
    case ObjectKind::framebuffer:
        glBindTexture(GL_TEXTURE_2D, object_.texture);
        glTexSubImage2D(GL_TEXTURE_2D, 0, rect.x, rect.y, rect.width, rect.height, layout_.format, layout_.type, from);
        break;
    case ObjectKind::buffer:
        glBindBuffer(GL_COPY_WRITE_BUFFER, object_.buffer);
        for_each_row(object_, rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            glBufferSubData(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(at), static_cast<GLsizeiptr>(length),
                            bytes_from + packed);
        });
        break;
    case ObjectKind::memory:
        for_each_row(object_, rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            std::memcpy(object_.memory.data() + at, bytes_from + packed, length);
        });
        break;
    }
}

/// Whole rows of host memory go to MPI as they are.
static std::byte *in_place(Object &o, pixMPI_Rect rect) {
    return o.kind == ObjectKind::memory && rect.width == o.width ? o.memory.data() + offset_of(o, 0, rect.y) : nullptr;
}

void Naive::send(pixMPI_Rect rect, int dest) {
    if (const void *pixels = in_place(object_, rect)) {
        MPI_Send(pixels, bytes(rect), MPI_BYTE, dest, tag, team_.comm);
        return;
    }
    read(rect, pixels_.data());
    MPI_Send(pixels_.data(), bytes(rect), MPI_BYTE, dest, tag, team_.comm);
}

void Naive::receive(pixMPI_Rect rect, int source) {
    if (void *pixels = in_place(object_, rect)) {
        MPI_Recv(pixels, bytes(rect), MPI_BYTE, source, tag, team_.comm, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(pixels_.data(), bytes(rect), MPI_BYTE, source, tag, team_.comm, MPI_STATUS_IGNORE);
    write(rect, pixels_.data());
}

void Naive::exchange(Naive &out, pixMPI_Rect rect, int dest, int source) {
    void *from = in_place(out.object_, rect), *to = in_place(object_, rect);
    if (!from)
        out.read(rect, from = out.pixels_.data());
    MPI_Sendrecv(from, bytes(rect), MPI_BYTE, dest, tag, to ? to : pixels_.data(), bytes(rect), MPI_BYTE, source, tag,
                 team_.comm, MPI_STATUS_IGNORE);
    if (!to)
        write(rect, pixels_.data());
}

void Naive::send_each(const std::vector<pixMPI_Rect> &rects, int dest) {
    for (const pixMPI_Rect &rect : rects)
        send(rect, dest);
}

void Naive::receive_each(const std::vector<pixMPI_Rect> &rects, int source) {
    for (const pixMPI_Rect &rect : rects)
        receive(rect, source);
}

void Naive::pack_all(const std::vector<pixMPI_Rect> &rects) {
    packed_ = 0;
    for (const pixMPI_Rect &rect : rects) {
        read(rect, pixels_.data() + packed_);
        packed_ += bytes(rect);
    }
}

void Naive::unpack_all(const std::vector<pixMPI_Rect> &rects) {
    int done = 0;
    for (const pixMPI_Rect &rect : rects) {
        write(rect, pixels_.data() + done);
        done += bytes(rect);
    }
}

void Naive::send_packed(int dest) { MPI_Send(pixels_.data(), packed_, MPI_BYTE, dest, tag, team_.comm); }

void Naive::receive_packed(int source) {
    MPI_Recv(pixels_.data(), static_cast<int>(pixels_.size()), MPI_BYTE, source, tag, team_.comm, MPI_STATUS_IGNORE);
}

double Naive::seconds_of(Layout layout) {
    layout_ = layout;
    const pixMPI_Rect some = {0, 0, object_.width, std::min(object_.height, 512)};
    double best = 1e9;
    for (int i = 0; i < 4; ++i) {
        const double before = MPI_Wtime();
        read(some, pixels_.data());
        write(some, pixels_.data());
        glFinish();
        best = i == 0 ? best : std::min(best, MPI_Wtime() - before);
    }
    return best;
}

Naive::Naive(Object &object, const Team &team) : object_(object), team_(team), pixels_(object.bytes(), std::byte{1}) {
    if (object.kind != ObjectKind::texture && object.kind != ObjectKind::framebuffer)
        return;
    const std::vector<Layout> layouts = gl_layouts(object.format);
    std::size_t best = 0;
    std::vector<double> seconds(layouts.size(), 0);
    for (std::size_t i = 0; i < layouts.size() && layouts.size() > 1; ++i) {
        const double mine = seconds_of(layouts[i]);
        MPI_Allreduce(&mine, &seconds[i], 1, MPI_DOUBLE, MPI_SUM, team.comm);
        best = seconds[i] < seconds[best] ? i : best;
    }
    layout_ = layouts[best];
}

Naive::Naive(Object &object, const Naive &other)
    : object_(object), team_(other.team_), layout_(other.layout_), pixels_(object.bytes(), std::byte{1}) {}
