#include "gpu/peer_memory.h"

#include "base/log.h"
#include "process/process.h"

#include <algorithm>
#include <unistd.h>

namespace pixmpi {
namespace {

constexpr std::size_t unit = std::size_t{64} << 10;
constexpr std::size_t least = std::size_t{4} << 20;

/// How much open() tries to make first.
std::size_t planned(const Device &device, std::size_t bytes) {
    const std::size_t usual = std::size_t{device.near_host() ? 64u : 1024u} << 20;
    return std::max(bytes ? bytes : usual, least) / (2 * unit) * (2 * unit);
}

/// And what it tries to make last.
std::size_t enough(std::size_t wanted) { return std::min(wanted, 16 * least); }

/// Others need not keep it mapped any more.
bool has_gone(const Peer &peer, std::uint32_t number) {
    return peer.ended() || (peer.stage().base && !peer.stage().gpu_memories().has(number));
}

} // namespace

std::uint64_t Gpu::hash() const {
    if (!*this)
        return 0;
    const auto text = [](const auto &uuid) {
        return std::string_view(reinterpret_cast<const char *>(uuid.data()), uuid.size());
    };
    const std::uint64_t h = pixmpi::hash(text(driver), pixmpi::hash(text(device)));
    return h ? h : 1;
}

std::shared_ptr<PeerMemory> PeerMemory::of(const std::shared_ptr<Device> &device) {
    static std::uint32_t last = 0;
    const StageMap &map = process().stage.map();
    if (!device->peer_memory && device->gpu() && map.base)
        if (const std::uint32_t number = map.gpu_memories().add(last))
            device->peer_memory = std::make_shared<PeerMemory>(*device, number);
    return device->peer_memory;
}

PeerMemory::PeerMemory(Device &device, std::uint32_t number_)
    : number(number_), device_(device), units_(new Units, [number_](Units *units) {
          delete units;
          process().stage.map().gpu_memories().remove(number_);
      }) {}

PeerMemory::~PeerMemory() {
    if (descriptor_ >= 0)
        close(descriptor_);
}

std::size_t PeerMemory::certain_landing_room(std::size_t bytes) const {
    constexpr std::size_t messages = 2; // at least so many land at once
    if (device_.near_host() || !CudaGpu::possible())
        return 0;
    return (tried_ ? units_->bytes() : enough(planned(device_, bytes))) / 2 / messages;
}

bool PeerMemory::open(std::size_t bytes) {
    if (tried_)
        return memory_ != nullptr;
    tried_ = true;
    gpu_ = device_.near_host() ? nullptr : CudaGpu::find(device_.gpu());
    const std::size_t wanted = planned(device_, bytes), last = enough(wanted);
    for (std::size_t size = wanted; gpu_ && size >= last && !cuda_; size /= 2)
        make_by_cuda(size);
    for (std::size_t size = wanted; !cuda_ && size >= last && !memory_; size /= 2)
        make_by_driver(size);
    if (!memory_) {
        cuda_.reset();
        log_line(PIXMPI_LOG_INFO, "%s: its memory cannot be shared with other processes", device_.name());
    }
    return memory_ != nullptr;
}

// CUDA's memory is what other GPUs can copy from.
void PeerMemory::make_by_cuda(std::size_t bytes) {
    if (process().gpu_aware) // MPI may let a network card at it
        cuda_ = CudaMemory::make(*gpu_, bytes, true);
    if (!cuda_)
        cuda_ = CudaMemory::make(*gpu_, bytes);
    if (!cuda_)
        return;
    descriptor_ = cuda_->descriptor();
    if (descriptor_ >= 0 && device_.import_memory(descriptor_, cuda_->bytes(), memory_) == PIXMPI_SUCCESS)
        *units_ = Units(bytes, unit);
    else
        let_go();
}

// Drivers' own memory serves processes on the same GPU.
void PeerMemory::make_by_driver(std::size_t bytes) {
    if (device_.export_memory(bytes, memory_, descriptor_) == PIXMPI_SUCCESS)
        *units_ = Units(bytes, unit);
    else
        let_go();
}

void PeerMemory::let_go() {
    memory_.reset();
    if (descriptor_ >= 0)
        close(descriptor_);
    descriptor_ = -1;
}

Descriptors::Sent PeerMemory::offer(Descriptors &descriptors, std::uint64_t owner, const Peer &to,
                                    std::uint32_t device) const {
    DescriptorLabel label = this->label();
    label.owner = owner;
    label.device = device;
    return descriptors.send(to.card.id, label, descriptor_);
}

DescriptorLabel PeerMemory::label() const {
    DescriptorLabel label;
    label.bytes = cuda_ ? cuda_->bytes() : units_->bytes();
    label.gpu = device_.gpu().hash();
    label.memory = number;
    label.cuda = cuda_ ? 1 : 0;
    return label;
}

std::shared_ptr<RemoteMemory> PeerMemory::find(const Peer &peer, std::uint32_t memory) {
    for (const auto &one : remotes_)
        if (one->number == memory && one->owner.get() == &peer)
            return one;
    return nullptr;
}

std::shared_ptr<RemoteMemory> PeerMemory::reach(Process &process, const std::shared_ptr<const Peer> &peer,
                                                std::uint32_t memory) {
    DescriptorLabel label;
    const int descriptor = process.descriptors.claim(peer->card.id, memory, number, label);
    if (auto known = find(*peer, memory)) { // several messages have asked at once
        if (descriptor >= 0)
            close(descriptor);
        return known;
    }
    // Only ours: no message is under way there.
    std::erase_if(remotes_, [](const auto &one) { return one.use_count() == 1 && has_gone(*one->owner, one->number); });
    auto remote = std::make_shared<RemoteMemory>();
    remote->owner = peer;
    remote->number = memory;
    bool reached = false;
    if (peer->is_self() && memory == number && memory_) {
        remote->memory = memory_.get();
        remote->bytes = units_->bytes();
        reached = true;
    } else if (descriptor >= 0) {
        reached = import(*remote, descriptor, label);
    }
    if (descriptor >= 0)
        close(descriptor);
    if (!reached) {
        log_line(PIXMPI_LOG_INFO,
                 "%s: the GPU memory of process %d (%s) cannot be reached; messages take shared memory", device_.name(),
                 peer->card.pid, peer->card.host_name);
        return nullptr;
    }
    remotes_.push_back(remote);
    return remote;
}

PeerMemory::Reached &PeerMemory::reached(const Peer &peer, std::uint32_t device) {
    const std::uint64_t id = peer.card.id;
    const auto [answer, is_new] = answers_.try_emplace({id, device});
    if (is_new) // those of processes that have gone
        std::erase_if(answers_,
                      [&](const auto &one) { return one.first.first != id && !process().knows(one.first.first); });
    return answer->second;
}

std::shared_ptr<RemoteMemory> PeerMemory::see(const PeerMemory &other) {
    std::erase_if(seen_, [](const Seen &one) { return one.of.expired(); });
    for (const Seen &one : seen_)
        if (one.of.lock() == other.units_)
            return one.memory;
    auto made = std::make_shared<RemoteMemory>();
    made->number = other.number;
    if (other.descriptor_ < 0 || !import(*made, other.descriptor_, other.label())) {
        made.reset();
        log_line(PIXMPI_LOG_INFO, "%s: does not reach memory of %s; copies go through host memory", device_.name(),
                 other.device_.name());
    }
    seen_.push_back({other.units_, made});
    return made;
}

bool PeerMemory::import(RemoteMemory &remote, int descriptor, const DescriptorLabel &label) {
    remote.bytes = static_cast<std::size_t>(label.bytes);
    if (label.gpu == device_.gpu().hash()) {
        remote.memory = device_.import_memory(descriptor, remote.bytes, remote.own) ? nullptr : remote.own.get();
        return remote.memory != nullptr;
    }
    if (!label.cuda || !cuda_)
        return false;
    remote.mapped = CudaMemory::import(*gpu_, descriptor, remote.bytes);
    if (remote.mapped)
        remote.stream = CudaStream::make(*gpu_, 1);
    return remote.stream != nullptr;
}

bool PeerMemory::needs_copies(const Device &device, std::uint64_t bytes) {
    constexpr std::uint64_t much = 1 << 20, more_than_a_little = 128 << 10;
    return device.gpu() && !device.near_host() && CudaGpu::possible() &&
           bytes >= (device.reaches_shared() ? much : more_than_a_little);
}

std::uint64_t PeerMemory::address_of(const StageMap &map, const std::shared_ptr<const Peer> &owner) {
    for (const HostMemory &one : host_memories_)
        if (one.base == map.base && one.owner == owner)
            return one.memory ? one.memory->address() : 0;
    // Processes without another reference have gone.
    std::erase_if(host_memories_, [](const HostMemory &one) { return one.owner && one.owner.use_count() == 1; });
    HostMemory made{map.base, owner, cuda_ ? CudaHostMemory::make(*gpu_, map.base, map.bytes) : nullptr};
    host_memories_.push_back(std::move(made));
    const auto &memory = host_memories_.back().memory;
    return memory ? memory->address() : 0;
}

CudaStream *PeerMemory::host_stream(Direction direction) {
    auto &stream = host_streams_[direction == Direction::pack ? 0 : 1];
    if (!stream && cuda_)
        stream = CudaStream::make(*gpu_, 2);
    return stream.get();
}

void PeerMemory::wake_rested() {
    constexpr std::chrono::seconds certain_end{1};
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(resting_, [&](const Resting &one) { return now - one.since > certain_end; });
}

bool GpuAllocation::allocate(PeerMemory &memory, GpuHalf half, std::size_t bytes) {
    if (!memory.resting_.empty())
        memory.wake_rested();
    const std::size_t from = half == GpuHalf::sending ? 0 : memory.half();
    if (!memory.units_->allocate(bytes, from, from + memory.room(half), offset_))
        return false;
    units_ = memory.units_;
    cuda_ = memory.cuda_;
    bytes_ = bytes;
    return true;
}

void GpuAllocation::free() {
    if (units_)
        units_->free(offset_, bytes_);
    units_.reset();
    cuda_.reset();
}

} // namespace pixmpi
