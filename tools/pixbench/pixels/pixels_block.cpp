#include "pixels/pixels_block.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace {

constexpr int border = 1; ///< pixels
constexpr int tag = 9;

} // namespace

Block::Block(const BlockCase &what, const std::string &kind, const Team &team) : what_(what), team_(team) {
    std::string problem;
    object_ = make_object(*team.api, kind, {what.format, what.width + 2 * border, what.height + 2 * border}, problem);
    if (problem.empty())
        fill_ = object_->make_fill(what.work, problem);
    check_all(problem.empty(), problem, team.comm);
    naive_ = std::make_unique<Naive>(*object_, team); // finds the layout
    object_->write(object_->whole(), std::vector<std::byte>(object_->bytes()).data());
    find_edges();
    make_requests();
    host_.assign(2 * edge_bytes_, std::byte{1});
    std::byte *const staging = object_->staging();
    out_ = staging && 2 * edge_bytes_ <= object_->bytes() ? staging : host_.data();
    in_ = out_ + edge_bytes_;
    Way one = alone();
    const double seconds = 2.5 * team.in_a_row; // of a run, so that what comes after the last step weighs little
    steps_ = static_cast<int>(std::clamp(seconds / least_of_few(one.run, 1, team), 1.0, 1000.0));
}

Block::~Block() {
    for (pixMPI_Request &request : requests_)
        pixMPI_Request_free(&request);
    for (pixMPI_Region &region : regions_)
        pixMPI_Region_free(&region);
}

void Block::find_edges() {
    std::array<int, 2> grid{};
    MPI_Dims_create(team_.ranks, 2, grid.data());
    const int columns = grid[0], rows = grid[1], column = team_.rank % columns, row = team_.rank / columns;
    const int w = what_.width, h = what_.height, b = border;
    const pixMPI_Rect left{b, b, b, h}, right{w, b, b, h}, bottom{b, b, w, b}, top{b, h, w, b};
    if (column > 0)
        edges_.push_back({team_.rank - 1, left, {0, b, b, h}, right});
    if (column < columns - 1)
        edges_.push_back({team_.rank + 1, right, {w + b, b, b, h}, left});
    if (row > 0)
        edges_.push_back({team_.rank - columns, bottom, {b, 0, w, b}, top});
    if (row < rows - 1)
        edges_.push_back({team_.rank + columns, top, {b, h + b, w, b}, bottom});
    for (const Edge &edge : edges_) {
        outs_.push_back(edge.out);
        ins_.push_back(edge.in);
        edge_bytes_ += object_->bytes_of(edge.out);
    }
}

void Block::make_requests() {
    const auto end = object_->end();
    const auto region_of = [this](const pixMPI_Rect &r) {
        regions_.push_back(PIXMPI_REGION_NULL);
        check(pixMPI_Region_rect(r.x, r.y, r.width, r.height, &regions_.back()));
        check(pixMPI_Region_commit(&regions_.back()));
        return regions_.back();
    };
    for (const Edge &edge : edges_)
        requests_.push_back(end.receive_init(region_of(edge.in), edge.neighbour, team_.comm));
    for (const Edge &edge : edges_)
        requests_.push_back(end.send_init(region_of(edge.out), edge.neighbour, team_.comm));
}

std::uint32_t Block::seed_of(int rank) const { return frame_ * 1024 + static_cast<std::uint32_t>(rank); }

void Block::fill() {
    ++frame_;
    fill_->run({border, border, what_.width, what_.height}, seed_of(team_.rank));
}

/// Drivers that draw with the processor need the core.
void Block::await_fill() {
    if (team_.api->software())
        object_->finish();
    else
        fill_->await();
}

/// Steps in a row, and rank 0 learns that everybody has done them.
Way Block::way(const std::string &name, std::function<void()> exchange) {
    return {.name = name, .run = [this, exchange] {
                for (int i = 0; i < steps_; ++i) {
                    fill();
                    exchange();
                }
                meet(team_);
            }};
}

Way Block::alone() {
    return way("fill alone", [this] { await_fill(); });
}

