// Where images are before and after a message, and what messages that come to nothing leave behind: layouts and signals
// are the program's in any case.
#include "vk/vk_sync.h"

using namespace api;

namespace {

constexpr VkImageLayout layouts[] = {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                     VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};

vkMPI_Surface leaving(vkMPI_Surface surface, VkImageLayout after) {
    surface.layout_after = after;
    return surface;
}

/// An image and a timeline, for one message that comes to nothing.
struct Nothing {
    explicit Nothing(int edge_, VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL)
        : device(need_vulkan()), image(device, PIXMPI_RGBA8, edge_, edge_, layout), timeline(device), edge(edge_),
          before(image.fill(9)) {}
    /// In the new layout, with its signal made and its pixels unchanged.
    void check() {
        CHECK(device.wait_for(timeline.name, 1));
        CHECK_PIXELS(image.read(after), before, edge, 4);
        CHECK_SILENCE(device);
    }
    vkMPI_Surface surface() const { return leaving(image.surface(), after); }

    static constexpr VkImageLayout after = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    vk_rig::Device &device;
    VulkanImage image;
    Timeline timeline;
    const int edge;
    const Bytes before;
};

} // namespace

RANK_CASE(vk_layouts, before_and_after, 1) {
    vk_rig::Device &device = need_vulkan();
    for (int edge : {16, 300})
        for (VkImageLayout before : layouts)
            for (VkImageLayout after : layouts) {
                note("edge %d, layout %d to %d", edge, before, after);
                VulkanImage out(device, PIXMPI_RGBA8, edge, edge, before);
                VulkanImage in(device, PIXMPI_RGBA8, edge, edge, before);
                const Bytes sent = out.fill(1);
                Bytes expected = in.fill(2);
                const Shape part = rectangle(3, 2, edge - 5, edge - 4); // the rest is kept
                unpack(expected, edge, 4, part, pack(sent, edge, 4, part));
                CHECK_OK(vkMPI_Sendrecv(leaving(out.surface(), after), part, next_rank(), 1,
                                        leaving(in.surface(), after), part, previous_rank(), 1, world(),
                                        MPI_STATUS_IGNORE, nullptr, nullptr));
                CHECK_PIXELS(in.read(after), expected, edge, 4);
                CHECK_PIXELS(out.read(after), sent, edge, 4);
            }
}

RANK_CASE(vk_layouts, received_into_nothing, 1) {
    // UNDEFINED: what was there is lost.
    vk_rig::Device &device = need_vulkan();
    for (int edge : {16, 300}) {
        VulkanImage out(device, PIXMPI_RGBA8, edge, edge);
        const Bytes sent = out.fill(1);
        VkImageCreateInfo info = vk_rig::image_2d(VK_FORMAT_R8G8B8A8_UNORM, edge, edge);
        vk_rig::Image in = vk_rig::make_image(device, info);
        const vkMPI_Surface surface = vkMPI_Image(device.context(), in.name, &info, VK_IMAGE_LAYOUT_UNDEFINED);
        CHECK_EQ(surface.layout_after, VK_IMAGE_LAYOUT_GENERAL);
        CHECK_OK(vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), 1, surface, PIXMPI_WHOLE, previous_rank(), 1,
                                world(), MPI_STATUS_IGNORE, nullptr, nullptr));
        Bytes pixels(sent.size());
        vk_rig::read(device, in, {}, PIXMPI_RGBA8, VK_IMAGE_ASPECT_COLOR_BIT, edge, edge, pixels.data(),
                     VK_IMAGE_LAYOUT_GENERAL);
        CHECK_PIXELS(pixels, sent, edge, 4);
        vk_rig::destroy(device, in);
    }
    CHECK_SILENCE(device);
}

