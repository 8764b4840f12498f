// What Vulkan itself refuses: memory, devices that are lost, features that are missing. Software drivers never do, so
// somebody stands between the library and Vulkan.
#include "vk/vk_fragile.h"
#include "vk/vk_sync.h"

#include <array>

using namespace api;
using vk_interpose::disguise;
using vk_interpose::hand;

namespace {

/// A message of this rank to itself; its worst code.
int message(VulkanImage &out, VulkanImage &in) {
    pixMPI_Request requests[2] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL};
    if (const int code = vkMPI_Irecv(in.surface(), PIXMPI_WHOLE, rank, 1, world(), &requests[0], nullptr))
        return code;
    const int sent = vkMPI_Isend(out.surface(), PIXMPI_WHOLE, rank, 1, world(), &requests[1], nullptr);
    if (sent) // nobody will come
        CHECK_OK(pixMPI_Cancel(&requests[0]));
    const int codes[] = {sent, pixMPI_Wait(&requests[1], MPI_STATUS_IGNORE),
                         pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE)};
    CHECK(requests[0] == PIXMPI_REQUEST_NULL && requests[1] == PIXMPI_REQUEST_NULL);
    for (const int code : codes)
        if (code && code != PIXMPI_ERR_PEER)
            return code;
    return codes[0] ? codes[0] : codes[1] ? codes[1] : codes[2];
}

constexpr const char *functions[] = {"vkAllocateMemory",
                                     "vkCreateBuffer",
                                     "vkBindBufferMemory",
                                     "vkMapMemory",
                                     "vkAllocateCommandBuffers",
                                     "vkBeginCommandBuffer",
                                     "vkEndCommandBuffer",
                                     "vkQueueSubmit",
                                     "vkGetSemaphoreCounterValue",
                                     "vkCreateShaderModule",
                                     "vkCreateComputePipelines",
                                     "vkCreatePipelineLayout",
                                     "vkCreateDescriptorSetLayout",
                                     "vkCreateDescriptorPool",
                                     "vkAllocateDescriptorSets"};

// What fails for good is tried again for a second each time, so that a few have to stand for all; what fails sometimes
// comes to the same errors.
constexpr int some = 3;
bool for_good(const std::string &function, int edge, int after) {
    return edge > 16 && after == 0 &&
           (function == "vkAllocateMemory" || function == "vkBeginCommandBuffer" || function == "vkQueueSubmit");
}

} // namespace

RANK_CASE(vk_failures, out_of_memory, 1) {
    // Every function, at its first to fourth call. The library may find another way; what it may not do is to hang, or
    // to deliver wrong pixels, or to be of no use afterwards.
    Fragile fragile;
    for (const int edge : {16, 300})
        for (const char *function : functions)
            for (int after = 0; after < 4; ++after) {
                note("edge %d, %s after %d calls", edge, function, after);
                fragile.renew_context(); // as new: nothing of what it keeps for later is there
                VulkanImage out(*fragile.device, PIXMPI_RGBA8, edge, edge),
                    in(*fragile.device, PIXMPI_RGBA8, edge, edge);
                const Bytes sent = out.fill(1);
                in.fill(2);
                hand(function).calls = 0;
                if (for_good(function, edge, after))
                    hand(function).fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, after);
                else
                    hand(function).fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, after, some);
                const int code = message(out, in);
                const bool struck = hand(function).calls > after;
                vk_interpose::heal_all();
                CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_MEMORY || code == PIXMPI_ERR_DEVICE);
                if (!struck)
                    CHECK_EQ(code, PIXMPI_SUCCESS);
                if (code == PIXMPI_SUCCESS)
                    CHECK_PIXELS(in.read(), sent, edge, 4);
                note("edge %d, %s after %d calls, once more", edge, function, after);
                CHECK_EQ(message(out, in), PIXMPI_SUCCESS);
                CHECK_PIXELS(in.read(), sent, edge, 4);
                if (!struck)
                    break;
            }
}

