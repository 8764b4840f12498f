#include "port_rig.h"

#include "base/lock.h"
#include "host/host_device.h"

#include <test_gpus.h>

#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ports {
namespace {

/// The process' own is used with the library's lock held: by this one thread, as long as the program runs.
[[maybe_unused]] const auto *const always = new Lock;

} // namespace

Process &opened_process() {
    static Process &opened = [&]() -> Process & {
        Process &made = process();
        made.card = make_card();
        if (made.stage.open(stage_bytes, made.card.id))
            std::abort();
        made.card.stage_descriptor = made.stage.descriptor();
        made.card.stage_bytes = made.stage.map().bytes;
        made.descriptors.open(made.card.id);
        made.descriptors.welcome(made.card.id, made.card.pid, made.card.uid);
        made.options.peer_bytes = std::size_t{64} << 20;
        return made;
    }();
    return opened;
}

std::shared_ptr<Peer> self() {
    static const std::shared_ptr<Peer> peer = [] {
        auto made = std::make_shared<Peer>(opened_process().card);
        made->map(&opened_process().stage.map());
        return made;
    }();
    return peer;
}

Child::Child() : pid_((opened_process(), fork())) {
    if (pid_ == 0)
        for (;;)
            pause();
    Card card = opened_process().card;
    card.pid = pid_;
    peer_ = std::make_shared<Peer>(card);
    if (!peer_->map(nullptr))
        std::abort();
}

void Child::end() {
    if (pid_ <= 0)
        return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

namespace {

class FileStage : public Stage {
  public:
    FileStage(std::byte *memory, std::size_t size) {
        host = memory;
        bytes = size;
    }
};

class FileMemory : public DeviceMemory {
  public:
    FileMemory(int file, std::size_t bytes)
        : bytes_(bytes),
          base_(static_cast<std::byte *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))) {}
    ~FileMemory() override { munmap(base_, bytes_); }
    FileMemory(const FileMemory &) = delete;
    FileMemory &operator=(const FileMemory &) = delete;
    Status make_stage(std::size_t offset, std::size_t bytes, std::unique_ptr<Stage> &stage) override {
        stage = std::make_unique<FileStage>(base_ + offset, bytes);
        return offset + bytes <= bytes_ ? PIXMPI_SUCCESS : PIXMPI_ERR_DEVICE;
    }

  private:
    const std::size_t bytes_;
    std::byte *const base_;
};

class FileGpu : public Device {
  public:
    explicit FileGpu(int number) {
        traits_.api = "test";
        traits_.name = "a GPU of files";
        traits_.band_bytes = 1 << 20;
        test_gpus::write_uuid(number, traits_.gpu.device.data());
    }
    bool usable() const override { return true; }
    Status make_stage(StageKind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) override {
        stage = std::make_unique<FileStage>(memory, bytes);
        return PIXMPI_SUCCESS;
    }
    Status make_transfer(Direction, std::shared_ptr<Surface>, std::shared_ptr<const Region>,
                         std::unique_ptr<Transfer> &) override {
        return PIXMPI_ERR_DEVICE;
    }
    Status make_scratch(pixMPI_Format, Extent, std::shared_ptr<Surface> &) override { return PIXMPI_ERR_DEVICE; }
    Status export_memory(std::size_t bytes, std::unique_ptr<DeviceMemory> &memory, int &descriptor) override {
        descriptor = memfd_create(test_gpus::memory_name, MFD_CLOEXEC);
        if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(bytes)) != 0)
            return PIXMPI_ERR_MEMORY;
        memory = std::make_unique<FileMemory>(descriptor, bytes);
        return PIXMPI_SUCCESS;
    }
    Status import_memory(int descriptor, std::size_t bytes, std::unique_ptr<DeviceMemory> &memory) override {
        memory = std::make_unique<FileMemory>(descriptor, bytes);
        return PIXMPI_SUCCESS;
    }
};

std::byte pattern(std::uint64_t band, std::size_t i) { return static_cast<std::byte>(band * 37 + i * 11 + i / 251); }

