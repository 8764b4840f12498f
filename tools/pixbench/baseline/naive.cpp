// Pixels sent by hand, as a good programmer writes it: read back (glReadPixels, vkCmdCopyImageToBuffer), MPI_Send;
// MPI_Recv, upload (glTexSubImage2D, vkCmdCopyBufferToImage). Memory, framebuffers and command buffers are made
// beforehand, the layout is the one that this driver moves fastest, and a rectangle takes one call of the API
// (naive_gl.cpp, naive_vk.cpp). This is the baseline of pixbench, so nothing here is slow on purpose.

#include "baseline/naive.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr int tag = 1;

} // namespace

std::byte *Naive::read_back(pixMPI_Rect rect) {
    std::byte *const pixels = landing(rect);
    if (pixels == pixels_)
        object_.read(rect, pixels_);
    return pixels;
}

std::byte *Naive::landing(pixMPI_Rect rect) {
    std::byte *const pixels = object_.in_place(rect);
    return pixels ? pixels : pixels_;
}

void Naive::upload(pixMPI_Rect rect) {
    if (!object_.in_place(rect))
        object_.write(rect, pixels_);
}

void Naive::send(pixMPI_Rect rect, int dest) {
    MPI_Send(read_back(rect), bytes(rect), MPI_BYTE, dest, tag, team_.comm);
}

void Naive::receive(pixMPI_Rect rect, int source) {
    MPI_Recv(landing(rect), bytes(rect), MPI_BYTE, source, tag, team_.comm, MPI_STATUS_IGNORE);
    upload(rect);
}

void Naive::exchange(Naive &out, pixMPI_Rect rect, int dest, int source) {
    MPI_Sendrecv(out.read_back(rect), bytes(rect), MPI_BYTE, dest, tag, landing(rect), bytes(rect), MPI_BYTE, source,
                 tag, team_.comm, MPI_STATUS_IGNORE);
    upload(rect);
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
