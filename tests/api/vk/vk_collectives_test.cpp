// Collectives on Vulkan's surfaces: layouts and semaphores count for the whole call, however many messages it takes,
// and are the program's again when it fails.
#include "vk/vk_fragile.h"
#include "vk/vk_sync.h"

#include <cstdlib>
#include <cstring>
#include <pixmpi_collectives.h>
#include <pixmpi_compositor.h>

using namespace api;

namespace {

constexpr VkImageLayout read_only = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                        written_to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, general = VK_IMAGE_LAYOUT_GENERAL,
                        copied_from = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;

Bytes picture_of(int of, int edge, std::uint64_t number = 0) {
    return pattern(static_cast<std::size_t>(edge * edge * 4), seed_of(static_cast<std::uint64_t>(of), number));
}

/// MAX of all ranks' pictures.
Bytes largest(int edge, std::uint64_t number = 0) {
    Bytes all = picture_of(0, edge, number);
    for (int of = 1; of < size; ++of) {
        const Bytes more = picture_of(of, edge, number);
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = std::max(all[i], more[i]);
    }
    return all;
}

/// An image that goes from one layout to another, and a timeline that the call counts up by one.
struct Promised {
    Promised(int edge_, VkImageLayout before, VkImageLayout after_, bool storage = false)
        : device(need_vulkan()), image(device, PIXMPI_RGBA8, edge_, edge_, before, storage), timeline(device),
          edge(edge_), after(after_) {}
    vkMPI_Surface surface() const {
        vkMPI_Surface one = image.surface();
        one.layout_after = after;
        return one;
    }
    /// For a call that waits for 1 and signals 2.
    pixMPI_Surface any() {
        sync.wait(timeline, 1).signal(timeline, 2);
        named = surface();
        return vkMPI_Any(&named, sync);
    }
    void go() { device.signal(timeline.name, 1); }
    /// Layouts are the layers' to watch.
    void check(const Bytes &expected) {
        CHECK(device.wait_for(timeline.name, 2));
        CHECK_PIXELS(image.read(after), expected, edge, 4);
        CHECK_SILENCE(device);
    }
    /// Each pixel is as it was, or as it was to be.
    void check_either(Bytes before, const Bytes &received) {
        CHECK(device.wait_for(timeline.name, 2));
        const Bytes now = image.read(after);
        for (std::size_t at = 0; at < now.size(); at += 4)
            if (std::memcmp(&now[at], &received[at], 4) == 0)
                std::memcpy(&before[at], &received[at], 4);
        CHECK_PIXELS(now, before, edge, 4);
        CHECK_SILENCE(device);
    }

    vk_rig::Device &device;
    VulkanImage image;
    Timeline timeline;
    SyncList sync;
    vkMPI_Surface named{}; ///< any() points to it
    const int edge;
    const VkImageLayout after;
};

const pixMPI_Region *whole_for_each() {
    static const std::vector<pixMPI_Region> regions(static_cast<std::size_t>(size), PIXMPI_WHOLE);
    return regions.data();
}

/// An Allreduce of one into the other, and what is in both then.
void combine_into(Promised &from, Promised &to, int edge) {
    from.image.write(picture_of(rank, edge));
    to.image.write(picture_of(77, edge));
    from.go();
    to.go();
    CHECK_OK(pixMPI_Allreduce(from.any(), PIXMPI_WHOLE, to.any(), PIXMPI_WHOLE, PIXMPI_MAX, world()));
    from.check(picture_of(rank, edge));
    to.check(largest(edge));
}

/// On a GPU, a true one or one that the test makes believe in.
bool shaders_combine() {
    const char *const pack = std::getenv("PIXMPI_VK_PACK");
    const bool true_one = need_vulkan().name().find("llvmpipe") == std::string::npos;
    return (true_one && !pack) || (std::getenv("PIXMPI_TEST_GPUS") && pack && std::strcmp(pack, "shader") == 0);
}

} // namespace

