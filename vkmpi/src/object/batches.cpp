#include "object/batches.h"

#include "device/vulkan_device.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vkmpi {

Status Batches::open() {
    const Vk &vk = device_.vk;
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = device_.info.queue_family;
    if (const Status status =
            device_.check(vk.CreateCommandPool(device_.info.device, &pool, nullptr, &pool_), "vkCreateCommandPool"))
        return status;
    return make_timeline(timeline_);
}

Status Batches::make_timeline(VkSemaphore &timeline) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    semaphore.pNext = &type;
    return device_.check(device_.vk.CreateSemaphore(device_.info.device, &semaphore, nullptr, &timeline),
                         "vkCreateSemaphore");
}

// Behind the last batch the queue may still wait for its semaphore, which is about to be destroyed.
Status Batches::count_last() {
    if (const Status status = device_.submit(VK_NULL_HANDLE, timeline_, last_ + 1))
        return status;
    ++last_;
    uncounted_ = false;
    return PIXMPI_SUCCESS;
}

bool Batches::finish() {
    constexpr double patience = 10;
    if (uncounted_ && count_last() && !device_.lost())
        return false;
    return !timeline_ || last_ == 0 || wait(last_, patience) || !goes_on(last_);
}

void Batches::destroy() {
    const Vk &vk = device_.vk;
    overdue_ = 0;
    destroy_retired();
    for (const auto &batch : batches_)
        vk.DestroyDescriptorPool(device_.info.device, batch->sets, nullptr);
    batches_.clear();
    for (Spare &spare : spare_)
        spare.pop_all();
    for (VkSemaphore one : {timeline_, gate_})
        vk.DestroySemaphore(device_.info.device, one, nullptr);
    vk.DestroyCommandPool(device_.info.device, pool_, nullptr);
}

Status Batches::acquire(Batch *&batch) {
    pixmpi::need_lock("a device's batches were used");
    const Vk &vk = device_.vk;
    std::uint64_t over = 0;
    if (const Status status = progress(over))
        return status;
    for (const auto &one : batches_)
        if (is_idle(*one))
            lend(*one);
    auto found = std::find_if(batches_.begin(), batches_.end(), [&](const auto &one) { return is_idle(*one); });
    if (found == batches_.end()) {
        auto made = std::make_unique<Batch>();
        VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        info.commandPool = pool_;
        info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        info.commandBufferCount = 1;
        if (const Status status = device_.check(vk.AllocateCommandBuffers(device_.info.device, &info, &made->commands),
                                                "vkAllocateCommandBuffers"))
            return status;
        found = batches_.insert(batches_.end(), std::move(made));
    }
    Batch &one = **found;
    if (one.sets)
        vk.ResetDescriptorPool(device_.info.device, one.sets, 0);
    if (one.begun) // given up before it was submitted
        vk.ResetCommandBuffer(one.commands, 0);
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (const Status status = device_.check(vk.BeginCommandBuffer(one.commands, &begin), "vkBeginCommandBuffer"))
        return status;
    one.in_use = one.begun = true;
    one.ahead = one.shows = false;
    one.first = {};
    one.dispatches.clear();
    one.taken.clear();
    one.uploads.clear();
    batch = &one;
    return PIXMPI_SUCCESS;
}

// What an idle batch has of small memory is there for the others.
void Batches::lend(Batch &idle) {
    idle.work.clear();
    for (const auto &[memory, place] :
         {std::pair{&Batch::scratch, Place::device}, std::pair{&Batch::list, Place::host}})
        if (std::unique_ptr<Buffer> &buffer = idle.*memory; buffer && buffer->bytes() <= Spare::small)
            spare(place).give_back(std::move(buffer));
}

void Batches::drop_idle() {
    device_.shaders.drop_lists();
    for (const auto &batch : batches_)
        if (is_idle(*batch)) {
            batch->work.clear();
            for (auto *buffer : {&batch->scratch, &batch->list, &batch->carry, &batch->sizes})
                buffer->reset();
            batch->image.reset();
        }
    for (Spare &spare : spare_)
        spare.pop_all();
}

// What is idle makes room. The only batch under way gets what it needs: nobody of the device would make room for it.
template <class Make> Status Batches::make_room(Make make) {
    const Status status = make(false);
    if (status != PIXMPI_ERR_MEMORY)
        return status;
    drop_idle();
    return make(std::count_if(batches_.begin(), batches_.end(), [&](const auto &one) { return !is_idle(*one); }) <= 1);
}

// A driver takes some tenths of a millisecond to make memory or to free it, so what one batch or one region's list no
// longer needs serves others. When nobody has a buffer any more, the batches that read it are over.
std::shared_ptr<Buffer> Batches::share(std::unique_ptr<Buffer> buffer, Place place) {
    return {buffer.release(), [this, place](Buffer *shared) {
                std::unique_ptr<Buffer> back(shared);
                if (!is_overdue())
                    spare(place).give_back(std::move(back));
            }};
}

