// Semaphores and layouts: what a message waits for, what it signals, where it leaves an image.
#include "vk/vk_sync.h"

#include <unistd.h>

using namespace api;

namespace {

constexpr int small_edge = 8, large_edge = 300; // eager, and not

/// The previous rank's picture of that number.
Bytes theirs(int edge, std::uint64_t number) {
    return pattern(static_cast<std::size_t>(edge * edge * 4),
                   seed_of(static_cast<std::uint64_t>(previous_rank()), number));
}
std::uint64_t mine(std::uint64_t number) { return seed_of(static_cast<std::uint64_t>(rank), number); }

/// A message around the ring in host memory: the library is alive.
void host_message() {
    const auto out = make_memory(PIXMPI_R8, 500, 300), in = make_memory(PIXMPI_R8, 500, 300);
    const Bytes sent = out->fill(3);
    NEED_OK(out->sendrecv(PIXMPI_WHOLE, next_rank(), 77, *in, PIXMPI_WHOLE, previous_rank(), 77, MPI_STATUS_IGNORE));
    CHECK_PIXELS(in->read(), sent, 500, 1);
}

} // namespace

RANK_CASE(vk_sync, send_waits_for_a_host_s_signal, 1) {
    // The buffer is filled after the send has begun, before the value comes that it waits for.
    vk_rig::Device &device = need_vulkan();
    for (int edge : {small_edge, large_edge}) {
        note("edge %d", edge);
        Timeline ready(device);
        const auto bytes = static_cast<std::size_t>(edge * edge * 4);
        vk_rig::Buffer buffer = vk_rig::make_buffer(device, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
        std::fill_n(buffer.mapped, bytes, std::byte{0});
        vkMPI_Surface surface = vkMPI_Buffer(device.context(), buffer.name, PIXMPI_RGBA8, edge, edge);
        surface.buffer_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
        const auto in = make_memory(PIXMPI_RGBA8, edge, edge);
        pixMPI_Request requests[2];
        CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &requests[0]));
        CHECK_OK(vkMPI_Isend(surface, PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1], SyncList().wait(ready, 1)));
        int over = 1;
        for (int i = 0; i < 200; ++i) {
            NEED_OK(pixMPI_Test(&requests[0], &over, MPI_STATUS_IGNORE));
            NEED(over == 0);
        }
        host_message();
        const Bytes sent = pattern(bytes, mine(1));
        std::memcpy(buffer.mapped, sent.data(), bytes);
        barrier(); // no rank has received anything yet
        NEED_OK(pixMPI_Test(&requests[0], &over, MPI_STATUS_IGNORE));
        CHECK_EQ(over, 0);
        barrier();
        device.signal(ready.name, 1);
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_PIXELS(in->read(), theirs(edge, 1), edge, 4);
        vkDeviceWaitIdle(device.info.device);
        vk_rig::destroy(device, buffer);
    }
    CHECK_SILENCE(device);
}

RANK_CASE(vk_sync, send_carries_what_earlier_work_draws, 1) {
    // Work that itself waits for the host draws, signals, and is sent. Binary semaphores may be waited for when all
    // that they depend on has been submitted, so that the host signals before.
    vk_rig::Device &device = need_vulkan();
    for (int edge : {small_edge, large_edge})
        for (bool binary : {false, true}) {
            note("edge %d, %s", edge, binary ? "binary" : "timeline");
            VulkanImage image(device, PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
            Timeline go(device), drawn(device);
            Binary drawn_binary(device);
            const auto in = make_memory(PIXMPI_RGBA8, edge, edge);
            in->fill(1);
            pixMPI_Request requests[2];
            CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &requests[0]));
            const vk_rig::Semaphores signals{{binary ? drawn_binary.name : drawn.name}, {7}};
            device.submit([&](VkCommandBuffer commands) { image.record_clear(commands, 0x40302010); }, {{go.name}, {1}},
                          signals);
            if (binary)
                device.signal(go.name, 1);
            CHECK_OK(vkMPI_Isend(image.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1],
                                 binary ? SyncList().wait(drawn_binary) : SyncList().wait(drawn, 7)));
            if (!binary) {
                barrier();
                int over = 1;
                NEED_OK(pixMPI_Test(&requests[0], &over, MPI_STATUS_IGNORE));
                CHECK_EQ(over, 0);
                barrier();
                device.signal(go.name, 1);
            }
            NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            Bytes expected(in->bytes());
            for (std::size_t i = 0; i < expected.size(); ++i)
                expected[i] = static_cast<std::uint8_t>(0x10 * (i % 4 + 1));
            CHECK_PIXELS(in->read(), expected, edge, 4);
            device.idle();
        }
}