RANK_CASE(vk_collectives, layouts_and_semaphores, 1) {
    for (const int edge : {16, 200})
        for (const auto &[before, after] : {std::pair(read_only, written_to), std::pair(written_to, general),
                                            std::pair(general, read_only), std::pair(general, general)}) {
            note("edge %d, layouts %d and %d: Bcast", edge, before, after);
            {
                Promised one(edge, before, after);
                one.image.write(picture_of(rank, edge));
                one.go();
                CHECK_OK(pixMPI_Bcast(one.any(), PIXMPI_WHOLE, 0, world()));
                one.check(picture_of(0, edge));
            }
            note("edge %d, layouts %d and %d: Allreduce", edge, before, after);
            {
                Promised from(edge, before, after), to(edge, after, before);
                combine_into(from, to, edge);
            }
            note("edge %d, layouts %d and %d: Allreduce in place", edge, before, after);
            {
                Promised one(edge, before, after);
                one.image.write(picture_of(rank, edge));
                one.go();
                CHECK_OK(
                    pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, one.any(), PIXMPI_WHOLE, PIXMPI_MAX, world()));
                one.check(largest(edge));
            }
            note("edge %d, layouts %d and %d: Alltoall to memory", edge, before, after);
            {
                Promised one(edge, before, after);
                one.image.write(picture_of(rank, edge));
                one.go();
                const auto all = make_memory(PIXMPI_RGBA8, edge, edge * size);
                std::vector<Shape> shapes;
                std::vector<pixMPI_Region> regions;
                shapes.reserve(static_cast<std::size_t>(size));
                for (int of = 0; of < size; ++of)
                    regions.push_back(shapes.emplace_back(rectangle(0, of * edge, edge, edge)));
                CHECK_OK(pixMPI_Alltoall(one.any(), whole_for_each(), all->any(), regions.data(), world()));
                one.check(picture_of(rank, edge));
                Bytes expected;
                for (int of = 0; of < size; ++of) {
                    const Bytes theirs = picture_of(of, edge);
                    expected.insert(expected.end(), theirs.begin(), theirs.end());
                }
                CHECK_PIXELS(all->read(), expected, edge, 4);
            }
        }
}

RANK_CASE(vk_collectives, images_of_shaders_with_layouts_and_semaphores, 1) {
    // A GPU combines two of them into a third. So two ranks send each other one message, however few pixels it has.
    const auto sent = [] {
        pixMPI_Stats now = PIXMPI_STATS_INIT;
        CHECK_OK(pixMPI_Get_stats(&now));
        return now.messages_sent;
    };
    const bool one_message = size == 2 && shaders_combine();
    for (const int edge : {16, 200})
        for (const auto &[before, after] : {std::pair(read_only, written_to), std::pair(general, general)}) {
            note("edge %d, layouts %d and %d", edge, before, after);
            Promised from(edge, before, after, true), to(edge, after, before, true);
            const std::uint64_t at_first = sent();
            combine_into(from, to, edge);
            CHECK(!one_message || sent() - at_first == 1);
            Promised one(edge, before, after, true), root(edge, after, before, true);
            one.image.write(picture_of(rank, edge, 1));
            root.image.write(picture_of(77, edge));
            one.go();
            root.go();
            CHECK_OK(pixMPI_Reduce(one.any(), PIXMPI_WHOLE, rank == 0 ? root.any() : pixMPI_No_surface(), PIXMPI_WHOLE,
                                   PIXMPI_MAX, 0, world()));
            one.check(picture_of(rank, edge, 1));
            if (rank == 0)
                root.check(largest(edge, 1));
        }
}