std::size_t length_of(const Shape &shape, const std::vector<std::size_t> &lengths, std::uint64_t k) {
    return lengths.empty() ? shape.plan.bands(shape.pixels).size(k) * static_cast<std::size_t>(shape.pixel_bytes)
                           : lengths[k];
}

} // namespace

std::shared_ptr<Device> make_gpu(int number) { return std::make_shared<FileGpu>(number); }

Shape of_any_length(std::uint64_t bands, std::size_t band_bytes) {
    constexpr std::uint64_t band_pixels = 1000;
    const std::uint64_t pixels = bands * band_pixels - 1;
    return {fit_lengths(StageMemory::largest(stage_bytes), band_pixels, band_bytes, pixels), pixels, 16};
}

const char *name_of(Place place) {
    constexpr const char *names[] = {"host", "same_gpu", "to_gpu", "through_host"};
    return names[static_cast<int>(place)];
}

Ends join(Place place, const Shape &shape, std::vector<std::shared_ptr<Peer>> peers) {
    Process &process = opened_process();
    const bool gpus = place != Place::host, by_peer = place == Place::same_gpu || place == Place::to_gpu;
    const auto make_device = [&](int number) { return gpus ? make_gpu(number) : host_device(); };
    std::vector<FlowSender::Receiver> receivers;
    std::vector<std::uint32_t> flows;
    for (const auto &peer : peers) {
        FlowAllocation flow;
        if (!flow.allocate(process.stage))
            std::abort();
        flows.push_back(flow.index());
        receivers.emplace_back(std::move(flow), peer);
    }
    FlowSender::Outgoing outgoing;
    outgoing.device = make_device(0);
    outgoing.peer_memory = gpus ? PeerMemory::of(outgoing.device) : nullptr;
    outgoing.by_peer = by_peer;
    outgoing.plan = shape.plan;
    outgoing.pixels = shape.pixels;
    outgoing.pixel_bytes = shape.pixel_bytes;
    Ends ends;
    ends.sender = std::make_unique<FlowSender>(process, std::move(receivers), std::move(outgoing));
    for (const std::uint32_t flow : flows) {
        FlowReceiver::Incoming incoming;
        incoming.peer = self();
        incoming.flow = flow;
        incoming.device = make_device(place == Place::same_gpu ? 0 : 1);
        incoming.peer_memory = gpus ? PeerMemory::of(incoming.device) : nullptr;
        incoming.by_peer = by_peer;
        incoming.pixels = shape.pixels;
        incoming.pixel_bytes = shape.pixel_bytes;
        incoming.lengths_vary = shape.plan.lengths_vary;
        ends.receivers.push_back(std::make_unique<FlowReceiver>(process, std::move(incoming)));
    }
    return ends;
}

Status Packer::step() {
    bool moved = false, yes = true;
    if (const Status error = port_.advance(moved))
        return error;
    while (!done()) {
        Slot slot;
        if (const Status error = port_.ready(next_, slot, yes); error || !yes)
            return error;
        const std::size_t bytes = length_of(shape_, lengths_, next_);
        for (std::size_t i = 0; i < bytes; ++i)
            slot.stage->host[slot.offset + i] = pattern(next_, i);
        if (const Status error = port_.pass(next_++, bytes))
            return error;
    }
    return PIXMPI_SUCCESS;
}

Status Unpacker::step() {
    bool moved = false, yes = false;
    if (const Status error = port_.advance(moved); error || done())
        return error;
    Slot slot;
    if (const Status error = port_.ready(next_, slot, yes); error || !yes)
        return error;
    const std::size_t bytes = length_of(shape_, lengths_, next_);
    wrong_ += slot.bytes != (lengths_.empty() ? 0 : bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        wrong_ += slot.stage->host[slot.offset + i] != pattern(next_, i);
    return port_.pass(next_++, bytes);
}

std::vector<std::size_t> random_lengths(const Shape &shape, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::size_t> lengths(shape.bands());
    for (std::size_t i = 0; i < lengths.size(); ++i)
        lengths[i] = i == 0 ? shape.plan.slot_bytes : i == 1 ? 1 : 1 + random() % shape.plan.slot_bytes;
    return lengths;
}

} // namespace ports