RANK_CASE(vk_sync, later_work_waits_for_a_receive, 1) {
    vk_rig::Device &device = need_vulkan();
    for (int edge : {small_edge, large_edge})
        for (bool binary : {false, true}) {
            note("edge %d, %s", edge, binary ? "binary" : "timeline");
            VulkanImage out(device, PIXMPI_RGBA8, edge, edge), in(device, PIXMPI_RGBA8, edge, edge);
            Timeline timeline(device, 3);
            Binary came(device);
            out.fill(mine(2));
            pixMPI_Request requests[2];
            CHECK_OK(vkMPI_Irecv(in.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0],
                                 binary ? SyncList().signal(came) : SyncList().signal(timeline, 5)));
            CHECK_OK(vkMPI_Isend(out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1], nullptr));
            NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            vk_rig::Buffer copy = vk_rig::make_buffer(device, static_cast<VkDeviceSize>(edge * edge * 4),
                                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
            // No barrier before: the semaphore's is enough.
            device.submit(
                [&](VkCommandBuffer commands) {
                    VkBufferImageCopy all{};
                    all.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
                    all.imageExtent = in.image.info.extent;
                    vkCmdCopyImageToBuffer(commands, in.image.name, VK_IMAGE_LAYOUT_GENERAL, copy.name, 1, &all);
                    vk_rig::order_all(commands);
                },
                {{binary ? came.name : timeline.name}, {5}}, {});
            device.idle();
            if (!binary)
                CHECK_EQ(device.value_of(timeline.name), 5u);
            const Bytes expected = theirs(edge, 2);
            CHECK(std::memcmp(copy.mapped, expected.data(), expected.size()) == 0);
            vk_rig::destroy(device, copy);
        }
}

