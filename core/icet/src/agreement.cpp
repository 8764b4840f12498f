#include "agreement.h"

#include "committed.h"

#include <algorithm>
#include <bit>

namespace icet {
namespace {

/// The same for the same numbers. (FNV-1a, of Fowler, Noll and Vo)
class Digest {
  public:
    void add(std::uint32_t number) { value = (value ^ number) * 1099511628211u; }
    std::uint64_t value = 14695981039346656037u;
};

std::uint64_t digest_of(const std::vector<Tile> &tiles) {
    Digest digest;
    for (const Tile &tile : tiles)
        for (const int part :
             {tile.viewport.x, tile.viewport.y, tile.viewport.width, tile.viewport.height, tile.display})
            digest.add(static_cast<std::uint32_t>(part));
    return digest.value;
}

/// 0: transparent black.
std::uint32_t digest_of(const Background &background) {
    if (background == Background())
        return 0;
    Digest digest;
    for (const float part : background.color)
        digest.add(std::bit_cast<std::uint32_t>(part));
    return static_cast<std::uint32_t>(digest.value >> 32) | 1;
}

Words words_of(const Settings &settings, const Background &background) {
    const std::uint64_t tiles = digest_of(settings.tiles);
    return {static_cast<std::uint32_t>(tiles), static_cast<std::uint32_t>(tiles >> 32), digest_of(background),
            static_cast<std::uint32_t>(settings.group.front())};
}

} // namespace

Telling::Telling(const Context &context, const Words &mine)
    : mine_(mine), all_(static_cast<std::size_t>(context.size())) {
    std::vector<Committed> columns; // of a picture, one for each rank
    std::vector<pixMPI_Region> regions;
    for (int rank = 0; rank < context.size(); ++rank) {
        columns.emplace_back(pixMPI_Rect{rank, 0, 1, 1});
        regions.push_back(columns.back().region());
    }
    check(pixMPI_Iallgather(pixMPI_Memory(&mine_, PIXMPI_RGBA32UI, 1, 1), PIXMPI_WHOLE,
                            pixMPI_Memory(all_.data(), PIXMPI_RGBA32UI, context.size(), 1), regions.data(),
                            context.communicator->comm, &request_));
}

Telling::~Telling() {
    if (request_ != PIXMPI_REQUEST_NULL)
        pixMPI_Wait(&request_, MPI_STATUS_IGNORE);
}

const std::vector<Words> &Telling::words() {
    if (request_ != PIXMPI_REQUEST_NULL)
        check(pixMPI_Wait(&request_, MPI_STATUS_IGNORE));
    return all_;
}

Agreement::Agreement(const Context &context, const Background &background)
    : tiles_(context.settings.tiles.size()), telling_(context, words_of(context.settings, background)) {}

std::vector<int> Agreement::leaders() {
    const std::vector<Words> &all = telling_.words();
    std::vector<int> leaders;
    one_background_ = all.front()[2] != 0;
    for (const Words &words : all) {
        if (!std::equal(words.begin(), words.begin() + 2, all.front().begin()))
            throw Failure{ICET_INVALID_VALUE,
                          "tiles: " + std::to_string(tiles_) + " here; rank " + std::to_string(&words - all.data()) +
                              " has others than rank 0, expected the same icetAddTile on all ranks"};
        leaders.push_back(static_cast<int>(words[3]));
        one_background_ = one_background_ && words[2] == all.front()[2];
    }
    return leaders;
}

void check_group(const Context &context, const std::vector<int> &leaders) {
    const std::vector<IceTInt> &group = context.settings.group;
    for (int rank = 0; rank < context.size(); ++rank)
        if ((leaders[static_cast<std::size_t>(rank)] == group.front()) !=
            std::binary_search(group.begin(), group.end(), rank))
            throw Failure{ICET_INVALID_VALUE, "data replication group: rank " + std::to_string(rank) +
                                                  " has another one than this rank, expected the same "
                                                  "icetDataReplicationGroup on all ranks of a group"};
}

std::vector<int> order_of(const Settings &settings, const std::vector<int> &leaders) {
    const auto ranks = static_cast<int>(leaders.size());
    std::vector<int> order;
    std::vector<bool> placed(leaders.size());
    for (int place = 0; place < ranks; ++place) {
        const int next =
            settings.features.at(ICET_ORDERED_COMPOSITE) ? settings.order[static_cast<std::size_t>(place)] : place;
        const int leader = leaders[static_cast<std::size_t>(next)];
        if (!placed[static_cast<std::size_t>(leader)])
            for (int rank = 0; rank < ranks; ++rank)
                if (leaders[static_cast<std::size_t>(rank)] == leader)
                    order.push_back(rank);
        placed[static_cast<std::size_t>(leader)] = true;
    }
    // Of equal depths, compositors show the first and IceT the last.
    if (settings.mode == ICET_COMPOSITE_MODE_Z_BUFFER)
        std::reverse(order.begin(), order.end());
    return order;
}

} // namespace icet
