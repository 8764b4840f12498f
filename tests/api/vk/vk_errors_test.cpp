// Bad input that only Vulkan has.
#include "vk/vk_peer.h"
#include "vk/vk_sync.h"

#include <cstdlib>
#include <functional>
#include <thread>

using namespace api;

namespace {

constexpr int edge = 32;

/// An image with known contents, for bad surfaces.
struct Good {
    Good() : device(need_vulkan()), image(device, PIXMPI_RGBA8, edge, edge), before(image.fill(1)) {}
    ~Good() {
        CHECK_PIXELS(image.read(), before, edge, 4);
        // The next message works.
        NEED_OK(vkMPI_Sendrecv_replace(image.surface(), PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, world(),
                                       MPI_STATUS_IGNORE, nullptr));
        CHECK_SILENCE(device);
    }
    vkMPI_Surface with(const std::function<void(vkMPI_Surface &)> &change) const {
        vkMPI_Surface s = image.surface();
        change(s);
        return s;
    }
    vk_rig::Device &device;
    VulkanImage image;
    const Bytes before;
};

/// Any value, as programs in C may.
template <class Enum> void set(Enum &member, int value) { std::memcpy(&member, &value, sizeof value); }

enum class Way { both, sending, receiving };

/// Every verb refuses it in the same way. `words` follow the call's name in the text.
void refused(vkMPI_Surface s, int code, const char *words = "surface expected", Way way = Way::both) {
    const auto text = [&](const char *call) {
        static std::string all;
        all = std::string("vkMPI_") + call + " " + words;
        return all.c_str();
    };
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    if (way != Way::receiving) {
        CHECK_FAILS(vkMPI_Send(s, PIXMPI_WHOLE, rank, 1, world(), nullptr), code, text("Send"));
        CHECK_FAILS(vkMPI_Isend(s, PIXMPI_WHOLE, rank, 1, world(), &request, nullptr), code, text("Isend"));
        CHECK_FAILS(vkMPI_Send_init(s, PIXMPI_WHOLE, rank, 1, world(), &request), code, text("Send_init"));
    }
    if (way != Way::sending) {
        CHECK_FAILS(vkMPI_Recv(s, PIXMPI_WHOLE, rank, 1, world(), MPI_STATUS_IGNORE, nullptr), code, text("Recv"));
        CHECK_FAILS(vkMPI_Irecv(s, PIXMPI_WHOLE, rank, 1, world(), &request, nullptr), code, text("Irecv"));
        CHECK_FAILS(vkMPI_Recv_init(s, PIXMPI_WHOLE, rank, 1, world(), &request), code, text("Recv_init"));
    }
    CHECK_FAILS(vkMPI_Sendrecv(s, PIXMPI_WHOLE, rank, 1, s, PIXMPI_WHOLE, rank, 1, world(), MPI_STATUS_IGNORE, nullptr,
                               nullptr),
                code, text("Sendrecv"));
    CHECK_FAILS(vkMPI_Sendrecv_replace(s, PIXMPI_WHOLE, rank, 1, rank, 1, world(), MPI_STATUS_IGNORE, nullptr), code,
                text("Sendrecv_replace"));
    CHECK(request == PIXMPI_REQUEST_NULL);
}

} // namespace

RANK_CASE(vk_errors, no_context, 1) {
    Good good;
    note("null, foreign");
    refused(good.with([](auto &s) { s.context = VKMPI_CONTEXT_NULL; }), PIXMPI_ERR_CONTEXT, "context null expected");
    int foreign[64] = {};
    refused(good.with([&](auto &s) { s.context = reinterpret_cast<vkMPI_Context>(foreign); }), PIXMPI_ERR_CONTEXT,
            "context expected");
    note("destroyed");
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    NEED_OK(vkMPI_Context_create(&good.device.info, &context));
    const vkMPI_Context gone = context;
    CHECK_OK(vkMPI_Context_free(&context));
    CHECK(context == VKMPI_CONTEXT_NULL);
    refused(good.with([&](auto &s) { s.context = gone; }), PIXMPI_ERR_CONTEXT, "context expected");
    note("the calls on contexts");
    vkMPI_Context again = gone;
    const char *name = nullptr;
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;
    CHECK_FAILS(vkMPI_Context_free(&again), PIXMPI_ERR_CONTEXT, "vkMPI_Context_free context expected");
    CHECK_FAILS(vkMPI_Context_free(nullptr), PIXMPI_ERR_ARGUMENT, "vkMPI_Context_free context null");
    CHECK_FAILS(vkMPI_Context_bind(gone), PIXMPI_ERR_CONTEXT, "vkMPI_Context_bind context expected");
    CHECK_FAILS(vkMPI_Context_get_info(VKMPI_CONTEXT_NULL, &info), PIXMPI_ERR_CONTEXT,
                "vkMPI_Context_get_info context");
    CHECK_FAILS(vkMPI_Context_get_info(good.device.context(), nullptr), PIXMPI_ERR_ARGUMENT,
                "vkMPI_Context_get_info info");
    CHECK_FAILS(vkMPI_Context_name(gone, &name), PIXMPI_ERR_CONTEXT, "vkMPI_Context_name context");
    CHECK_FAILS(vkMPI_Context_rates(gone, PIXMPI_RGBA8, nullptr, nullptr), PIXMPI_ERR_CONTEXT,
                "vkMPI_Context_rates context");
}

