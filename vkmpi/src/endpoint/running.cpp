// Whether a dispatch of this device can wait for messages while it runs: no specification promises it.
#include "device/vulkan_device.h"

#include "endpoint/published.h"

#include <chrono>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr std::uint32_t turns = 3, looks = 20000; // some 15 ms on a card
constexpr std::size_t bytes = 256;
constexpr double patience = 5;

/// What shaders/running.comp is bound to.
struct Blocks {
    std::unique_ptr<Buffer> answers, said, payload;
    std::uint32_t &answer() const { return *reinterpret_cast<std::uint32_t *>(answers->mapped()); }
    std::uint32_t &word(std::size_t i) const { return reinterpret_cast<std::uint32_t *>(said->mapped())[i]; }
    std::uint32_t &turn() const { return word(0); }
    bool good() const { return look_at(word(1)) == 1 && look_at(word(2)) == 0; }
};

Status make_blocks(VulkanDevice &device, Blocks &blocks) {
    if (const Status status = Buffer::make_scratch(device, bytes, blocks.answers, Place::near))
        return status;
    if (const Status status = Buffer::make_scratch(device, bytes, blocks.said, Place::host))
        return status;
    if (const Status status = Buffer::make_window(device, bytes, true, blocks.payload))
        return status;
    blocks.answer() = 0;
    for (std::size_t i = 0; i < 3; ++i)
        blocks.word(i) = 0;
    order_stores();
    return PIXMPI_SUCCESS;
}

Status begin_waiting(VulkanDevice &device, const Blocks &blocks, Batch *&batch) {
    if (const Status status = device.batches.take(batch))
        return status;
    const Span buffers[] = {
        {blocks.answers->name(), 0, bytes}, {blocks.said->name(), 0, bytes}, {blocks.payload->name(), 0, bytes}};
    Semaphores waits, signals; // none
    Status status = device.shaders.run_waiting(*batch, buffers, turns, looks);
    if (!status)
        status = device.batches.submit(*batch, waits, signals);
    device.batches.give(*batch);
    return status;
}

} // namespace

Status VulkanDevice::fill(const Buffer &buffer, std::uint32_t word) {
    Batch *batch = nullptr;
    if (const Status status = batches.take(batch))
        return status;
    vk.CmdFillBuffer(batch->commands, buffer.name(), 0, VK_WHOLE_SIZE, word);
    Semaphores waits, signals; // none
    const Status status = batches.submit(*batch, waits, signals);
    batches.give(*batch);
    if (status)
        return status;
    return batches.wait(batch->number, patience) ? PIXMPI_SUCCESS
                                                 : fail(PIXMPI_ERR_DEVICE, "Vulkan: filling a buffer does not end");
}

Status VulkanDevice::try_to_run(bool &works) {
    Blocks blocks;
    Batch *waiting = nullptr;
    if (const Status status = make_blocks(*this, blocks))
        return status;
    Status status = begin_waiting(*this, blocks, waiting);
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t turn = 0; turn < turns && !status;) {
        std::uint64_t reached = 0;
        status = batches.progress(reached);
        if (!status && look_at(blocks.turn()) == turn + 1) {
            status = message_device->fill(*blocks.payload, ++turn);
            publish(blocks.answer(), turn);
        } else if (reached >= waiting->number || std::chrono::steady_clock::now() - begin > std::chrono::seconds(5)) {
            break;
        }
    }
    if (waiting && !batches.wait(waiting->number, patience) && !status)
        status = fail(PIXMPI_ERR_DEVICE, "a dispatch does not end");
    works = !status && blocks.good();
    return status;
}

bool VulkanDevice::shows_writes() {
    if (software)
        return true;
    if (!message_device || !(queue_flags & VK_QUEUE_COMPUTE_BIT))
        return false;
    if (!shows_writes_) {
        bool works = false;
        if (const Status status = try_to_run(works))
            core().log(PIXMPI_LOG_INFO,
                       (std::string("vkmpi: trying a dispatch that waits: ") + pixMPI_Error_text()).c_str());
        shows_writes_ = works;
    }
    return *shows_writes_;
}

} // namespace vkmpi