Way Block::library() {
    return way("library", [this] {
        const int count = static_cast<int>(requests_.size());
        check(pixMPI_Startall(count, requests_.data()));
        check(pixMPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE));
        if (count == 0)
            await_fill();
        else
            object_->await_received(); // what is sent has been filled before
    });
}

void Block::start_messages(std::byte *out, std::byte *in) {
    mpi_requests_.clear();
    for (const Edge &edge : edges_) {
        const int bytes = static_cast<int>(object_->bytes_of(edge.in));
        MPI_Irecv(in, bytes, MPI_BYTE, edge.neighbour, tag, team_.comm, &mpi_requests_.emplace_back());
        in += bytes;
    }
    for (const Edge &edge : edges_) {
        const int bytes = static_cast<int>(object_->bytes_of(edge.out));
        MPI_Isend(out, bytes, MPI_BYTE, edge.neighbour, tag, team_.comm, &mpi_requests_.emplace_back());
        out += bytes;
    }
}

Way Block::naive() {
    return way("naive", [this] {
        if (edges_.empty())
            return await_fill();
        object_->read_all(outs_, out_);
        start_messages(out_, in_);
        MPI_Waitall(static_cast<int>(mpi_requests_.size()), mpi_requests_.data(), MPI_STATUSES_IGNORE);
        object_->write_all(ins_, in_);
        object_->finish();
    });
}

Way Block::host_mpi() {
    return way("host MPI", [this] {
        await_fill();
        start_messages(host_.data(), host_.data() + edge_bytes_);
        MPI_Waitall(static_cast<int>(mpi_requests_.size()), mpi_requests_.data(), MPI_STATUSES_IGNORE);
    });
}

std::vector<std::byte> Block::expected(const Edge &edge) const {
    std::vector<std::byte> pixels;
    for (int y = edge.theirs.y; y < edge.theirs.y + edge.theirs.height; ++y)
        for (int x = edge.theirs.x; x < edge.theirs.x + edge.theirs.width; ++x) {
            const std::uint32_t number = fill_number(x, y, seed_of(edge.neighbour), what_.work);
            for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(object_->pixel_bytes) / 4; ++k) {
                const std::uint32_t word = fill_word(number, k);
                const auto *bytes = reinterpret_cast<const std::byte *>(&word);
                pixels.insert(pixels.end(), bytes, bytes + sizeof word);
            }
        }
    return pixels;
}

/// Where what came differs from what the neighbour has computed; nothing when it does not.
std::string Block::difference(const Edge &edge) {
    std::vector<std::byte> seen(object_->bytes_of(edge.in));
    object_->read(edge.in, seen.data());
    const std::vector<std::byte> right = expected(edge);
    const auto word = [](const std::vector<std::byte> &bytes, std::size_t k) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + k * sizeof value, sizeof value);
        return value;
    };
    std::size_t wrong = 0, first = 0, words = right.size() / sizeof(std::uint32_t);
    for (std::size_t k = words; k-- > 0;)
        if (word(seen, k) != word(right, k)) {
            ++wrong;
            first = k;
        }
    if (wrong == 0)
        return "";
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(), " from rank %d: %zu of %zu words; word %zu is %08x, expected %08x",
                  edge.neighbour, wrong, words, first, word(seen, first), word(right, first));
    return text.data();
}

void Block::verify(Way &way) {
    way.run();
    std::string wrong;
    object_->use_layout(0); // the computation's own; the naive way's may have blue first
    for (const Edge &edge : edges_) {
        wrong += difference(edge);
        const std::vector<std::byte> nothing(object_->bytes_of(edge.in));
        object_->write(edge.in, nothing.data());
    }
    object_->finish();
    object_->use_layout(naive_->layout());
    check_all(wrong.empty(),
              what_.name + ": the way \"" + way.name + "\" brought other pixels than the neighbours' edges" + wrong,
              team_.comm);
}

double Block::exchanged_bytes() const {
    const double mine = static_cast<double>(edge_bytes_);
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, team_.comm);
    return all;
}

pixMPI_Route Block::route() const {
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    if (!edges_.empty())
        check(pixMPI_Comm_route(team_.comm, edges_.front().neighbour, &route));
    return route;
}