RANK_CASE(vk_layouts, owner_by_name, 1) {
    // The context's own family, named: as if it were not.
    vk_rig::Device &device = need_vulkan();
    VulkanImage out(device, PIXMPI_RGBA8, 100, 100), in(device, PIXMPI_RGBA8, 100, 100);
    const Bytes sent = out.fill(1);
    vkMPI_Surface from = out.surface(), to = in.surface();
    from.family = to.family_after = device.info.queue_family;
    CHECK_OK(vkMPI_Sendrecv(from, PIXMPI_WHOLE, next_rank(), 1, to, PIXMPI_WHOLE, previous_rank(), 1, world(),
                            MPI_STATUS_IGNORE, nullptr, nullptr));
    CHECK_PIXELS(in.read(), sent, 100, 4);
}

RANK_CASE(vk_layouts, to_and_from_nobody, 1) {
    for (int edge : {16, 300}) {
        const auto with = [&](auto call) {
            Nothing one(edge);
            CHECK_OK(call(one.surface(), SyncList().signal(one.timeline, 1)));
            one.check();
        };
        const auto wait = [](int code, pixMPI_Request &request) {
            return code ? code : pixMPI_Wait(&request, MPI_STATUS_IGNORE);
        };
        note("blocking");
        with([](vkMPI_Surface s, const vkMPI_Sync *sync) {
            return vkMPI_Send(s, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), sync);
        });
        with([](vkMPI_Surface s, const vkMPI_Sync *sync) {
            return vkMPI_Recv(s, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), MPI_STATUS_IGNORE, sync);
        });
        with([](vkMPI_Surface s, const vkMPI_Sync *sync) {
            return vkMPI_Sendrecv_replace(s, PIXMPI_WHOLE, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, world(),
                                          MPI_STATUS_IGNORE, sync);
        });
        note("nonblocking");
        with([&](vkMPI_Surface s, const vkMPI_Sync *sync) {
            pixMPI_Request request;
            const int code = vkMPI_Isend(s, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), &request, sync);
            return wait(code, request);
        });
        with([&](vkMPI_Surface s, const vkMPI_Sync *sync) {
            pixMPI_Request request;
            const int code = vkMPI_Irecv(s, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), &request, sync);
            return wait(code, request);
        });
        note("persistent");
        with([&](vkMPI_Surface s, const vkMPI_Sync *sync) {
            pixMPI_Request request;
            NEED_OK(vkMPI_Recv_init(s, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), &request));
            const int code = wait(vkMPI_Start(&request, sync), request);
            CHECK_OK(pixMPI_Request_free(&request));
            return code;
        });
    }
}

RANK_CASE(vk_layouts, replaced_on_one_side_only, 1) {
    // Sends to a neighbour, receives from no rank, and the other way round.
    Nothing one(300);
    VulkanImage other(one.device, PIXMPI_RGBA8, 300, 300);
    Timeline timeline(one.device);
    pixMPI_Request request;
    CHECK_OK(vkMPI_Irecv(other.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &request, nullptr));
    CHECK_OK(vkMPI_Sendrecv_replace(one.surface(), PIXMPI_WHOLE, next_rank(), 1, MPI_PROC_NULL, 1, world(),
                                    MPI_STATUS_IGNORE, SyncList().signal(one.timeline, 1)));
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    one.check();
    CHECK_PIXELS(other.read(), one.before, 300, 4);
}

RANK_CASE(vk_layouts, message_that_is_refused, 1) {
    for (int edge : {8, 300}) {
        note("edge %d", edge);
        Nothing one(edge), too_long(edge + 1);
        pixMPI_Request send;
        CHECK_OK(vkMPI_Isend(too_long.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &send,
                             SyncList().signal(too_long.timeline, 1)));
        CHECK_FAILS(vkMPI_Recv(one.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), MPI_STATUS_IGNORE,
                               SyncList().signal(one.timeline, 1)),
                    PIXMPI_ERR_TRUNCATE, "vkMPI_Recv region expected");
        const int code = pixMPI_Wait(&send, MPI_STATUS_IGNORE);
        CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
        one.check();
        too_long.check();
    }
}