RANK_CASE(vk_failures, what_is_promised_then, 1) {
    // Calls of Vulkan's fail, and the message, too, and the first tries to close it; its signal is made and its image
    // is where it should be all the same.
    Fragile fragile;
    vk_rig::Device &device = *fragile.device;
    for (const int edge : {16, 300})
        for (const char *function : {"vkAllocateMemory", "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkQueueSubmit"})
            for (const auto &[after, times] : {std::pair(0, 1), std::pair(1, 1), std::pair(2, 1), std::pair(0, 2),
                                               std::pair(1, 2), std::pair(0, 7)}) {
                note("edge %d, %s after %d calls, %d times", edge, function, after, times);
                fragile.renew_context();
                constexpr VkImageLayout before = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                        then = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
                VulkanImage out(device, PIXMPI_RGBA8, edge, edge, before), in(device, PIXMPI_RGBA8, edge, edge, before);
                Timeline ready(device, 1), sent(device), came(device);
                const Bytes pixels = out.fill(1);
                vkMPI_Surface from = out.surface(), to = in.surface();
                from.layout_after = to.layout_after = then;
                hand(function).fail(VK_ERROR_OUT_OF_HOST_MEMORY, after, times);
                const int code =
                    vkMPI_Sendrecv(from, PIXMPI_WHOLE, rank, 1, to, PIXMPI_WHOLE, rank, 1, world(), MPI_STATUS_IGNORE,
                                   SyncList().wait(ready, 1).signal(sent, 1), SyncList().signal(came, 1));
                vk_interpose::heal_all();
                CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_MEMORY);
                CHECK(device.wait_for(sent.name, 1));
                CHECK(device.wait_for(came.name, 1));
                CHECK_PIXELS(out.read(then), pixels, edge, 4);
                const Bytes seen = in.read(then);
                if (code == PIXMPI_SUCCESS)
                    CHECK_PIXELS(seen, pixels, edge, 4);
                CHECK_SILENCE(device);
            }
}

RANK_CASE(vk_failures, peers_are_told, 2) {
    // One rank's Vulkan fails, for a second in which the library tries again; nobody waits for ever.
    if (size > 2)
        return leave_out("two ranks tell each other the same");
    constexpr std::array<std::pair<const char *, int>, 4> failures{
        {{"vkQueueSubmit", 0}, {"vkQueueSubmit", 1}, {"vkAllocateMemory", 0}, {"vkBeginCommandBuffer", 1}}};
    for (const auto &[function, failing] : failures) {
        note("%s on rank %d", function, failing);
        Fragile fragile;
        VulkanImage out(*fragile.device, PIXMPI_RGBA8, 900, 900), in(*fragile.device, PIXMPI_RGBA8, 900, 900);
        out.fill(1);
        if (rank == failing)
            hand(function).fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, 0);
        pixMPI_Request requests[2] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL};
        const int first = vkMPI_Irecv(in.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0], nullptr);
        const int second = vkMPI_Isend(out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1], nullptr);
        CHECK_EQ(first, PIXMPI_SUCCESS); // it is told of when the messages complete
        CHECK_EQ(second, PIXMPI_SUCCESS);
        MPI_Status statuses[2];
        const int code = pixMPI_Waitall(2, requests, statuses);
        if (rank == failing && std::string(function) == "vkQueueSubmit")
            CHECK_EQ(code, PIXMPI_ERR_STATUS);
        vk_interpose::heal_all();
        barrier();
        CHECK_OK(vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), 2, in.surface(), PIXMPI_WHOLE,
                                previous_rank(), 2, world(), MPI_STATUS_IGNORE, nullptr, nullptr));
    }
}

RANK_CASE(vk_failures, device_lost, 1) {
    for (const char *function : {"vkQueueSubmit", "vkGetSemaphoreCounterValue"}) {
        note("%s", function);
        Fragile fragile;
        VulkanImage out(*fragile.device, PIXMPI_RGBA8, 300, 300), in(*fragile.device, PIXMPI_RGBA8, 300, 300);
        hand(function).fail(VK_ERROR_DEVICE_LOST);
        CHECK_EQ(message(out, in), PIXMPI_ERR_DEVICE);
        note("%s, all later messages", function);
        CHECK_FAILS(
            vkMPI_Sendrecv_replace(in.surface(), PIXMPI_WHOLE, rank, 1, rank, 1, world(), MPI_STATUS_IGNORE, nullptr),
            PIXMPI_ERR_DEVICE, "vkMPI_Sendrecv_replace VK_ERROR_DEVICE_LOST");
        vk_interpose::heal_all(); // once lost is lost
        CHECK_EQ(message(out, in), PIXMPI_ERR_DEVICE);
        note("%s, another device", function);
        vk_rig::Device &sound = need_vulkan();
        VulkanImage there(sound, PIXMPI_RGBA8, 300, 300), here(sound, PIXMPI_RGBA8, 300, 300);
        const Bytes sent = there.fill(5);
        CHECK_EQ(message(there, here), PIXMPI_SUCCESS);
        CHECK_PIXELS(here.read(), sent, 300, 4);
        const auto memory = make_memory(PIXMPI_RGBA8, 300, 300);
        CHECK_OK(memory->sendrecv_replace(PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, MPI_STATUS_IGNORE));
    }
}

RANK_CASE(vk_failures, lost_on_one_side, 2) {
    Fragile fragile;
    VulkanImage out(*fragile.device, PIXMPI_RGBA8, 900, 900), in(*fragile.device, PIXMPI_RGBA8, 900, 900);
    if (rank == 0)
        hand("vkGetSemaphoreCounterValue").fail(VK_ERROR_DEVICE_LOST);
    const int code = vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), 1, in.surface(), PIXMPI_WHOLE,
                                    previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr, nullptr);
    if (rank == 0)
        CHECK_EQ(code, PIXMPI_ERR_DEVICE);
    else
        CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
    barrier();
}

