// Copies within a process between two GPUs, for which others stand in (test_gpus.h): by copy engines, where there are
// any.
#include "vk/vk_peer.h"

#include <atomic>
#include <barrier>
#include <mutex>
#include <thread>

using namespace api;

namespace {

/// A device of each of two cards.
struct TwoCards {
    TwoCards() : from(make(0)), to(make(1)) {}
    ~TwoCards() {
        heal_cuda();
        CHECK(from->close().empty());
        CHECK(to->close().empty());
    }
    static std::unique_ptr<vk_rig::Device> make(int gpu) {
        std::string reason;
        vk_rig::Options options = rig_options();
        options.get = vulkan_entry();
        vk_interpose::gpu = gpu;
        auto made = vk_rig::Device::make(options, reason);
        if (!made)
            failed(__FILE__, __LINE__, reason);
        NEED(made != nullptr);
        return made;
    }
    const std::unique_ptr<vk_rig::Device> from, to;
};

/// An image on each of them.
struct Pair {
    Pair(const TwoCards &cards, int edge_, std::uint64_t seed_)
        : edge(edge_), seed(seed_), from(*cards.from, PIXMPI_RGBA8, edge, edge),
          to(*cards.to, PIXMPI_RGBA8, edge, edge) {
        sent = from.fill(seed_of(seed, 1));
        before = to.fill(seed_of(seed, 2));
    }
    VulkanAny source() const { return {from.surface()}; }
    VulkanAny target() const { return {to.surface()}; }
    void check(const Shape &of, const Shape &into) {
        Bytes expected = before;
        unpack(expected, edge, 4, into, pack(sent, edge, 4, of));
        CHECK_PIXELS(to.read(), expected, edge, 4);
        to.write(before);
    }
    void check_all() {
        CHECK_PIXELS(to.read(), sent, edge, 4);
        to.write(before);
    }
    std::uint64_t bytes() const { return sent.size(); }
    const int edge;
    const std::uint64_t seed;
    VulkanImage from, to;
    Bytes sent, before;
};

pixMPI_Way way_of_cards() { return has_fake_cuda() ? PIXMPI_WAY_PEER : PIXMPI_WAY_HOST; }

class CountedWay {
  public:
    explicit CountedWay(pixMPI_Way way) : way_(way), before_(bytes()) {}
    std::uint64_t since() const { return bytes() - before_; }

  private:
    std::uint64_t bytes() const {
        pixMPI_Stats stats = PIXMPI_STATS_INIT;
        CHECK_OK(pixMPI_Get_stats(&stats));
        return stats.bytes_by_way[way_];
    }
    const pixMPI_Way way_;
    const std::uint64_t before_;
};

} // namespace

RANK_CASE(copy_cards, by_all_forms, 1) {
    const TwoCards cards;
    Pair pair(cards, 900, 1), little(cards, 20, 2);
    const CountedWay counted(way_of_cards());
    for (int turn = 0; turn < 2; ++turn) {
        CHECK_OK(pixMPI_Copy(pair.source(), PIXMPI_WHOLE, pair.target(), PIXMPI_WHOLE));
        pair.check_all();
    }
    pixMPI_Request request;
    NEED_OK(pixMPI_Copy_init(pair.source(), PIXMPI_WHOLE, pair.target(), PIXMPI_WHOLE, &request));
    for (int turn = 0; turn < 3; ++turn) {
        NEED_OK(pixMPI_Start(&request));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        pair.check_all();
    }
    CHECK_OK(pixMPI_Request_free(&request));
    CHECK_EQ(counted.since(), 5 * pair.bytes());
    const Shape part = rectangle(3, 5, 801, 602), upright = columns(1, 602, 7, 801, 1);
    CHECK_OK(pixMPI_Copy(pair.source(), part, pair.target(), upright));
    pair.check(part, upright);
    CHECK_OK(pixMPI_Copy(pair.source(), upright, pair.target(), part));
    pair.check(upright, part);
    CHECK_OK(pixMPI_Copy(little.source(), PIXMPI_WHOLE, little.target(), PIXMPI_WHOLE));
    little.check_all();
    CHECK_OK(pixMPI_Copy(pair.source(), rectangle(4, 4, 0, 3), pair.target(), rectangle(0, 0, 0, 0)));
    pair.check(rectangle(0, 0, 0, 0), rectangle(0, 0, 0, 0));
}

