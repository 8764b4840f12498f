// Threads: each with its own context, or all with one that has a lock. And no thread copies.
#include "vk/vk_sync.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vk_interpose.h>
#include <vkmpi_device.h>

using namespace api;

namespace {

std::unique_ptr<vk_rig::Device> make_device(const vk_rig::Options &options) {
    std::string reason;
    auto device = vk_rig::Device::make(options, reason);
    if (!device)
        failed(__FILE__, __LINE__, reason);
    NEED(device != nullptr);
    return device;
}

std::unique_ptr<vk_rig::Device> make_locked_device(vk_interpose::QueueLock &lock) {
    vk_rig::Options options = rig_options();
    options.lock = vk_interpose::QueueLock::lock;
    options.unlock = vk_interpose::QueueLock::unlock;
    options.lock_data = &lock;
    return make_device(options);
}

/// The same in several threads at once.
template <class Work> void in_threads(Work work) {
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back(work);
    for (std::thread &one : all)
        one.join();
}

/// Messages around the ring, in this thread; the number of wrong ones.
int ping(VulkanImage &out, VulkanImage &in, int tag, int count) {
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        const Shape part = rectangle(0, 0, out.width, i % 3 ? 4 : out.height);
        const int code = vkMPI_Sendrecv(out.surface(), part, next_rank(), tag, in.surface(), part, previous_rank(), tag,
                                        world(), MPI_STATUS_IGNORE, nullptr, nullptr);
        wrong += code != PIXMPI_SUCCESS;
    }
    return wrong;
}

} // namespace

RANK_CASE(vk_threads, each_with_a_device, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    std::atomic<int> wrong{0};
    const auto work = [&](int tag) {
        const auto device = make_device(rig_options());
        {
            VulkanImage out(*device, PIXMPI_RGBA8, 300, 200), in(*device, PIXMPI_RGBA8, 300, 200);
            const Bytes sent = out.fill(static_cast<std::uint64_t>(tag));
            wrong += ping(out, in, tag, 40);
            wrong += in.read() != sent;
        }
        wrong += !device->close().empty();
    };
    std::thread other(work, 1);
    work(2);
    other.join();
    CHECK_EQ(wrong.load(), 0);
}

RANK_CASE(vk_threads, one_context_with_a_lock, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    vk_interpose::QueueLock lock;
    vk_rig::Options options = rig_options();
    options.get = vk_interpose::get_instance_proc_addr;
    options.lock = vk_interpose::QueueLock::lock;
    options.unlock = vk_interpose::QueueLock::unlock;
    options.lock_data = &lock;
    const auto device = make_device(options);
    vk_interpose::watched = &lock;
    {
        VulkanImage out1(*device, PIXMPI_RGBA8, 300, 200), in1(*device, PIXMPI_RGBA8, 300, 200);
        VulkanImage out2(*device, PIXMPI_RGBA8, 300, 200), in2(*device, PIXMPI_RGBA8, 300, 200);
        const Bytes first = out1.fill(1), second = out2.fill(2);
        std::atomic<int> wrong{0};
        const int before = lock.taken;
        std::thread other([&] { wrong += ping(out2, in2, 2, 60); });
        wrong += ping(out1, in1, 1, 60);
        other.join();
        CHECK_EQ(wrong.load(), 0);
        CHECK(lock.taken > before);
        CHECK_EQ(lock.submissions_without.load(), 0);
        CHECK_PIXELS(in1.read(), first, 300, 4);
        CHECK_PIXELS(in2.read(), second, 300, 4);
    }
    vk_interpose::watched = nullptr;
    const std::string said = device->close();
    if (!said.empty())
        failed(__FILE__, __LINE__, said);
}

RANK_CASE(vk_threads, requests_of_a_locked_context_in_any_thread, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    vk_interpose::QueueLock lock;
    const auto device = make_locked_device(lock);
    {
        VulkanImage out(*device, PIXMPI_RGBA8, 300, 300), in(*device, PIXMPI_RGBA8, 300, 300);
        const Bytes sent = out.fill(1);
        pixMPI_Request requests[2];
        CHECK_OK(vkMPI_Irecv(in.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0], nullptr));
        CHECK_OK(vkMPI_Isend(out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1], nullptr));
        int code = -1;
        std::thread([&] { code = pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }).join();
        CHECK_EQ(code, PIXMPI_SUCCESS);
        CHECK_PIXELS(in.read(), sent, 300, 4);
    }
    const std::string said = device->close();
    CHECK(said.empty());
}

