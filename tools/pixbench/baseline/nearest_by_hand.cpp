#include "baseline/nearest_by_hand.h"

#include <cstring>

namespace {

/// The processor's vector units want a loop without branches. (Compiled with -O3.)
void choose(const std::uint32_t *__restrict new_color, const float *__restrict new_depth,
            std::uint32_t *__restrict color, float *__restrict depth, std::size_t pixels) {
    for (std::size_t i = 0; i < pixels; ++i) {
        const bool nearer = !(depth[i] < new_depth[i]); // MPI's operand `in` is of lower ranks
        const std::uint32_t a = new_color[i], b = color[i];
        const float c = new_depth[i], d = depth[i];
        color[i] = nearer ? a : b;
        depth[i] = nearer ? c : d;
    }
}

void combine(void *in, void *inout, int *count, MPI_Datatype *type) {
    MPI_Aint least = 0, bytes = 0;
    MPI_Type_get_extent(*type, &least, &bytes);
    const auto half = static_cast<std::size_t>(bytes) / 2;
    auto *from = static_cast<const std::byte *>(in);
    auto *to = static_cast<std::byte *>(inout);
    for (int i = 0; i < *count; ++i, from += bytes, to += bytes)
        choose(reinterpret_cast<const std::uint32_t *>(from), reinterpret_cast<const float *>(from + half),
               reinterpret_cast<std::uint32_t *>(to), reinterpret_cast<float *>(to + half), half / 4);
}

/// Objects that take any memory take this one; others are fastest with their own.
void read_to(Naive &from, std::byte *to) {
    Object &object = from.object();
    if (object.straight())
        object.read(object.whole(), to);
    else
        std::memcpy(to, from.read_back(object.whole()), object.bytes());
}

void write_from(Naive &to, const std::byte *from) {
    Object &object = to.object();
    if (object.straight()) {
        object.write(object.whole(), from);
        return;
    }
    std::memcpy(to.landing(object.whole()), from, object.bytes());
    to.upload(object.whole());
}

} // namespace

NearestByHand::NearestByHand(std::size_t pixels)
    : pixels_(pixels), mine_(8 * pixels, std::byte{1}), result_(8 * pixels, std::byte{2}) {
    MPI_Type_contiguous(static_cast<int>(2 * pixels), MPI_UINT32_T, &piece_);
    MPI_Type_commit(&piece_);
    MPI_Op_create(combine, 0, &nearest_);
}

NearestByHand::~NearestByHand() {
    MPI_Op_free(&nearest_);
    MPI_Type_free(&piece_);
}

void NearestByHand::read_back(Naive &colors, Naive &depths) {
    read_to(colors, mine_.data());
    read_to(depths, mine_.data() + 4 * pixels_);
}

void NearestByHand::reduce(MPI_Comm comm) { MPI_Reduce(mine_.data(), result_.data(), 1, piece_, nearest_, 0, comm); }

void NearestByHand::upload(Naive &colors, Naive &depths) {
    write_from(colors, result_.data());
    write_from(depths, result_.data() + 4 * pixels_);
}
