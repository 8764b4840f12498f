// When a rank submits to its GPU, and how often: each submission takes the CPU ten microseconds. The rank answers no
// other rank meanwhile.
#include "vk/vk_fragile.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <pixmpi_collectives.h>
#include <pixmpi_compositor.h>
#include <sched.h>
#include <string_view>
#include <test_gpus.h>
#include <utility>

using namespace api;

namespace {

constexpr int edge = 256;

/// Collectives of images that shaders load and store, one picture of each rank below the other.
struct Ends {
    Ends()
        : device(need_vulkan()), one(device, PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_GENERAL, true),
          result(device, PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_GENERAL, true),
          all(device, PIXMPI_RGBA8, edge, edge * size, VK_IMAGE_LAYOUT_GENERAL, true),
          results(device, PIXMPI_RGBA8, edge, edge * size, VK_IMAGE_LAYOUT_GENERAL, true) {
        shapes.reserve(static_cast<std::size_t>(size));
        for (int of = 0; of < size; ++of)
            parts.push_back(shapes.emplace_back(rectangle(0, of * edge, edge, edge)));
    }
    int allgather() const {
        return pixMPI_Allgather(VulkanAny{one.surface()}, PIXMPI_WHOLE, VulkanAny{results.surface()}, parts.data(),
                                world());
    }
    int alltoall() const {
        return pixMPI_Alltoall(VulkanAny{all.surface()}, parts.data(), VulkanAny{results.surface()}, parts.data(),
                               world());
    }
    int allreduce() const {
        return pixMPI_Allreduce(VulkanAny{one.surface()}, PIXMPI_WHOLE, VulkanAny{result.surface()}, PIXMPI_WHOLE,
                                PIXMPI_MAX, world());
    }

    vk_rig::Device &device;
    VulkanImage one, result, all, results;
    std::vector<Shape> shapes;
    std::vector<pixMPI_Region> parts;
};

/// The two ranks send each other an empty message of plain MPI.
class Meeting {
  public:
    /// False when the other one has not come for a long time.
    bool meet() {
        constexpr std::chrono::milliseconds patience{500};
        MPI_Isend(nullptr, 0, MPI_BYTE, next_rank(), tag, world(), &requests_[0]);
        MPI_Irecv(nullptr, 0, MPI_BYTE, next_rank(), tag, world(), &requests_[1]);
        int both = 0;
        const auto begun = std::chrono::steady_clock::now();
        while (!both && std::chrono::steady_clock::now() - begun < patience) {
            MPI_Testall(2, requests_, &both, MPI_STATUSES_IGNORE);
            sched_yield();
        }
        return both;
    }
    void end() { MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE); }

  private:
    static constexpr int tag = 78;
    MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

/// Whether both ranks come to their first submission of a call before either of them has submitted anything.
bool they_meet(const std::function<int()> &call) {
    Meeting meeting;
    bool met = false, first = true;
    vk_interpose::before_submission = [&] {
        if (std::exchange(first, false))
            met = meeting.meet();
    };
    const int code = call();
    vk_interpose::before_submission = nullptr;
    meeting.end();
    NEED_OK(code);
    NEED(!first);
    return met;
}

bool is_left_out() {
    if (size == 2 && test_gpus::count() == 2)
        return false;
    leave_out("two ranks that say that they have GPUs are wanted");
    return true;
}

} // namespace

RANK_CASE(vk_submissions, ranks_answer_before_they_pack, 2) {
    if (is_left_out())
        return;
    Ends ends;
    const auto sendrecv = [&] {
        return vkMPI_Sendrecv(ends.one.surface(), PIXMPI_WHOLE, next_rank(), 4, ends.result.surface(), PIXMPI_WHOLE,
                              next_rank(), 4, world(), MPI_STATUS_IGNORE, nullptr, nullptr);
    };
    const std::pair<const char *, std::function<int()>> calls[] = {{"Allgather", [&] { return ends.allgather(); }},
                                                                   {"Alltoall", [&] { return ends.alltoall(); }},
                                                                   {"Allreduce", [&] { return ends.allreduce(); }},
                                                                   {"Sendrecv", sendrecv}};
    // Before, every second turn. MPI may be late with an envelope, and the machine busy.
    constexpr int turns = 12, most_missed = 2, tries = 4;
    for (const auto &[name, call] : calls) {
        int missed = turns;
        for (int k = 0; k < tries && missed > most_missed; ++k) {
            missed = 0;
            for (int turn = 0; turn < turns; ++turn)
                missed += !they_meet(call);
            MPI_Allreduce(MPI_IN_PLACE, &missed, 1, MPI_INT, MPI_MAX, world());
        }
        note("%s: %d of %d turns missed", name, missed, turns);
        CHECK(missed <= most_missed);
    }
}

namespace {

/// Colours in an image that shaders load and store, and depths of some kind.
struct Planes {
    Planes(const EndKind &kind, pixMPI_Format format)
        : colors(need_vulkan(), PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_GENERAL, true), named{colors.surface()},
          depths(kind.make(format, edge, edge)) {}
    WithDepth any() const { return {named, depths->any()}; }