template <class Make>
Status Batches::reuse_or_make(Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer, Make make) {
    constexpr std::size_t least = 4 << 10;
    const std::size_t roomy = std::max(bytes < Spare::small ? std::bit_ceil(bytes) : bytes, least);
    if (auto idle = spare(place).pop(roomy)) {
        buffer = std::move(*idle);
        return PIXMPI_SUCCESS;
    }
    return make(roomy);
}

std::shared_ptr<Buffer> Batches::borrow(Place place, std::size_t bytes) {
    std::unique_ptr<Buffer> buffer;
    const Status status = reuse_or_make(place, bytes, buffer,
                                        [&](std::size_t roomy) { return Buffer::make(device_, place, roomy, buffer); });
    return status ? nullptr : share(std::move(buffer), place);
}

Status Batches::need(Batch &batch, std::unique_ptr<Buffer> Batch::*memory, Place place, std::size_t bytes) {
    std::unique_ptr<Buffer> &buffer = batch.*memory;
    if (buffer && std::ranges::find(batch.taken, buffer.get()) != batch.taken.end())
        batch.work.push_back(share(std::move(buffer), place));
    if (!buffer || buffer->bytes() < bytes) {
        if (buffer)
            spare(place).give_back(std::move(buffer));
        const Status status = reuse_or_make(place, bytes, buffer, [&](std::size_t roomy) {
            return make_room([&](bool alone) { return Buffer::make(device_, place, roomy, buffer, alone); });
        });
        if (status)
            return status;
    }
    batch.taken.push_back(buffer.get());
    return PIXMPI_SUCCESS;
}

Status Batches::need(std::unique_ptr<ScratchImage> &image, unsigned unit, const ScratchImage::Size &size) {
    if (image && image->suits(unit, size))
        return PIXMPI_SUCCESS;
    // Bands that differ a little take turns: what is made now serves those before, too.
    const ScratchImage::Size made = image ? image->grown(unit, size) : size;
    image.reset();
    return make_room([&](bool alone) { return ScratchImage::make(device_, unit, made, image, alone); });
}

Status Batches::submit(Batch &batch, Semaphores &waits, Semaphores &signals) {
    pixmpi::need_lock("a device's batches were used");
    let_go(); // what follows it on the queue would wait as well
    return submit_now(batch, waits, signals);
}

// The host writes after it has submitted: so a barrier says that the commands read it.
Status Batches::prepare_ahead(Batch &batch) {
    constexpr std::size_t bytes = Batch::most_ahead * sizeof(VkDispatchIndirectCommand);
    if (!gate_)
        if (const Status status = make_timeline(gate_))
            return status;
    if (!batch.sizes)
        if (const Status status =
                Buffer::make_scratch(device_, bytes, batch.sizes, Place::host, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT))
            return status;
    std::memset(batch.sizes->mapped(), 0, bytes);
    batch.ahead = true;
    VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    written.srcAccessMask = VK_ACCESS_HOST_WRITE_BIT;
    written.dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    batch.first.memory = written;
    batch.first.from |= VK_PIPELINE_STAGE_HOST_BIT;
    batch.first.to |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT; // and no shader: that takes a GPU 1 to 5 microseconds more
    return PIXMPI_SUCCESS;
}

Status Batches::dispatch_ahead(Batch &batch, const VkDispatchIndirectCommand &size) const {
    if (batch.dispatches.size() == Batch::most_ahead)
        return pixmpi::fail(PIXMPI_ERR_DEVICE, "Vulkan: too many dispatches for a batch that waits");
    device_.vk.CmdDispatchIndirect(batch.commands, batch.sizes->name(), batch.dispatches.size() * sizeof size);
    batch.dispatches.push_back(size);
    return PIXMPI_SUCCESS;
}

Status Batches::submit_ahead(Batch &batch, AheadOwner &owner) {
    pixmpi::need_lock("a device's batches were used");
    let_go();
    Semaphores waits, signals;
    waits.add(gate_, gate_value_ + 1);
    if (const Status status = submit_now(batch, waits, signals))
        return status;
    owner_ = &owner;
    waiting_ = true;
    return PIXMPI_SUCCESS;
}

Status Batches::go_on() {
    VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    signal.semaphore = gate_;
    signal.value = gate_value_ + 1;
    if (const Status status =
            device_.check(device_.vk.SignalSemaphore(device_.info.device, &signal), "vkSignalSemaphore"))
        return status;
    ++gate_value_;
    owner_ = nullptr;
    waiting_ = false;
    return PIXMPI_SUCCESS;
}

void Batches::flush(Batch &batch) const {
    const Dependencies &first = batch.first;
    if (first.any())
        device_.vk.CmdPipelineBarrier(batch.commands, first.from, first.to, 0, first.memory ? 1 : 0,
                                      first.memory ? &*first.memory : nullptr, first.buffer ? 1 : 0,
                                      first.buffer ? &*first.buffer : nullptr, 0, nullptr);
    batch.first = {};
}