RANK_CASE(vk_collectives, nothing_moves_before_the_semaphore, 2) {
    // The buffer that the root sends is filled when its call is under way, before the value comes that it waits for.
    constexpr int edge = 200;
    vk_rig::Device &device = need_vulkan();
    Timeline ready(device);
    const Bytes sent = picture_of(0, edge);
    vk_rig::Buffer buffer = vk_rig::make_buffer(device, sent.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
    std::fill_n(buffer.mapped, sent.size(), std::byte{0});
    vkMPI_Surface surface = vkMPI_Buffer(device.context(), buffer.name, PIXMPI_RGBA8, edge, edge);
    surface.buffer_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    const auto in = make_memory(PIXMPI_RGBA8, edge, edge);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    SyncList sync;
    sync.wait(ready, 1);
    NEED_OK(pixMPI_Ibcast(rank == 0 ? vkMPI_Any(&surface, sync) : in->any(), PIXMPI_WHOLE, 0, world(), &request));
    int over = 1;
    for (int i = 0; i < 200; ++i) {
        NEED_OK(pixMPI_Test(&request, &over, MPI_STATUS_IGNORE));
        NEED(over == 0);
    }
    std::memcpy(buffer.mapped, sent.data(), sent.size());
    barrier(); // no rank has received anything yet
    device.signal(ready.name, 1);
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    if (rank != 0)
        CHECK_PIXELS(in->read(), sent, edge, 4);
    vkDeviceWaitIdle(device.info.device);
    vk_rig::destroy(device, buffer);
    CHECK_SILENCE(device);
}

RANK_CASE(vk_collectives, colors_by_depth_with_semaphores, 1) {
    // Both planes wait for what a start waits for, and have come when it signals.
    vk_rig::Device &device = need_vulkan();
    for (const int edge : {16, 200}) {
        const auto pixels = static_cast<std::size_t>(edge * edge), ranks = static_cast<std::size_t>(size);
        VulkanImage color(device, PIXMPI_RGBA8, edge, edge, read_only),
            depth(device, PIXMPI_DEPTH32F, edge, edge, read_only), to_color(device, PIXMPI_RGBA8, edge, edge, general),
            to_depth(device, PIXMPI_DEPTH32F, edge, edge, general);
        Timeline ready(device), came(device);
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        const VulkanAny from[] = {{color.surface()}, {depth.surface()}},
                        to[] = {{to_color.surface()}, {to_depth.surface()}};
        NEED_OK(pixMPI_Allreduce_init(WithDepth{from[0], from[1]}, PIXMPI_WHOLE, WithDepth{to[0], to[1]}, PIXMPI_WHOLE,
                                      PIXMPI_NEAREST, world(), &request));
        for (std::uint64_t turn = 1; turn <= 4; ++turn) {
            note("edge %d, turn %d", edge, static_cast<int>(turn));
            const auto depth_of = [&](std::size_t pixel, std::size_t of) {
                return static_cast<float>((pixel + of + turn) % ranks) / static_cast<float>(ranks);
            };
            Bytes depths(4 * pixels), nearest_depths(4 * pixels), nearest_colors(4 * pixels);
            for (std::size_t i = 0; i < pixels; ++i) {
                const float mine = depth_of(i, static_cast<std::size_t>(rank)), least = 0;
                std::memcpy(&depths[4 * i], &mine, 4);
                std::memcpy(&nearest_depths[4 * i], &least, 4);
            }
            for (int of = 0; of < size; ++of) {
                const Bytes theirs = picture_of(of, edge, turn);
                for (std::size_t i = 0; i < pixels; ++i)
                    if (depth_of(i, static_cast<std::size_t>(of)) == 0.0f)
                        std::copy_n(&theirs[4 * i], 4, &nearest_colors[4 * i]);
            }
            color.write(picture_of(rank, edge, turn));
            depth.write(depths);
            SyncList sync;
            sync.wait(ready, turn).signal(came, turn);
            NEED_OK(vkMPI_Start(&request, sync));
            device.signal(ready.name, turn);
            NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(device.wait_for(came.name, turn));
            CHECK_PIXELS(to_color.read(), nearest_colors, edge, 4);
            CHECK_PIXELS(to_depth.read(), nearest_depths, edge, 4);
            CHECK_SILENCE(device);
        }
        NEED_OK(pixMPI_Request_free(&request));
    }
}

RANK_CASE(vk_collectives, persistent_with_semaphores, 1) {
    // New values with each start, on the call's first surface of Vulkan; starts without semaphores in between.
    vk_rig::Device &device = need_vulkan();
    for (const int edge : {16, 200}) {
        VulkanImage from(device, PIXMPI_RGBA8, edge, edge, read_only), to(device, PIXMPI_RGBA8, edge, edge, read_only);
        Timeline ready(device), came(device);
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        NEED_OK(pixMPI_Allreduce_init(VulkanAny{from.surface()}, PIXMPI_WHOLE, VulkanAny{to.surface()}, PIXMPI_WHOLE,
                                      PIXMPI_MAX, world(), &request));
        for (std::uint64_t turn = 1; turn <= 6; ++turn) {
            note("edge %d, turn %d", edge, static_cast<int>(turn));
            from.write(picture_of(rank, edge, turn));
            SyncList sync;
            sync.wait(ready, turn).signal(came, turn);
            if (turn % 3 == 0)
                NEED_OK(pixMPI_Start(&request));
            else
                NEED_OK(vkMPI_Start(&request, sync));
            device.signal(ready.name, turn);
            NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            if (turn % 3 != 0)
                CHECK(device.wait_for(came.name, turn));
            CHECK_PIXELS(to.read(), largest(edge, turn), edge, 4);
            CHECK_PIXELS(from.read(), picture_of(rank, edge, turn), edge, 4);
        }
        NEED_OK(pixMPI_Request_free(&request));
    }
    const auto memory = make_memory(PIXMPI_RGBA8, 10, 10);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(pixMPI_Bcast_init(memory->any(), PIXMPI_WHOLE, 0, world(), &request));
    CHECK_FAILS(vkMPI_Start(&request, nullptr), PIXMPI_ERR_REQUEST, "vkMPI_Start request expected");
    NEED_OK(pixMPI_Request_free(&request));
    CHECK_SILENCE(device);
}

RANK_CASE(vk_collectives, semaphores_of_a_step_that_does_not_start, 1) {
    // JPEG takes no floats, which is found when the root's only message begins. The collective has begun on all ranks.
    vk_rig::Device &device = need_vulkan();
    constexpr int edge = 40;
    VulkanImage image(device, PIXMPI_RG32F, edge, edge, read_only);
    Timeline ready(device), came(device);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(pixMPI_Bcast_init(VulkanAny{image.surface()}, PIXMPI_WHOLE, 0, world(), &request));
    for (std::uint64_t turn = 1; turn <= 3; ++turn) {
        note("turn %d", static_cast<int>(turn));
        image.fill(seed_of(static_cast<std::uint64_t>(rank), turn));
        const bool fails = turn != 2 && size > 1;
        CHECK_OK(pixMPI_Request_set_codec(
            request, fails ? pixMPI_Codec_of(PIXMPI_CODEC_JPEG, 90) : pixMPI_Codec_of(PIXMPI_CODEC_NONE, 0)));
        SyncList sync;
        sync.wait(ready, turn).signal(came, turn);
        NEED_OK(turn == 2 ? pixMPI_Start(&request) : vkMPI_Start(&request, sync));
        if (turn != 2)
            device.signal(ready.name, turn);
        const int code = pixMPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_EQ(code, !fails ? PIXMPI_SUCCESS : rank == 0 ? PIXMPI_ERR_FORMAT : PIXMPI_ERR_PEER);
        if (turn != 2)
            CHECK(device.wait_for(came.name, turn));
        if (!fails)
            CHECK_PIXELS(image.read(), pattern(edge * edge * 8, seed_of(0, turn)), edge, 8);
    }
    NEED_OK(pixMPI_Request_free(&request));
    CHECK_SILENCE(device);
}

RANK_CASE(vk_collectives, one_rank_is_wrong, 2) {
    // Its own surface is as it was. On others the call has begun: signals are made, and layouts reached.
    for (const int edge : {16, 200})
        for (int victim = 0; victim < size; victim += std::max(1, size - 1))
            for (int verb = 0; verb < 6; ++verb) {
                note("edge %d, verb %d, rank %d is wrong", edge, verb, victim);
                pixMPI_Compositor compositor = PIXMPI_COMPOSITOR_NULL;
                NEED_OK(pixMPI_Compositor_create(PIXMPI_MAX, PIXMPI_RESULT_ALL, world(), &compositor));
                Promised one(edge, read_only, copied_from);
                const auto memory = make_memory(PIXMPI_RGBA8, edge, edge * size);
                memory->fill(5);
                const Shape first = rectangle(0, 0, edge, edge);
                std::vector<Shape> shapes;
                std::vector<pixMPI_Region> regions;
                shapes.reserve(static_cast<std::size_t>(size));
                for (int of = 0; of < size; ++of)
                    regions.push_back(shapes.emplace_back(rectangle(0, of * edge, edge, edge)));
                one.image.write(picture_of(rank, edge));
                one.go();
                // The root comes last in the order of the fold, so that it needs its own pixels when all others have
                // come.
                const int root = size - 1;
                const pixMPI_Surface any = one.any();
                const pixMPI_Region part = rank == victim ? PIXMPI_REGION_NULL : PIXMPI_WHOLE;
                int code = 0;
                switch (verb) {
                case 0:
                    code = pixMPI_Bcast(any, part, root, world());
                    break;
                case 1:
                    code = pixMPI_Gather(any, part, memory->any(), regions.data(), root, world());
                    break;
                case 2:
                    code = pixMPI_Reduce(any, part, memory->any(), first, PIXMPI_MAX, root, world());
                    break;
                case 3:
                    code = pixMPI_Allreduce(any, part, memory->any(), first, PIXMPI_MAX, world());
                    break;
                case 4:
                    code = pixMPI_Scan(any, part, memory->any(), first, PIXMPI_MAX, world());
                    break;
                default:
                    code = pixMPI_Composite(any, part, pixMPI_Sub(memory->any(), 0, 0, edge, edge), compositor);
                    break;
                }
                CHECK_OK(pixMPI_Compositor_free(&compositor));
                if (rank == victim) {
                    CHECK_EQ(code, PIXMPI_ERR_REGION);
                    CHECK_EQ(one.device.value_of(one.timeline.name), 1u);
                    CHECK_PIXELS(one.image.read(), picture_of(rank, edge), edge, 4);
                    continue;
                }
                CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
                if (verb == 0 && code == PIXMPI_ERR_PEER)
                    one.check_either(picture_of(rank, edge),
                                     picture_of(root, edge)); // what came before the error stays
                else
                    one.check(picture_of(verb == 0 ? root : rank, edge));
            }
    // What others still send to a rank that was wrong holds their memory, until that rank refuses it in a call of the
    // library's: with little memory they would wait for that.
    everywhere(0, true);
}

RANK_CASE(vk_collectives, what_is_promised_when_vulkan_fails, 1) {
    Fragile fragile;
    vk_rig::Device &device = *fragile.device;
    NEED_OK(pixMPI_Comm_attach(MPI_COMM_SELF, nullptr));
    constexpr int edge = 16;
    for (const char *function : {"vkAllocateMemory", "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkQueueSubmit"})
        for (const auto &[after, times] :
             {std::pair(0, 1), std::pair(1, 1), std::pair(2, 1), std::pair(3, 1), std::pair(0, 2), std::pair(0, 7)}) {
            note("%s after %d calls, %d times", function, after, times);
            fragile.renew_context();
            VulkanImage out(device, PIXMPI_RGBA8, edge, edge, read_only),
                in(device, PIXMPI_RGBA8, edge, edge, read_only);
            Timeline ready(device, 1), sent(device), came(device);
            const Bytes pixels = out.fill(1);
            in.fill(2);
            vkMPI_Surface from = out.surface(), to = in.surface();
            from.layout_after = to.layout_after = copied_from;
            SyncList sending, receiving;
            sending.wait(ready, 1).signal(sent, 1);
            receiving.signal(came, 1);
            const pixMPI_Region whole = PIXMPI_WHOLE;
            vk_interpose::hand(function).fail(VK_ERROR_OUT_OF_HOST_MEMORY, after, times);
            const int code = pixMPI_Gather(vkMPI_Any(&from, sending), PIXMPI_WHOLE, vkMPI_Any(&to, receiving), &whole,
                                           0, MPI_COMM_SELF);
            vk_interpose::heal_all();
            CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_MEMORY);
            CHECK(device.wait_for(sent.name, 1));
            CHECK(device.wait_for(came.name, 1));
            CHECK_PIXELS(out.read(copied_from), pixels, edge, 4);
            const Bytes seen = in.read(copied_from);
            if (code == PIXMPI_SUCCESS)
                CHECK_PIXELS(seen, pixels, edge, 4);
            CHECK_SILENCE(device);
        }
    NEED_OK(pixMPI_Comm_detach(MPI_COMM_SELF));
}