RANK_CASE(vk_errors, no_such_part, 1) {
    Good good;
    note("no kind");
    refused(vkMPI_Surface{}, PIXMPI_ERR_CONTEXT, "surface.context null expected");
    refused(good.with([](auto &s) { s.kind = VKMPI_NONE; }), PIXMPI_ERR_SURFACE, "surface.kind expected");
    refused(good.with([](auto &s) { set(s.kind, 9); }), PIXMPI_ERR_SURFACE, "surface.kind 9 expected");
    note("null handles");
    refused(good.with([](auto &s) { s.image = VK_NULL_HANDLE; }), PIXMPI_ERR_SURFACE,
            "surface.image VK_NULL_HANDLE expected");
    refused(vkMPI_Buffer(good.device.context(), VK_NULL_HANDLE, PIXMPI_RGBA8, 2, 2), PIXMPI_ERR_SURFACE,
            "surface.buffer VK_NULL_HANDLE expected");
    note("outside");
    refused(good.with([](auto &s) { s.level = 1; }), PIXMPI_ERR_SURFACE, "surface.level 1 expected");
    refused(good.with([](auto &s) { s.layer = 1; }), PIXMPI_ERR_SURFACE, "surface.layer 1 expected");
    refused(good.with([](auto &s) { s.slice = 1; }), PIXMPI_ERR_SURFACE, "surface.slice 1 expected");
    refused(good.with([](auto &s) { s.level = s.layer = s.slice = ~0u; }), PIXMPI_ERR_SURFACE);
    refused(good.with([](auto &s) { s.levels = 0; }), PIXMPI_ERR_SURFACE);
    refused(good.with([](auto &s) { s.extent.width = 0; }), PIXMPI_ERR_SURFACE);
    refused(good.with([](auto &s) { s.extent.width = 0x8000'0000u; }), PIXMPI_ERR_SURFACE);
    note("slices of a level");
    refused(good.with([](auto &s) {
        s.type = VK_IMAGE_TYPE_3D;
        s.extent.depth = 8;
        s.levels = 3;
        s.level = 2;
        s.slice = 2;
    }),
            PIXMPI_ERR_SURFACE, "surface.slice 2 expected");
    note("more levels than a picture of that size can have");
    refused(good.with([](auto &s) {
        s.levels = 40;
        s.level = 33;
    }),
            PIXMPI_ERR_SURFACE);
}

RANK_CASE(vk_errors, wrong_kinds_of_images, 1) {
    Good good;
    refused(good.with([](auto &s) { s.samples = VK_SAMPLE_COUNT_4_BIT; }), PIXMPI_ERR_SURFACE,
            "surface.samples 4 resolve");
    refused(good.with([](auto &s) { s.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT; }), PIXMPI_ERR_SURFACE,
            "surface.flags sparse");
    note("usage");
    refused(good.with([](auto &s) { s.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT; }), PIXMPI_ERR_SURFACE,
            "surface.usage VK_IMAGE_USAGE_TRANSFER_SRC_BIT", Way::sending);
    refused(good.with([](auto &s) { s.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT; }), PIXMPI_ERR_SURFACE,
            "surface.usage VK_IMAGE_USAGE_TRANSFER_DST_BIT", Way::receiving);
    note("layouts");
    for (const VkImageLayout lost : {VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PREINITIALIZED})
        refused(good.with([&](auto &s) { s.layout_after = lost; }), PIXMPI_ERR_SURFACE,
                "surface.layout_after VK_IMAGE_LAYOUT_");
    refused(good.with([](auto &s) { s.layout = VK_IMAGE_LAYOUT_UNDEFINED; }), PIXMPI_ERR_SURFACE,
            "surface.layout VK_IMAGE_LAYOUT_UNDEFINED", Way::sending);
}

RANK_CASE(vk_errors, formats, 1) {
    Good good;
    note("formats that pixmpi.h does not have");
    for (const VkFormat format : {VK_FORMAT_UNDEFINED, VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_BC1_RGB_UNORM_BLOCK,
                                  VK_FORMAT_D16_UNORM_S8_UINT, static_cast<VkFormat>(12345678)}) {
        const VkImageAspectFlags aspect = vkMPI_Aspects_of(format);
        CHECK_EQ(static_cast<int>(vkMPI_Format_from_vulkan(format, aspect)), static_cast<int>(PIXMPI_FORMAT_NONE));
        refused(good.with([&](auto &s) {
            s.format = format;
            s.aspect = aspect;
        }),
                PIXMPI_ERR_FORMAT, "surface expected");
    }
    note("aspects that the format does not have");
    for (const VkImageAspectFlags aspect :
         {VkImageAspectFlags{0}, VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT},
          VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT | VK_IMAGE_ASPECT_DEPTH_BIT}}) {
        vkMPI_Surface s = good.with([&](auto &one) { one.aspect = aspect; });
        const int code = vkMPI_Send(s, PIXMPI_WHOLE, rank, 1, world(), nullptr);
        CHECK(code == PIXMPI_ERR_SURFACE || code == PIXMPI_ERR_FORMAT);
        refused(s, code, "surface expected");
    }
    note("a buffer's");
    for (const int format : {int{PIXMPI_FORMAT_NONE}, int{PIXMPI_FORMAT_END}, -3}) {
        vkMPI_Surface s = vkMPI_Buffer(good.device.context(), VK_NULL_HANDLE, PIXMPI_RGBA8, 4, 4);
        s.buffer = reinterpret_cast<VkBuffer>(std::uintptr_t{16}); // it is not looked at
        set(s.pixels, format);
        refused(s, PIXMPI_ERR_FORMAT, "surface.pixels expected");
    }
    CHECK_EQ(static_cast<int>(vkMPI_Format_to_vulkan(PIXMPI_FORMAT_NONE)), static_cast<int>(VK_FORMAT_UNDEFINED));
    CHECK_EQ(static_cast<int>(vkMPI_Format_to_vulkan(PIXMPI_FORMAT_END)), static_cast<int>(VK_FORMAT_UNDEFINED));
}

RANK_CASE(vk_errors, buffers, 1) {
    Good good;
    vk_rig::Device &device = good.device;
    constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    vk_rig::Buffer buffer = vk_rig::make_buffer(device, 1000, usage, false);
    const auto with = [&](const std::function<void(vkMPI_Surface &)> &change) {
        vkMPI_Surface s = vkMPI_Buffer(device.context(), buffer.name, PIXMPI_RGBA8, 10, 25);
        s.buffer_bytes = 1000;
        change(s);
        return s;
    };
    note("past its end");
    refused(with([](auto &s) { s.height = 26; }), PIXMPI_ERR_SURFACE, "surface.buffer_bytes 1000 expected");
    refused(with([](auto &s) { s.offset = 1; }), PIXMPI_ERR_SURFACE, "surface.buffer_bytes 1000 expected");
    refused(with([](auto &s) { s.row_bytes = 44; }), PIXMPI_ERR_SURFACE, "surface.buffer_bytes 1000 expected");
    refused(with([](auto &s) { s.offset = ~VkDeviceSize{0} - 100; }), PIXMPI_ERR_SURFACE);
    refused(with([](auto &s) { s.row_bytes = INT64_MAX; }), PIXMPI_ERR_SURFACE);
    note("rows that overlap, sizes that are none");
    refused(with([](auto &s) { s.row_bytes = 36; }), PIXMPI_ERR_SURFACE, "surface.row_bytes 36 expected");
    refused(with([](auto &s) { s.row_bytes = -40; }), PIXMPI_ERR_SURFACE, "surface.row_bytes -40 expected");
    refused(with([](auto &s) { s.width = -1; }), PIXMPI_ERR_SURFACE);
    refused(with([](auto &s) { s.height = -1; }), PIXMPI_ERR_SURFACE);
    note("usage");
    refused(with([](auto &s) { s.buffer_usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT; }), PIXMPI_ERR_SURFACE,
            "surface.buffer_usage VK_BUFFER_USAGE_TRANSFER_SRC_BIT", Way::sending);
    refused(with([](auto &s) { s.buffer_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT; }), PIXMPI_ERR_SURFACE,
            "surface.buffer_usage VK_BUFFER_USAGE_TRANSFER_DST_BIT", Way::receiving);
    note("the whole of it is good");
    CHECK_OK(vkMPI_Sendrecv_replace(with([](auto &) {}), PIXMPI_WHOLE, rank, 1, rank, 1, world(), MPI_STATUS_IGNORE,
                                    nullptr));
    vkDeviceWaitIdle(device.info.device);
    vk_rig::destroy(device, buffer);
}

RANK_CASE(vk_errors, semaphores, 1) {
    Good good;
    const VkSemaphore none = VK_NULL_HANDLE;
    const auto with = [&](const vkMPI_Sync &sync, const char *words) {
        const std::string text = std::string("vkMPI_Send ") + words;
        CHECK_FAILS(vkMPI_Send(good.image.surface(), PIXMPI_WHOLE, rank, 1, world(), &sync), PIXMPI_ERR_ARGUMENT,
                    text.c_str());
    };
    with({1, nullptr, nullptr, 0, nullptr, nullptr}, "sync.waits null expected");
    with({0, nullptr, nullptr, 2, nullptr, nullptr}, "sync.signals null expected");
    with({1, &none, nullptr, 0, nullptr, nullptr}, "sync.waits[0] null expected");
    with({0, nullptr, nullptr, 1, &none, nullptr}, "sync.signals[0] null expected");
    const vkMPI_Sync empty{};
    CHECK_OK(vkMPI_Sendrecv_replace(good.image.surface(), PIXMPI_WHOLE, rank, 1, rank, 1, world(), MPI_STATUS_IGNORE,
                                    &empty));
}

RANK_CASE(vk_errors, create, 1) {
    Good good;
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    const auto fails = [&](const std::function<void(vkMPI_Context_info &)> &change, int code, const char *words) {
        vkMPI_Context_info info = good.device.info;
        change(info);
        const std::string text = std::string("vkMPI_Context_create ") + words;
        CHECK_FAILS(vkMPI_Context_create(&info, &context), code, text.c_str());
        CHECK(context == VKMPI_CONTEXT_NULL);
    };
    CHECK_FAILS(vkMPI_Context_create(&good.device.info, nullptr), PIXMPI_ERR_ARGUMENT, "context null expected");
    fails([](auto &i) { i.instance = VK_NULL_HANDLE; }, PIXMPI_ERR_ARGUMENT, "info.instance null expected");
    fails([](auto &i) { i.physical_device = VK_NULL_HANDLE; }, PIXMPI_ERR_ARGUMENT,
          "info.physical_device null expected");
    fails([](auto &i) { i.device = VK_NULL_HANDLE; }, PIXMPI_ERR_ARGUMENT, "info.device null expected");
    fails([](auto &i) { i.queue = VK_NULL_HANDLE; }, PIXMPI_ERR_ARGUMENT, "info.queue null expected");
    fails([](auto &i) { i.lock_queue = [](void *) {}; }, PIXMPI_ERR_ARGUMENT, "info.unlock_queue null expected");
    fails([](auto &i) { i.unlock_queue = [](void *) {}; }, PIXMPI_ERR_ARGUMENT, "info.lock_queue null expected");
    fails([](auto &i) { i.features = VKMPI_FEATURE_PRIVATE_DATA | 8; }, PIXMPI_ERR_ARGUMENT,
          "info.features 0x9 expected");
    fails(
        [](auto &i) {
            i.extension_count = 1;
            i.extensions = nullptr;
        },
        PIXMPI_ERR_ARGUMENT, "info.extensions null expected");
    fails([](auto &i) { i.queue_family = 99; }, PIXMPI_ERR_DEVICE, "info.queue_family 99 expected");

    note("extensions");
    std::uint32_t count = 0;
    const char *names[8];
    const VkInstance instance = good.device.info.instance;
    const VkPhysicalDevice physical = good.device.info.physical_device;
    CHECK_FAILS(vkMPI_Device_extensions(nullptr, VK_NULL_HANDLE, physical, &count, names), PIXMPI_ERR_ARGUMENT,
                "vkMPI_Device_extensions instance null");
    CHECK_FAILS(vkMPI_Device_extensions(nullptr, instance, VK_NULL_HANDLE, &count, names), PIXMPI_ERR_ARGUMENT,
                "vkMPI_Device_extensions physical_device null");
    CHECK_FAILS(vkMPI_Device_extensions(nullptr, instance, physical, nullptr, names), PIXMPI_ERR_ARGUMENT,
                "vkMPI_Device_extensions count null");
    CHECK_OK(vkMPI_Device_extensions(nullptr, instance, physical, &count, nullptr));
    NEED(count <= 8);
    if (std::uint32_t less = count ? count - 1 : 0; less < count)
        CHECK_FAILS(vkMPI_Device_extensions(nullptr, instance, physical, &less, names), PIXMPI_ERR_ARGUMENT,
                    "vkMPI_Device_extensions count expected");
}

RANK_CASE(vk_errors, ways_by_name, 1) {
    Good good;
    for (const char *setting : {"PIXMPI_VK_PATH=direct", "PIXMPI_VK_PACK=shaders"}) {
        note("%s", setting);
        const Setting wrong(setting);
        vkMPI_Context context = VKMPI_CONTEXT_NULL;
        CHECK_FAILS(vkMPI_Context_create(&good.device.info, &context), PIXMPI_ERR_ARGUMENT,
                    ("vkMPI_Context_create expected " + wrong.name()).c_str());
        CHECK(context == VKMPI_CONTEXT_NULL);
    }
}

RANK_CASE(vk_errors, headless_device_by_name, 1) {
    Good good;
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    ::setenv("PIXMPI_VK_DEVICE", "no such card", 1);
    CHECK_FAILS(vkMPI_Context_create(nullptr, &context), PIXMPI_ERR_DEVICE,
                "vkMPI_Context_create PIXMPI_VK_DEVICE such expected 0:");
    ::setenv("PIXMPI_VK_DEVICE", "1000", 1);
    CHECK_FAILS(vkMPI_Context_create(nullptr, &context), PIXMPI_ERR_DEVICE, "PIXMPI_VK_DEVICE 1000 expected");
    CHECK(context == VKMPI_CONTEXT_NULL);
    ::setenv("PIXMPI_VK_DEVICE", "0", 1);
    NEED_OK(vkMPI_Context_create(nullptr, &context));
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;
    const char *name = nullptr;
    CHECK_OK(vkMPI_Context_get_info(context, &info));
    CHECK_OK(vkMPI_Context_name(context, &name));
    CHECK(info.instance && info.physical_device && info.device && info.queue && info.get_instance_proc_addr);
    CHECK(name && *name);
    CHECK_OK(vkMPI_Context_free(&context));
    ::unsetenv("PIXMPI_VK_DEVICE");
}

RANK_CASE(vk_errors, another_thread_s_context, 1) {
    Good good;
    VulkanImage in(good.device, PIXMPI_RGBA8, 300, 300), out(good.device, PIXMPI_RGBA8, 300, 300);
    const Bytes sent = out.fill(4);
    pixMPI_Request requests[2];
    CHECK_OK(vkMPI_Irecv(in.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0], nullptr));
    const auto elsewhere = [](const std::function<void()> &body) { std::thread(body).join(); };
    if (threads >= MPI_THREAD_SERIALIZED) {
        elsewhere([&] {
            refused(good.image.surface(), PIXMPI_ERR_CONTEXT, "context thread expected");
            CHECK_FAILS(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE), PIXMPI_ERR_CONTEXT, "pixMPI_Wait context");
            vkMPI_Context context = good.device.context();
            CHECK_FAILS(vkMPI_Context_free(&context), PIXMPI_ERR_CONTEXT, "vkMPI_Context_free context thread");
            CHECK_FAILS(vkMPI_Context_rates(context, PIXMPI_RGBA8, nullptr, nullptr), PIXMPI_ERR_CONTEXT,
                        "vkMPI_Context_rates context thread");
        });
        CHECK(requests[0] != PIXMPI_REQUEST_NULL);
        barrier(); // no rank has sent yet
        note("moved there, and back");
        elsewhere([&] {
            CHECK_OK(vkMPI_Context_bind(good.device.context()));
            CHECK_OK(vkMPI_Isend(out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1], nullptr));
            NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        });
        refused(good.image.surface(), PIXMPI_ERR_CONTEXT, "context thread expected");
        CHECK_OK(vkMPI_Context_bind(good.device.context()));
    } else {
        CHECK_OK(vkMPI_Isend(out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1], nullptr));
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    CHECK_PIXELS(in.read(), sent, 300, 4);
}