void Batches::show_all(VkCommandBuffer commands) const {
    constexpr VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkMemoryBarrier one{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, all, all};
    device_.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                                  1, &one, 0, nullptr, 0, nullptr);
}

Status Batches::submit_now(Batch &batch, Semaphores &waits, Semaphores &signals) {
    const Vk &vk = device_.vk;
    const bool shows_later = batch.shows && !device_.software;
    flush(batch);
    if (batch.shows && !shows_later)
        show_all(batch.commands);
    if (const Status status = device_.check(vk.EndCommandBuffer(batch.commands), "vkEndCommandBuffer"))
        return status;
    signals.add(timeline_, last_ + 1);
    stages_.assign(waits.names.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.waitSemaphoreValueCount = static_cast<std::uint32_t>(waits.values.size());
    values.pWaitSemaphoreValues = waits.values.data();
    values.signalSemaphoreValueCount = static_cast<std::uint32_t>(signals.values.size());
    values.pSignalSemaphoreValues = signals.values.data();
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.pNext = &values;
    info.waitSemaphoreCount = static_cast<std::uint32_t>(waits.names.size());
    info.pWaitSemaphores = waits.names.data();
    info.pWaitDstStageMask = stages_.data();
    info.commandBufferCount = 1;
    info.pCommandBuffers = &batch.commands;
    info.signalSemaphoreCount = static_cast<std::uint32_t>(signals.names.size());
    info.pSignalSemaphores = signals.names.data();
    // A submission that waits for the batch, and has nothing to do: what the batch has written is there for all that
    // follows on the queue, as behind a barrier, which takes graphics queues 5 microseconds more. It has a number, which
    // no batch has, only where finish() would need the program's lock to give it one.
    const std::uint64_t numbers[] = {last_ + 1, last_ + 2};
    const bool counts = device_.info.lock_queue;
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo shown{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    VkSubmitInfo showing{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    showing.pNext = &shown;
    showing.waitSemaphoreCount = shown.waitSemaphoreValueCount = 1;
    showing.signalSemaphoreCount = shown.signalSemaphoreValueCount = counts ? 1 : 0;
    showing.pWaitSemaphores = showing.pSignalSemaphores = &timeline_;
    showing.pWaitDstStageMask = &all;
    shown.pWaitSemaphoreValues = &numbers[0];
    shown.pSignalSemaphoreValues = &numbers[1];
    const VkSubmitInfo both[] = {info, showing};
    const Status status = device_.submit({both, shows_later ? std::size_t{2} : std::size_t{1}});
    signals.names.pop_back();
    signals.values.pop_back();
    if (status)
        return status;
    batch.begun = false;
    batch.number = last_ + 1;
    last_ += shows_later && counts ? 2 : 1;
    uncounted_ = shows_later && !counts;
    return PIXMPI_SUCCESS;
}

Status Batches::progress(std::uint64_t &number) {
    number = reached_;
    if (device_.lost())
        return device_.check(VK_ERROR_DEVICE_LOST, "an earlier call");
    if (reached_ == last_)
        return PIXMPI_SUCCESS;
    std::uint64_t value = 0;
    if (const Status status = device_.check(device_.vk.GetSemaphoreCounterValue(device_.info.device, timeline_, &value),
                                            "vkGetSemaphoreCounterValue"))
        return status;
    number = std::min<std::uint64_t>(value, last_); // a lost device may say anything
    reach(number);
    return PIXMPI_SUCCESS;
}

void Batches::reach(std::uint64_t number) {
    reached_ = std::max<std::uint64_t>(reached_, number);
    if (!retired_.empty() && reached_ >= overdue_)
        destroy_retired();
}

void Batches::destroy_retired() {
    for (const auto &destroy : std::exchange(retired_, {}))
        destroy();
}

VkResult Batches::wait_for(std::uint64_t number, double seconds) const {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &number;
    return device_.vk.WaitSemaphores(device_.info.device, &info, static_cast<std::uint64_t>(seconds * 1e9));
}

bool Batches::wait(std::uint64_t number, double seconds) {
    if (number <= reached_)
        return true;
    let_go();
    const VkResult result = wait_for(number, seconds);
    if (result == VK_SUCCESS)
        reach(number);
    else if (result == VK_TIMEOUT)
        overdue_ = last_;
    else
        device_.check(result, "vkWaitSemaphores");
    return result == VK_SUCCESS;
}

bool Batches::goes_on(std::uint64_t number) const { return number > reached_ && wait_for(number, 0) == VK_TIMEOUT; }

bool Batches::doze(double seconds) const {
    return last_ != reached_ && !device_.lost() && wait_for(reached_ + 1, seconds) >= 0;
}

} // namespace vkmpi