RANK_CASE(vk_sync, blocking_calls_in_a_chain, 1) {
    // Receive into an image, send it on: semaphores instead of the order of one queue.
    vk_rig::Device &device = need_vulkan();
    VulkanImage first(device, PIXMPI_RGBA8, 200, 200), relay(device, PIXMPI_RGBA8, 200, 200),
        last(device, PIXMPI_RGBA8, 200, 200);
    Binary binary(device);
    Timeline timeline(device);
    for (std::uint64_t turn = 1; turn <= 5; ++turn) {
        first.fill(mine(turn));
        CHECK_OK(vkMPI_Sendrecv(first.surface(), PIXMPI_WHOLE, next_rank(), 1, relay.surface(), PIXMPI_WHOLE,
                                previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr, SyncList().signal(binary)));
        CHECK_OK(vkMPI_Sendrecv(relay.surface(), PIXMPI_WHOLE, previous_rank(), 2, last.surface(), PIXMPI_WHOLE,
                                next_rank(), 2, world(), MPI_STATUS_IGNORE, SyncList().wait(binary),
                                SyncList().signal(timeline, turn)));
        CHECK(device.wait_for(timeline.name, turn));
        CHECK_PIXELS(last.read(), pattern(160'000, mine(turn)), 200, 4);
    }
    CHECK_SILENCE(device);
}

RANK_CASE(vk_sync, replace, 1) {
    vk_rig::Device &device = need_vulkan();
    VulkanImage image(device, PIXMPI_RGBA8, 250, 250, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    Timeline timeline(device);
    for (std::uint64_t turn = 0; turn < 4; ++turn) {
        image.fill(mine(turn));
        device.signal(timeline.name, 2 * turn + 1);
        CHECK_OK(vkMPI_Sendrecv_replace(image.surface(), PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, world(),
                                        MPI_STATUS_IGNORE,
                                        SyncList().wait(timeline, 2 * turn + 1).signal(timeline, 2 * turn + 2)));
        CHECK(device.wait_for(timeline.name, 2 * turn + 2));
        CHECK_PIXELS(image.read(), theirs(250, turn), 250, 4);
    }
    CHECK_SILENCE(device);
}

RANK_CASE(vk_sync, persistent, 1) {
    // New values with each frame; frames without semaphores in between.
    vk_rig::Device &device = need_vulkan();
    for (int edge : {small_edge, large_edge}) {
        note("edge %d", edge);
        VulkanImage out(device, PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        VulkanImage in(device, PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        Timeline ready(device), came(device);
        pixMPI_Request requests[2];
        CHECK_OK(vkMPI_Recv_init(in.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0]));
        CHECK_OK(vkMPI_Send_init(out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1]));
        for (std::uint64_t frame = 1; frame <= 12; ++frame) {
            out.fill(mine(frame));
            SyncList receive, send;
            receive.signal(came, frame);
            send.wait(ready, frame);
            if (frame % 3 == 0) {
                CHECK_OK(pixMPI_Startall(2, requests));
            } else if (frame % 3 == 1) {
                const vkMPI_Sync syncs[] = {*static_cast<const vkMPI_Sync *>(receive),
                                            *static_cast<const vkMPI_Sync *>(send)};
                CHECK_OK(vkMPI_Startall(2, requests, syncs));
            } else {
                CHECK_OK(vkMPI_Start(&requests[0], receive));
                CHECK_OK(vkMPI_Start(&requests[1], send));
            }
            device.signal(ready.name, frame);
            NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            if (frame % 3 != 0)
                CHECK(device.wait_for(came.name, frame));
            CHECK_PIXELS(in.read(), theirs(edge, frame), edge, 4);
        }
        for (pixMPI_Request &request : requests)
            CHECK_OK(pixMPI_Request_free(&request));
    }
    CHECK_SILENCE(device);
}

RANK_CASE(vk_sync, persistent_of_several_apis, 1) {
    vk_rig::Device &device = need_vulkan();
    VulkanImage out(device, PIXMPI_RGBA8, 100, 100);
    const auto in = make_memory(PIXMPI_RGBA8, 100, 100);
    out.fill(mine(1));
    pixMPI_Request requests[2];
    CHECK_OK(in->recv_init(PIXMPI_WHOLE, previous_rank(), 1, &requests[0]));
    CHECK_OK(vkMPI_Send_init(out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1]));
    Timeline timeline(device);
    CHECK_FAILS(vkMPI_Start(&requests[0], SyncList().signal(timeline, 1)), PIXMPI_ERR_REQUEST,
                "vkMPI_Start request expected");
    CHECK_FAILS(vkMPI_Startall(2, requests, nullptr), PIXMPI_ERR_REQUEST, "vkMPI_Startall requests[0] expected");
    CHECK_EQ(device.value_of(timeline.name), 0u);
    CHECK_OK(pixMPI_Startall(2, requests));
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_PIXELS(in->read(), theirs(100, 1), 100, 4);
    for (pixMPI_Request &request : requests)
        CHECK_OK(pixMPI_Request_free(&request));
}

RANK_CASE(vk_sync, nothing_of_a_failed_start_stays, 1) {
    vk_rig::Device &device = need_vulkan();
    VulkanImage image(device, PIXMPI_RGBA8, 100, 100);
    const auto memory = make_memory(PIXMPI_RGBA8, 100, 100);
    MPI_Comm gone = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &gone);
    CHECK_OK(pixMPI_Comm_attach(gone, nullptr));
    pixMPI_Request in, out, of_memory, detached;
    CHECK_OK(vkMPI_Recv_init(image.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &in));
    CHECK_OK(vkMPI_Send_init(image.surface(), PIXMPI_WHOLE, next_rank(), 2, gone, &detached));
    CHECK_OK(memory->recv_init(PIXMPI_WHOLE, previous_rank(), 2, &of_memory));
    CHECK_OK(memory->send_init(PIXMPI_WHOLE, next_rank(), 1, &out));
    CHECK_OK(pixMPI_Comm_detach(gone));
    MPI_Comm_free(&gone);
    Timeline timeline(device);
    SyncList signal;
    signal.signal(timeline, 1);
    const vkMPI_Sync syncs[] = {*static_cast<const vkMPI_Sync *>(signal), {}};
    const struct {
        pixMPI_Request second;
        int code;
        const char *words;
    } refused[] = {{of_memory, PIXMPI_ERR_REQUEST, "vkMPI_Startall requests[1] expected"},
                   {detached, PIXMPI_ERR_COMM, "vkMPI_Startall comm"},
                   {PIXMPI_REQUEST_NULL, PIXMPI_ERR_REQUEST, "vkMPI_Startall requests[1] expected"},
                   {in, PIXMPI_ERR_REQUEST, "vkMPI_Startall requests twice expected"}};
    for (const auto &[second, code, words] : refused) {
        note("%s", words);
        pixMPI_Request both[] = {in, second};
        CHECK_FAILS(vkMPI_Startall(2, both, syncs), code, words);
        pixMPI_Request requests[] = {in, out}; // without semaphores
        CHECK_OK(pixMPI_Startall(2, requests));
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        vkDeviceWaitIdle(device.info.device);
        CHECK_EQ(device.value_of(timeline.name), 0u);
    }
    for (pixMPI_Request *request : {&in, &out, &of_memory, &detached})
        CHECK_OK(pixMPI_Request_free(request));
    CHECK_SILENCE(device);
}

namespace {

/// Looks for a while; false: the request has not completed.
bool completes(pixMPI_Request &request, int looks = 3000) {
    int over = 0;
    for (int i = 0; i < looks && !over; ++i) {
        NEED_OK(pixMPI_Test(&request, &over, MPI_STATUS_IGNORE));
        if (!over)
            usleep(1000);
    }
    return over != 0;
}

} // namespace

RANK_CASE(vk_sync, semaphores_of_a_failed_start, 1) {
    // JPEG takes no floats. What such a start was given is not for the next one, except what an _init call gave.
    vk_rig::Device &device = need_vulkan();
    VulkanImage image(device, PIXMPI_RG32F, 64, 64), other(device, PIXMPI_RG32F, 64, 64);
    const auto in = make_memory(PIXMPI_RG32F, 64, 64);
    image.fill(mine(1));
    Timeline never(device), ready(device), signalled(device), first(device);
    SyncList first_start, failing;
    first_start.wait(ready, 1).signal(first, 1);
    failing.wait(never, 1).signal(signalled, 1);
    pixMPI_Request send, receive, received, forgotten;
    CHECK_OK(pixMPI_Send_init(VulkanAny{image.surface(), first_start}, PIXMPI_WHOLE, next_rank(), 1, world(), &send));
    CHECK_OK(pixMPI_Send_init(VulkanAny{image.surface(), failing}, PIXMPI_WHOLE, next_rank(), 1, world(), &forgotten));
    CHECK_OK(vkMPI_Recv_init(other.surface(), PIXMPI_WHOLE, previous_rank(), 2, world(), &receive));
    CHECK_OK(pixMPI_Request_free(&forgotten)); // it was never started
    CHECK_OK(pixMPI_Request_set_codec(send, pixMPI_Codec_of(PIXMPI_CODEC_JPEG, 90)));
    pixMPI_Request both[] = {receive, send};
    const vkMPI_Sync syncs[] = {*static_cast<const vkMPI_Sync *>(failing), *static_cast<const vkMPI_Sync *>(failing)};
    CHECK_FAILS(vkMPI_Startall(2, both, syncs), PIXMPI_ERR_FORMAT, "vkMPI_Startall RG32F JPEG");
    CHECK_FAILS(vkMPI_Start(&send, failing), PIXMPI_ERR_FORMAT, "vkMPI_Start RG32F JPEG");
    CHECK_FAILS(pixMPI_Start(&send), PIXMPI_ERR_FORMAT, "pixMPI_Start RG32F JPEG");
    const vkMPI_Surface sent = image.surface();
    pixMPI_Surface out = vkMPI_Any(&sent, failing);
    out.codec = pixMPI_Codec_of(PIXMPI_CODEC_JPEG, 90);
    CHECK_FAILS(pixMPI_Sendrecv(out, PIXMPI_WHOLE, next_rank(), 3, VulkanAny{other.surface(), failing}, PIXMPI_WHOLE,
                                previous_rank(), 3, world(), MPI_STATUS_IGNORE),
                PIXMPI_ERR_FORMAT, "pixMPI_Sendrecv RG32F JPEG");
    CHECK_OK(pixMPI_Request_set_codec(send, pixMPI_Codec_of(PIXMPI_CODEC_NONE, 0)));
    for (int turn = 0; turn < 2; ++turn) {
        note("start %d", turn);
        CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &received));
        CHECK_OK(pixMPI_Start(&send));
        if (turn == 0) {
            CHECK(!completes(received, 20));
            barrier();
            device.signal(ready.name, 1);
        }
        NEED(completes(received)); // else it waits for a failed start's semaphore
        NEED_OK(pixMPI_Wait(&send, MPI_STATUS_IGNORE));
        CHECK_EQ(device.wait_for(first.name, 1), true);
        CHECK_PIXELS(in->read(), pattern(in->bytes(), seed_of(static_cast<std::uint64_t>(previous_rank()), 1)), 64, 8);
    }
    CHECK_OK(pixMPI_Start(&receive)); // the list's other request, without semaphores as well
    CHECK_OK(vkMPI_Send(image.surface(), PIXMPI_WHOLE, next_rank(), 2, world(), nullptr));
    CHECK(completes(receive));
    CHECK_EQ(device.value_of(signalled.name), 0u);
    for (pixMPI_Request *request : {&send, &receive})
        CHECK_OK(pixMPI_Request_free(request));
    CHECK_SILENCE(device);
}

RANK_CASE(vk_sync, several_parts_of_one_image_at_once, 1) {
    vk_rig::Device &device = need_vulkan();
    constexpr int parts = 4, edge = 256;
    VulkanImage out(device, PIXMPI_RGBA8, edge, edge), in(device, PIXMPI_RGBA8, edge, edge);
    out.fill(mine(1));
    Timeline came[parts] = {Timeline(device), Timeline(device), Timeline(device), Timeline(device)};
    pixMPI_Request requests[2 * parts];
    for (int i = 0; i < parts; ++i) {
        const Shape part = rectangle(64 * i, 0, 64, edge);
        CHECK_OK(
            vkMPI_Irecv(in.surface(), part, previous_rank(), i, world(), &requests[i], SyncList().signal(came[i], 1)));
        CHECK_OK(vkMPI_Isend(out.surface(), part, next_rank(), i, world(), &requests[parts + i], nullptr));
    }
    NEED_OK(pixMPI_Waitall(2 * parts, requests, MPI_STATUSES_IGNORE));
    for (const Timeline &one : came)
        CHECK(device.wait_for(one.name, 1));
    CHECK_PIXELS(in.read(), theirs(edge, 1), edge, 4);
}