RANK_CASE(vk_errors, destroyed_too_early, 1) {
    Good good;
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    NEED_OK(vkMPI_Context_create(&good.device.info, &context));
    const vkMPI_Context kept = context;
    vkMPI_Surface s = good.with([&](auto &one) { one.context = context; });
    pixMPI_Request receive = PIXMPI_REQUEST_NULL, persistent = PIXMPI_REQUEST_NULL;
    CHECK_OK(vkMPI_Irecv(s, PIXMPI_WHOLE, previous_rank(), 1, world(), &receive, nullptr));
    CHECK_FAILS(vkMPI_Context_free(&context), PIXMPI_ERR_REQUEST, "vkMPI_Context_free context expected");
    CHECK(context == kept);
    CHECK_OK(vkMPI_Send_init(s, PIXMPI_WHOLE, next_rank(), 2, world(), &persistent));
    CHECK_OK(pixMPI_Cancel(&receive));
    NEED_OK(pixMPI_Wait(&receive, MPI_STATUS_IGNORE));
    note("a persistent request that is not under way");
    CHECK_FAILS(vkMPI_Context_free(&context), PIXMPI_ERR_REQUEST, "vkMPI_Context_free context expected");
    CHECK_OK(pixMPI_Request_free(&persistent));
    CHECK_OK(vkMPI_Context_free(&context));
    barrier();
}

