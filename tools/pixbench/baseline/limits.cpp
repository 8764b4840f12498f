#include "baseline/limits.h"

#include <algorithm>

namespace {

/// Pieces that may be under way in the API's memory.
constexpr std::size_t ring = 4;
constexpr std::size_t most = 4 << 20; ///< bytes of one of them

} // namespace

Limits::Limits(Object &source, Object &dest, std::size_t bytes, const Team &team)
    : source_(source), dest_(dest), team_(team) {
    const std::size_t row = source.row_bytes();
    rows_ = static_cast<int>((bytes + row - 1) / row);
    // A GPU says by a fence that a piece has come, which takes longer than many pieces that fit into a cache.
    const std::size_t least = team.api->software() ? std::size_t{64} << 10 : std::size_t{4} << 20;
    for (std::size_t piece = std::min(least, bytes); piece < bytes && piece <= most; piece *= 4)
        choices_.push_back({std::max(piece, row), false});
    const std::size_t large = std::max(row, std::min(bytes, most));
    if (source.make_own_memory(large * ring) && dest.make_own_memory(large * ring)) {
        const std::vector<Choice> plain = choices_;
        for (const Choice &choice : plain)
            if (choice.bytes < large)
                choices_.push_back({choice.bytes, true});
        choices_.push_back({large, true});
    }
    choices_.push_back({std::max(bytes, row), false});
    band_.resize(std::max(bytes, row), std::byte{1});
}

double Limits::band_bytes() const { return static_cast<double>(choices_[choice_].bytes); }

/// Calls piece(rows of the object, place in the API's memory).
template <class Piece> void Limits::for_each_piece(Piece piece) const {
    const std::size_t bytes = choices_[choice_].bytes;
    const int rows = static_cast<int>(std::max<std::size_t>(bytes / source_.row_bytes(), 1));
    std::size_t count = 0;
    for (int y = 0; y < rows_; y += rows)
        piece(pixMPI_Rect{0, y, source_.width, std::min(rows, rows_ - y)}, count++ % ring * bytes);
}

void Limits::read() {
    const double before = MPI_Wtime();
    const bool own = choices_[choice_].own;
    for_each_piece([&](pixMPI_Rect rect, std::size_t at) {
        own ? source_.read_to_own(rect, at) : source_.read(rect, band_.data());
    });
    if (own)
        source_.finish();
    read_seconds_.push_back(MPI_Wtime() - before);
}

void Limits::write(int images) {
    const double before = MPI_Wtime();
    const bool own = choices_[choice_].own;
    for (int i = 0; i < images; ++i)
        for_each_piece([&](pixMPI_Rect rect, std::size_t at) {
            own ? dest_.write_from_own(rect, at) : dest_.write(rect, band_.data());
        });
    dest_.finish();
    write_seconds_.push_back(MPI_Wtime() - before);
}

void Limits::choose_for(Way &way) {
    way.limit = true;
    choose_fastest(*this, way.run, team_);
    read_seconds_.clear();
    write_seconds_.clear();
}