    VulkanImage colors;
    VulkanAny named;
    std::unique_ptr<End> depths;
};

} // namespace

RANK_CASE(vk_submissions, planes_of_a_message_go_together, 2) {
    if (is_left_out())
        return;
    const Shape whole = rectangle(0, 0, edge, edge), tiles = blocks({3, 5, 16, 8}, 9, 11, 27, 21);
    for (const EndKind &kind : end_kinds()) {
        const std::string_view name = kind.name;
        if (name != "image" && name != "storage buffer")
            continue;
        // Lists of work are others for pixels of two bytes.
        const pixMPI_Format format = name == "image" ? PIXMPI_DEPTH32F : PIXMPI_DEPTH16;
        const int depth_bytes = pixMPI_Format_bytes(format);
        Planes from(kind, format), to(kind, format);
        for (const Shape *shape : {&whole, &tiles})
            // With new lists of work, with kept ones, and short of memory.
            for (std::uint64_t turn = 0; turn < 3; ++turn) {
                note("%s, %zu pixels, turn %d", kind.name, shape->pixels(), static_cast<int>(turn));
                const auto sent = [turn](int by, int plane) {
                    return seed_of(static_cast<std::uint64_t>(by), turn, static_cast<std::uint64_t>(plane));
                };
                from.colors.fill(sent(rank, 0));
                from.depths->fill(sent(rank, 1));
                Bytes colors = to.colors.fill(55), depths = to.depths->fill(56);
                int calls = 0;
                vk_interpose::before_submission = [&calls] { ++calls; };
                constexpr int failing = 2;
                if (turn == 2)
                    vk_interpose::hand("vkQueueSubmit").fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, 0, failing);
                const int code = pixMPI_Sendrecv(from.any(), *shape, next_rank(), 5, to.any(), *shape, next_rank(), 5,
                                                 world(), MPI_STATUS_IGNORE);
                vk_interpose::heal_all();
                NEED_OK(code);
                CHECK(calls == (turn == 2 ? 2 + failing : 2)); // it packs, and it unpacks
                unpack(colors, edge, 4, *shape, pack(pattern(colors.size(), sent(next_rank(), 0)), edge, 4, *shape));
                unpack(depths, edge, depth_bytes, *shape,
                       pack(pattern(depths.size(), sent(next_rank(), 1)), edge, depth_bytes, *shape));
                CHECK_PIXELS(to.colors.read(), colors, edge, 4);
                CHECK_PIXELS(to.depths->read(), depths, edge, depth_bytes);
            }
    }
}

// A driver takes some tenths of a millisecond to make memory or to free it. When a message dropped commands that it had
// prepared, all lists of work went, and every second or third frame made some again.
RANK_CASE(vk_submissions, frames_of_two_kinds_make_no_memory, 2) {
    if (is_left_out())
        return;
    const auto image = std::ranges::find(end_kinds(), std::string_view("image"), &EndKind::name);
    NEED(image != end_kinds().end());
    Planes drawn(*image, PIXMPI_DEPTH32F);
    VulkanImage picture(need_vulkan(), PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_GENERAL, true);
    drawn.colors.fill(seed_of(static_cast<std::uint64_t>(rank), 0, 0));
    std::vector<float> depths(std::size_t{edge} * edge, 1.0F); // the background
    for (std::size_t y = 40; y < 200; ++y)                     // both ranks draw in the middle
        std::fill_n(&depths[y * edge + static_cast<std::size_t>(rank) * 50], 150, 0.5F);
    const auto *const bytes = reinterpret_cast<const unsigned char *>(depths.data());
    drawn.depths->write(Bytes(bytes, bytes + depths.size() * sizeof(float)));

    pixMPI_Compositor compositor = PIXMPI_COMPOSITOR_NULL;
    NEED_OK(pixMPI_Compositor_create(PIXMPI_NEAREST, 0, world(), &compositor));
    const VulkanAny target{picture.surface()};
    const auto frame = [&](pixMPI_Search search) {
        NEED_OK(pixMPI_Compositor_set_search(compositor, search));
        NEED_OK(pixMPI_Composite(drawn.any(), PIXMPI_WHOLE, rank == 0 ? pixMPI_Surface(target) : pixMPI_No_surface(),
                                 compositor));
    };
    constexpr int turns = 40, first = 10, most = 3; // a further batch may be needed late
    int made = 0;
    for (int turn = 0; turn < turns; ++turn) {
        const int before = vk_interpose::hand("vkAllocateMemory").calls;
        for (const pixMPI_Search search : {PIXMPI_SEARCH_ALWAYS, PIXMPI_SEARCH_NONE, PIXMPI_SEARCH_NONE})
            frame(search);
        if (turn >= first)
            made += vk_interpose::hand("vkAllocateMemory").calls - before;
    }
    note("%d", made);
    CHECK(made <= most);
    NEED_OK(pixMPI_Compositor_free(&compositor));
}