RANK_CASE(vk_errors, destroyed_after_a_send, 2) {
    // It has left the device, though no rank has asked for it yet.
    constexpr int small = 16;
    if (eager_setting() < small * small * 4 && takes_peer(0, 1))
        return leave_out("such a send waits for its receiver, as PIXMPI_EAGER has it");
    VulkanImage in(need_vulkan(), PIXMPI_RGBA8, small, small);
    Good good;
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    NEED_OK(vkMPI_Context_create(&good.device.info, &context));
    VulkanImage out(good.device, PIXMPI_RGBA8, small, small);
    const Bytes sent = out.fill(5);
    vkMPI_Surface s = out.surface();
    s.context = context;
    CHECK_OK(vkMPI_Send(s, PIXMPI_WHOLE, next_rank(), 3, world(), nullptr));
    CHECK_OK(vkMPI_Context_free(&context));
    barrier();
    CHECK_OK(vkMPI_Recv(in.surface(), PIXMPI_WHOLE, previous_rank(), 3, world(), MPI_STATUS_IGNORE, nullptr));
    CHECK_PIXELS(in.read(), sent, small, 4);
}

RANK_CASE(vk_errors, regions_outside, 1) {
    Good good;
    const vkMPI_Surface s = good.image.surface();
    for (const Shape &outside : {rectangle(0, 0, edge + 1, 1), rectangle(0, 0, 1, edge + 1), rectangle(-1, 0, 1, 1)}) {
        CHECK_FAILS(vkMPI_Send(s, outside, rank, 1, world(), nullptr), PIXMPI_ERR_REGION, "vkMPI_Send region expected");
        CHECK_FAILS(vkMPI_Recv(s, outside, rank, 1, world(), MPI_STATUS_IGNORE, nullptr), PIXMPI_ERR_REGION,
                    "vkMPI_Recv region expected");
    }
    CHECK_FAILS(vkMPI_Send(s, PIXMPI_WHOLE, rank, 1, MPI_COMM_NULL, nullptr), PIXMPI_ERR_COMM, "vkMPI_Send comm");
    CHECK_FAILS(vkMPI_Isend(s, PIXMPI_WHOLE, rank, 1, world(), nullptr, nullptr), PIXMPI_ERR_ARGUMENT,
                "vkMPI_Isend request null");
}
