// When a rank submits to its GPU in a collective: each submission takes the CPU ten microseconds. The rank answers no
// other rank meanwhile.
#include "vk/vk_fragile.h"

#include <chrono>
#include <functional>
#include <pixmpi_collectives.h>
#include <sched.h>
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