// More than fits into what the GPUs set aside: the rest goes through host memory. To and fro, so that each GPU packs
// and is copied to.
RANK_CASE(copy_cards, many_at_once, 1) {
    const TwoCards cards;
    std::vector<std::unique_ptr<Pair>> pairs;
    std::vector<pixMPI_Request> requests;
    for (int i = 0; i < 10; ++i) {
        pairs.push_back(std::make_unique<Pair>(cards, 500 + i, 10 + i));
        Pair &one = *pairs.back();
        const bool back = i % 2;
        NEED_OK(pixMPI_Icopy(back ? one.target() : one.source(), PIXMPI_WHOLE, back ? one.source() : one.target(),
                             PIXMPI_WHOLE, &requests.emplace_back()));
    }
    NEED_OK(pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (int i = 0; i < 10; ++i) {
        Pair &one = *pairs[static_cast<std::size_t>(i)];
        CHECK_PIXELS((i % 2 ? one.from : one.to).read(), i % 2 ? one.before : one.sent, one.edge, 4);
    }
}

// A thread for each GPU. Each of them copies to the other's, at once.
RANK_CASE(copy_cards, of_two_threads, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    constexpr int edge = 640, turns = 3;
    constexpr std::uint64_t bytes = 4 * edge * edge;
    const auto content = [](int gpu) { return pattern(bytes, seed_of(30, static_cast<std::uint64_t>(gpu))); };
    const CountedWay counted(way_of_cards());
    std::array<VulkanAny, 2> sources{}, targets{};
    std::mutex making; // the stand-in is told once for all what the next device is
    std::barrier both(2);
    std::atomic<int> over{0};
    const auto owner = [&](int gpu) {
        std::unique_lock one_by_one(making);
        const auto device = TwoCards::make(gpu);
        one_by_one.unlock();
        {
            VulkanImage from(*device, PIXMPI_RGBA8, edge, edge), to(*device, PIXMPI_RGBA8, edge, edge);
            from.write(content(gpu));
            sources[std::size_t(gpu)] = {from.surface()};
            targets[std::size_t(gpu)] = {to.surface()};
            both.arrive_and_wait();
            for (int turn = 0; turn < turns; ++turn)
                CHECK_OK(
                    pixMPI_Copy(sources[std::size_t(gpu)], PIXMPI_WHOLE, targets[std::size_t(1 - gpu)], PIXMPI_WHOLE));
            ++over;
            while (over < 2)
                CHECK_OK(pixMPI_Progress());
            both.arrive_and_wait();
            CHECK_PIXELS(to.read(), content(1 - gpu), edge, 4);
        }
        CHECK(device->close().empty());
    };
    std::thread other(owner, 1);
    owner(0);
    other.join();
    CHECK_EQ(counted.since(), 2 * turns * bytes);
}

RANK_CASE(copy_cards, copies_fail, 1) {
    if (!has_fake_cuda())
        return;
    const TwoCards cards;
    Pair pair(cards, 700, 40);
    NEED_OK(pixMPI_Copy(pair.source(), PIXMPI_WHOLE, pair.target(), PIXMPI_WHOLE));
    pair.check_all();
    const auto fail = [](const char *function, int after) {
        fake_cuda_function<FakeCudaFail>("fakeCudaFail")(function, 1, after, 1);
    };
    for (const int after : {0, 1}) {
        note("after %d", after);
        fail("cuMemcpyAsync", after);
        const int code = pixMPI_Copy(pair.source(), PIXMPI_WHOLE, pair.target(), PIXMPI_WHOLE);
        CHECK(code == PIXMPI_ERR_DEVICE || (after > 0 && code == PIXMPI_SUCCESS)); // there may be one band only
        heal_cuda();
        pair.to.write(pair.before);
        CHECK_OK(pixMPI_Copy(pair.source(), PIXMPI_WHOLE, pair.target(), PIXMPI_WHOLE)); // nothing stays behind
        pair.check_all();
    }
}

// One GPU does not reach the other's memory, or has none to spare.
RANK_CASE(copy_cards, cards_apart, 1) {
    if (!has_fake_cuda())
        return;
    for (const char *function : {"cuMemImportFromShareableHandle", "cuMemCreate"}) {
        note("%s", function);
        const TwoCards cards;
        Pair pair(cards, 300, 50);
        fake_cuda_function<FakeCudaFail>("fakeCudaFail")(function, 2, 0, 1000);
        const CountedWay counted(PIXMPI_WAY_HOST);
        CHECK_OK(pixMPI_Copy(pair.source(), PIXMPI_WHOLE, pair.target(), PIXMPI_WHOLE));
        pair.check_all();
        CHECK_EQ(counted.since(), pair.bytes());
    }
}
