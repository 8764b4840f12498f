// Whether a dispatch of this device can wait for messages while it runs.
#include "device/vulkan_device.h"

#include "endpoint/trial.h"

#include <cstring>

namespace vkmpi {

using namespace pixmpi;

namespace {

/// What shaders/running.comp is bound to.
struct Blocks {
    std::unique_ptr<Buffer> answers, said, payload;
};

Status make_blocks(VulkanDevice &device, Blocks &blocks) {
    if (const Status status = Buffer::make_scratch(device, Trial::bytes, blocks.answers, Place::near))
        return status;
    if (const Status status = Buffer::make_scratch(device, Trial::bytes, blocks.said, Place::host))
        return status;
    if (const Status status = Buffer::make_window(device, Trial::bytes, true, blocks.payload))
        return status;
    for (const auto *buffer : {&blocks.answers, &blocks.said})
        std::memset((*buffer)->mapped(), 0, Trial::bytes);
    order_stores();
    return PIXMPI_SUCCESS;
}

Status begin_waiting(VulkanDevice &device, const Blocks &blocks, Batch *&batch) {
    if (const Status status = device.batches.acquire(batch))
        return status;
    const Span buffers[] = {{blocks.answers->name(), 0, Trial::bytes},
                            {blocks.said->name(), 0, Trial::bytes},
                            {blocks.payload->name(), 0, Trial::bytes}};
    Semaphores waits, signals; // none
    Status status = device.shaders.run_waiting(*batch, buffers, Trial::turns, Trial::looks);
    if (!status)
        status = device.batches.submit(*batch, waits, signals);
    device.batches.release(*batch);
    return status;
}

} // namespace

Status VulkanDevice::fill(const Buffer &buffer, std::uint32_t word) {
    Batch *batch = nullptr;
    if (const Status status = batches.acquire(batch))
        return status;
    vk.CmdFillBuffer(batch->commands, buffer.name(), 0, VK_WHOLE_SIZE, word);
    Semaphores waits, signals; // none
    const Status status = batches.submit(*batch, waits, signals);
    batches.release(*batch);
    if (status)
        return status;
    return batches.wait(batch->number, Trial::patience)
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_DEVICE, "Vulkan: filling a buffer does not end");
}

Status VulkanDevice::try_to_run(bool &works) {
    Blocks blocks;
    Batch *waiting = nullptr;
    if (const Status status = make_blocks(*this, blocks))
        return status;
    Status status = begin_waiting(*this, blocks, waiting);
    Trial trial(blocks.answers->mapped(), blocks.said->mapped());
    if (!status)
        status = trial.answer(
            [&](bool &over) {
                std::uint64_t reached = 0;
                const Status failed = batches.progress(reached);
                over = reached >= waiting->number;
                return failed;
            },
            [&](std::uint32_t turn) { return message_device->fill(*blocks.payload, turn); });
    if (waiting && !batches.wait(waiting->number, Trial::patience) && !status)
        status = fail(PIXMPI_ERR_DEVICE, "a dispatch does not end");
    works = !status && trial.succeeded();
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
