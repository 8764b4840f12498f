#include "vk_rig_contexts.h"

#include "device/vk_contexts.h"
#include "request/runtime.h"
#include "vk_interpose.h"

#include <cstdio>
#include <cstdlib>

namespace vk_rig {
namespace {

/// The whole program is skipped where Vulkan has no device, and only there.
class NeedsDevice : public testing::Environment {
    void SetUp() override {
        std::string reason;
        if (any_device(reason))
            return;
        std::printf("[  SKIPPED ] all of them: %s\n", reason.c_str()); // by this line ctest knows
        GTEST_SKIP() << reason;
    }
};
const auto *const needs_device = testing::AddGlobalTestEnvironment(new NeedsDevice);

// Stage memory without an attachment: nothing here sends a message.
void open_stage_memory() {
    pixmpi::StageMemory &stage = pixmpi::runtime().stage;
    if (!stage.map().base) {
        ASSERT_EQ(stage.open(std::size_t{64} << 20, 1), PIXMPI_SUCCESS);
    }
}

void make(Path path, Rigged &made) {
    ASSERT_NO_FATAL_FAILURE(open_stage_memory());
    const bool copied = path == Path::commands_copied || path == Path::shaders_copied;
    const bool shaders = path == Path::shaders || path == Path::shaders_copied;
    setenv("PIXMPI_VK_PATH", copied ? "copy" : "import", 1);
    setenv("PIXMPI_VK_PACK", shaders ? "shader" : "commands", 1);
    Options options;
    options.get = vk_interpose::get_instance_proc_addr;
    std::string reason;
    made.device = Device::make(options, reason);
    ASSERT_NE(made.device, nullptr) << reason;
    ASSERT_EQ(vkmpi::find_context(made.device->context(), "context", made.vulkan), PIXMPI_SUCCESS);
    EXPECT_EQ(made.vulkan->reaches_shared(), !copied) << "the way that the variables ask for";
    EXPECT_EQ(made.vulkan->shader_packs, shaders);
}

} // namespace

bool copies_only(Path path) { return path == Path::transfer_queue || path == Path::whole_queue; }

const char *path_name(Path path) {
    static constexpr const char *names[] = {"vk_commands",       "vk_commands_copied", "vk_shaders",
                                            "vk_shaders_copied", "vk_transfer_queue",  "vk_whole_queue"};
    return names[static_cast<int>(path)];
}

Rigged &use(Path path) {
    static auto *const all = new Rigged[6]; // surfaces of a test may outlive it
    Rigged &made = all[static_cast<int>(path)];
    vk_interpose::disguise = {};
    if (copies_only(path))
        vk_interpose::disguise.queue_flags = VK_QUEUE_TRANSFER_BIT;
    if (path == Path::transfer_queue)
        vk_interpose::disguise.granularity = {8, 4, 1};
    if (!made.vulkan)
        make(path, made);
    return made;
}

std::unique_ptr<Device> make_with_shaders() { return make_packing("shader"); }

std::unique_ptr<Device> make_packing(const char *by) {
    open_stage_memory();
    vk_interpose::disguise = {};
    setenv("PIXMPI_VK_PACK", by, 1);
    Options options;
    options.get = vk_interpose::get_instance_proc_addr;
    std::string reason;
    auto made = testing::Test::HasFatalFailure() ? nullptr : Device::make(options, reason);
    EXPECT_NE(made, nullptr) << reason;
    return made;
}

VulkanRig::VulkanRig(Path path) : path_(path), rigged_(use(path)) { vk_interpose::unsuitable_copies = 0; }

VulkanRig::~VulkanRig() {
    EXPECT_EQ(vk().messages.take(), "");
    EXPECT_EQ(vk_interpose::unsuitable_copies.load(), 0) << "places that this queue does not allow in copies";
}

std::byte *VulkanRig::shared_memory(std::size_t bytes) {
    const pixmpi::StageMap &map = pixmpi::runtime().stage.map();
    constexpr std::size_t header = 1 << 20; // what is before the data, amply
    return bytes + header <= map.bytes ? map.base + header : nullptr;
}

void VulkanRig::check(pixmpi::Surface &) { EXPECT_EQ(vk().messages.take(), ""); }

std::shared_ptr<pixmpi::Surface> VulkanRig::resolved(const vkMPI_Surface &named) {
    std::shared_ptr<pixmpi::Surface> surface;
    EXPECT_EQ(vkmpi::resolve(named, pixmpi::Direction::pack, surface), PIXMPI_SUCCESS) << pixMPI_Error_text();
    EXPECT_EQ(vkmpi::resolve(named, pixmpi::Direction::unpack, surface), PIXMPI_SUCCESS) << pixMPI_Error_text();
    return surface;
}

} // namespace vk_rig