RANK_CASE(vk_layouts, receive_that_is_cancelled, 1) {
    Nothing one(300);
    for (bool persistent : {false, true}) {
        note(persistent ? "persistent" : "once");
        Nothing another(300, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        pixMPI_Request request;
        MPI_Status status;
        SyncList sync;
        sync.signal(another.timeline, 1);
        if (persistent) {
            CHECK_OK(vkMPI_Recv_init(another.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &request));
            CHECK_OK(vkMPI_Start(&request, sync));
        } else {
            CHECK_OK(vkMPI_Irecv(another.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &request, sync));
        }
        CHECK_OK(pixMPI_Cancel(&request));
        NEED_OK(pixMPI_Wait(&request, &status));
        int cancelled = 0;
        MPI_Test_cancelled(&status, &cancelled);
        CHECK_EQ(cancelled, 1);
        another.check();
        if (persistent)
            CHECK_OK(pixMPI_Request_free(&request));
    }
    barrier();
    CHECK_OK(vkMPI_Sendrecv_replace(one.surface(), PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, world(),
                                    MPI_STATUS_IGNORE, SyncList().signal(one.timeline, 1)));
    one.check();
}

RANK_CASE(vk_layouts, call_that_is_refused, 1) {
    // Nothing has started: no signal, and the layout is the old one.
    vk_rig::Device &device = need_vulkan();
    VulkanImage image(device, PIXMPI_RGBA8, 64, 64, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    Timeline timeline(device);
    const Bytes before = image.fill(1);
    const vkMPI_Surface surface = leaving(image.surface(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    SyncList sync;
    sync.signal(timeline, 1);
    CHECK_FAILS(vkMPI_Send(surface, PIXMPI_WHOLE, size, 1, world(), sync), PIXMPI_ERR_RANK, "vkMPI_Send dest");
    CHECK_FAILS(vkMPI_Isend(surface, PIXMPI_WHOLE, rank, -4, world(), &request, sync), PIXMPI_ERR_TAG,
                "vkMPI_Isend tag");
    CHECK_FAILS(vkMPI_Irecv(surface, rectangle(0, 0, 65, 1), rank, 1, world(), &request, sync), PIXMPI_ERR_REGION,
                "vkMPI_Irecv region");
    CHECK_FAILS(vkMPI_Recv(surface, PIXMPI_REGION_NULL, rank, 1, world(), MPI_STATUS_IGNORE, sync), PIXMPI_ERR_REGION,
                "vkMPI_Recv region");
    CHECK_FAILS(vkMPI_Sendrecv_replace(surface, PIXMPI_WHOLE, rank, 1, size, 1, world(), MPI_STATUS_IGNORE, sync),
                PIXMPI_ERR_RANK, "vkMPI_Sendrecv_replace source");
    CHECK(request == PIXMPI_REQUEST_NULL);
    CHECK_EQ(device.value_of(timeline.name), 0u);
    CHECK_PIXELS(image.read(), before, 64, 4);
    CHECK_SILENCE(device);
}

RANK_CASE(vk_layouts, replaced_in_bands, 1) {
    // Both ends of the message change the layout, band by band, alternately.
    vk_rig::Device &device = need_vulkan();
    constexpr int edge = 1200;
    for (VkImageLayout layout : layouts) {
        note("layout %d", layout);
        VulkanImage image(device, PIXMPI_RGBA8, edge, edge, layout);
        const auto seed = [](int from) { return seed_of(3, static_cast<std::uint64_t>(from)); };
        image.fill(seed(rank));
        for (int turn = 1; turn <= 5; ++turn) {
            CHECK_OK(vkMPI_Sendrecv_replace(image.surface(), PIXMPI_WHOLE, next_rank(), turn, previous_rank(), turn,
                                            world(), MPI_STATUS_IGNORE, nullptr));
            const int owner = (rank + size * 5 - turn) % size;
            CHECK_PIXELS(image.read(), pattern(std::size_t{edge} * edge * 4, seed(owner)), edge, 4);
        }
        CHECK_SILENCE(device);
    }
}
