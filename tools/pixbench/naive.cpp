// Pixels sent by hand, as a good programmer writes it: read back (glReadPixels, vkCmdCopyImageToBuffer), MPI_Send;
// MPI_Recv, upload (glTexSubImage2D, vkCmdCopyBufferToImage). Memory, framebuffers and command buffers are made
// beforehand, the layout is the one that this driver moves fastest, and a rectangle takes one call of the API
// (naive_gl.cpp, naive_vk.cpp). This is the baseline of pixbench, so nothing here is slow on purpose.

#include "naive.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr int tag = 1;

} // namespace

void Naive::send(pixMPI_Rect rect, int dest) {
    if (const void *pixels = object_.in_place(rect)) {
        MPI_Send(pixels, bytes(rect), MPI_BYTE, dest, tag, team_.comm);
        return;
    }
    object_.read(rect, pixels_);
    MPI_Send(pixels_, bytes(rect), MPI_BYTE, dest, tag, team_.comm);
}

void Naive::receive(pixMPI_Rect rect, int source) {
    if (void *pixels = object_.in_place(rect)) {
        MPI_Recv(pixels, bytes(rect), MPI_BYTE, source, tag, team_.comm, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(pixels_, bytes(rect), MPI_BYTE, source, tag, team_.comm, MPI_STATUS_IGNORE);
    object_.write(rect, pixels_);
}

void Naive::exchange(Naive &out, pixMPI_Rect rect, int dest, int source) {
    void *from = out.object_.in_place(rect), *to = object_.in_place(rect);
    if (!from)
        out.object_.read(rect, from = out.pixels_);
    MPI_Sendrecv(from, bytes(rect), MPI_BYTE, dest, tag, to ? to : pixels_, bytes(rect), MPI_BYTE, source, tag,
                 team_.comm, MPI_STATUS_IGNORE);
    if (!to)
        object_.write(rect, pixels_);
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
    for (const pixMPI_Rect &rect : rects)
        packed_ += bytes(rect);
    object_.read_all(rects, pixels_);
}

void Naive::unpack_all(const std::vector<pixMPI_Rect> &rects) { object_.write_all(rects, pixels_); }

void Naive::send_packed(int dest) { MPI_Send(pixels_, packed_, MPI_BYTE, dest, tag, team_.comm); }

void Naive::receive_packed(int source) {
    MPI_Recv(pixels_, static_cast<int>(object_.bytes()), MPI_BYTE, source, tag, team_.comm, MPI_STATUS_IGNORE);
}

double Naive::seconds_of(int layout) {
    object_.use_layout(layout);
    const pixMPI_Rect some = {0, 0, object_.width, std::min(object_.height, 512)};
    double best = 1e9;
    for (int i = 0; i < 4; ++i) {
        const double before = MPI_Wtime();
        object_.read(some, pixels_);
        object_.write(some, pixels_);
        object_.finish();
        best = i == 0 ? best : std::min(best, MPI_Wtime() - before);
    }
    return best;
}

Naive::Naive(Object &object, const Team &team) : object_(object), team_(team) {
    make_memory();
    double least = 0;
    for (int i = 0; i < object.layouts() && object.layouts() > 1; ++i) {
        double mine = seconds_of(i), all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, team.comm);
        if (i == 0 || all < least) {
            least = all;
            layout_ = i;
        }
    }
    object.use_layout(layout_);
}

Naive::Naive(Object &object, const Naive &other) : object_(object), team_(other.team_), layout_(other.layout_) {
    make_memory();
    object.use_layout(layout_);
}

void Naive::make_memory() {
    pixels_ = object_.staging();
    if (pixels_)
        return;
    memory_.assign(object_.bytes(), std::byte{1});
    pixels_ = memory_.data();
}