RANK_CASE(vk_threads, contexts_that_come_and_go, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    vk_interpose::QueueLock lock;
    const auto device = make_locked_device(lock);
    std::atomic<int> wrong{0};
    in_threads([&] {
        for (int turn = 0; turn < 30; ++turn) {
            vkMPI_Context contexts[4];
            for (vkMPI_Context &one : contexts)
                wrong += vkMPI_Context_create(&device->info, &one) != PIXMPI_SUCCESS;
            wrong += pixMPI_Progress() != PIXMPI_SUCCESS; // which looks at all devices
            for (vkMPI_Context &one : contexts)
                wrong += vkMPI_Context_free(&one) != PIXMPI_SUCCESS;
        }
    });
    CHECK_EQ(wrong.load(), 0);
    CHECK(device->close().empty());
}

RANK_CASE(vk_threads, windows_that_come_and_go, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    vk_interpose::QueueLock lock;
    const auto device = make_locked_device(lock);
    std::atomic<int> wrong{0};
    in_threads([&] {
        for (int turn = 0; turn < 200; ++turn) {
            vkMPI_Surface window{};
            void *memory = nullptr;
            wrong += vkMPI_Window_create(device->context(), 4096, &window, &memory) != PIXMPI_SUCCESS;
            wrong += vkMPI_Window_free(&window) != PIXMPI_SUCCESS;
        }
    });
    CHECK_EQ(wrong.load(), 0);
    CHECK(device->close().empty());
}

RANK_CASE(vk_copies, by_cpu, 1) {
    // Stage memory is imported, so that the CPU copies nothing; unless it is told to.
    vk_rig::Device &device = need_vulkan();
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_OK(pixMPI_Comm_route(world(), next_rank(), &route));
    const char *path = std::getenv("PIXMPI_VK_PATH");
    const bool copied = path && std::string(path) == "copy";
    for (const auto &kind : end_kinds()) {
        if (std::string(kind.api) != "vk")
            continue;
        note("%s", kind.name);
        const auto out = kind.make(PIXMPI_RGBA8, 700, 500), in = kind.make(PIXMPI_RGBA8, 700, 500);
        const Bytes sent = out->fill(1);
        pixMPI_Stats before = PIXMPI_STATS_INIT, after = PIXMPI_STATS_INIT;
        const auto once = [&](const Shape &part) {
            MPI_Status status;
            CHECK_OK(out->sendrecv(part, next_rank(), 1, *in, part, previous_rank(), 1, &status));
        };
        barrier();
        CHECK_OK(pixMPI_Get_stats(&before));
        once(rectangle(0, 0, 700, 500));
        once(rectangle(3, 5, 690, 490));
        CHECK_OK(pixMPI_Get_stats(&after));
        if (route == PIXMPI_ROUTE_SHM && !copied)
            CHECK_EQ(after.bytes_copied, before.bytes_copied);
        if (route == PIXMPI_ROUTE_SHM && copied)
            CHECK(after.bytes_copied >= before.bytes_copied + 2 * 700 * 500 * 4);
        CHECK_PIXELS(in->read(), sent, 700, 4);
    }
    CHECK_SILENCE(device);
}

RANK_CASE(vk_copies, rates, 1) {
    vk_rig::Device &device = need_vulkan();
    double pack = 0, unpack = 0;
    if (stage_setting() < 16 << 20) { // it measures with buffers of 4 MiB
        CHECK_FAILS(vkMPI_Context_rates(device.context(), PIXMPI_RGBA8, &pack, &unpack), PIXMPI_ERR_MEMORY,
                    "vkMPI_Context_rates stage memory expected");
        return;
    }
    CHECK_OK(vkMPI_Context_rates(device.context(), PIXMPI_RGBA8, &pack, &unpack));
    CHECK(pack > 0 && unpack > 0);
    CHECK_OK(vkMPI_Context_rates(device.context(), PIXMPI_DEPTH32F, nullptr, &unpack));
    CHECK_OK(vkMPI_Context_rates(device.context(), PIXMPI_RGBA8, &pack, nullptr));
    CHECK_FAILS(vkMPI_Context_rates(device.context(), PIXMPI_FORMAT_NONE, &pack, nullptr), PIXMPI_ERR_FORMAT,
                "vkMPI_Context_rates format expected");
    CHECK_SILENCE(device);
}