RANK_CASE(vk_failures, contexts_that_cannot_be_made, 1) {
    Fragile fragile;
    vkMPI_Context_info info = fragile.device->info;
    const auto fails = [&](int code, const char *words) {
        vkMPI_Context context = VKMPI_CONTEXT_NULL;
        const std::string text = std::string("vkMPI_Context_create ") + words;
        CHECK_FAILS(vkMPI_Context_create(&info, &context), code, text.c_str());
        CHECK(context == VKMPI_CONTEXT_NULL);
        vk_interpose::heal_all();
    };
    note("Vulkan 1.1");
    disguise.version = VK_API_VERSION_1_1;
    fails(PIXMPI_ERR_DEVICE, "1.1 expected 1.2");
    note("no timelines");
    disguise.timelines = false;
    fails(PIXMPI_ERR_DEVICE, "expected timelineSemaphore");
    note("a queue without copies");
    disguise.queue_flags = VK_QUEUE_SPARSE_BINDING_BIT;
    fails(PIXMPI_ERR_DEVICE, "info.queue_family expected transfer");
    for (const char *function :
         {"vkCmdCopyImageToBuffer", "vkGetSemaphoreCounterValue", "vkGetPhysicalDeviceFeatures2"}) {
        note("no %s", function);
        disguise.missing_function = function;
        fails(PIXMPI_ERR_DEVICE, function);
    }
    for (const char *function : {"vkCreateCommandPool", "vkCreateSemaphore"}) {
        note("%s fails", function);
        hand(function).fail(VK_ERROR_OUT_OF_HOST_MEMORY);
        fails(PIXMPI_ERR_MEMORY, function);
    }
}

RANK_CASE(vk_failures, memory_that_cannot_be_imported, 1) {
    // The CPU copies then.
    Fragile fragile;
    disguise.no_import = true;
    VulkanImage out(*fragile.device, PIXMPI_RGBA8, 300, 300), in(*fragile.device, PIXMPI_RGBA8, 300, 300);
    const Bytes sent = out.fill(7);
    for (int turn = 0; turn < 2; ++turn) {
        CHECK_OK(vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), 1, in.surface(), PIXMPI_WHOLE,
                                previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr, nullptr));
        CHECK_PIXELS(in.read(), sent, 300, 4);
    }
}

RANK_CASE(vk_failures, without_extensions, 1) {
    std::string reason;
    vk_rig::Options options = rig_options();
    options.extensions = false;
    const auto device = vk_rig::Device::make(options, reason);
    NEED(device != nullptr);
    {
        VulkanImage out(*device, PIXMPI_RGBA8, 300, 300), in(*device, PIXMPI_RGBA8, 300, 300);
        const Bytes sent = out.fill(8);
        CHECK_OK(vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), 1, in.surface(), PIXMPI_WHOLE,
                                previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr, nullptr));
        CHECK_PIXELS(in.read(), sent, 300, 4);
    }
    const std::string said = device->close();
    CHECK(said.empty());
}

RANK_CASE(vk_failures, queue_that_only_copies, 1) {
    vk_interpose::Disguise copies;
    copies.queue_flags = VK_QUEUE_TRANSFER_BIT;
    copies.granularity = {16, 8, 1};
    Fragile fragile(copies);
    vk_interpose::unsuitable_copies = 0;
    VulkanImage out(*fragile.device, PIXMPI_RG16UI, 203, 101), in(*fragile.device, PIXMPI_RG16UI, 203, 101);
    const Bytes sent = out.fill(8);
    Bytes expected = in.fill(9);
    const Shape part = rectangle(5, 3, 190, 91);
    unpack(expected, 203, 4, part, pack(sent, 203, 4, part));
    vk_interpose::unsuitable_copies = 0;
    CHECK_OK(vkMPI_Sendrecv(out.surface(), part, next_rank(), 1, in.surface(), part, previous_rank(), 1, world(),
                            MPI_STATUS_IGNORE, nullptr, nullptr));
    CHECK_PIXELS(in.read(), expected, 203, 4);
    CHECK_EQ(vk_interpose::unsuitable_copies.load(), 0);
    note("depths");
    VulkanImage depth(*fragile.device, PIXMPI_DEPTH32F, 20, 20);
    CHECK_FAILS(vkMPI_Recv(depth.surface(), PIXMPI_WHOLE, rank, 1, world(), MPI_STATUS_IGNORE, nullptr),
                PIXMPI_ERR_SURFACE, "vkMPI_Recv surface.aspect queue expected");
}
