#include "endpoint/packet_ring.h"

#include "request/envelope.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pixmpi {
namespace {

constexpr std::size_t most_ring = 64 << 10, least_ring = 4 << 10;

std::size_t record_bytes(std::size_t packet) { return sizeof(PacketRecord) + (packet + 7) / 8 * 8; }

std::byte *records(PacketRing *ring) { return reinterpret_cast<std::byte *>(ring + 1); }

/// No more than a sixteenth of the stage memory for all of them.
std::size_t choose_bytes(const StageMemory &memory, std::size_t receivers) {
    const std::size_t share = memory.map().bytes / 16 / std::max(receivers, std::size_t{1});
    return std::min(most_ring, std::bit_floor(share));
}

} // namespace

void PacketWriter::write(std::uint64_t at, const void *from, std::size_t count) {
    const std::size_t start = at % bytes_, first = std::min(count, bytes_ - start);
    const auto *const bytes = static_cast<const std::byte *>(from);
    std::memcpy(records(ring_) + start, bytes, first);
    if (first < count)
        std::memcpy(records(ring_), bytes + first, count - first);
}

bool PacketWriter::put(const Packet &packet) {
    const std::size_t whole = record_bytes(packet.bytes.size());
    const std::uint64_t under_way = written_ - ring_->consumed.load(std::memory_order_acquire);
    if (under_way > bytes_ || whole > bytes_ - under_way) // or its receiver writes nonsense
        return false;
    const PacketRecord record{static_cast<std::uint32_t>(packet.bytes.size()), packet.arrival.tag};
    write(written_, &record, sizeof record);
    write(written_ + sizeof record, packet.bytes.data(), packet.bytes.size());
    written_ += whole;
    ring_->written.store(written_);
    reader_->stage().presence().wake_if_wanted();
    return true;
}

void PacketWriter::send(Packets packet) {
    if (held_.empty() && put(packet.front()))
        return;
    held_bytes_ += packet.front().bytes.size();
    held_.splice(held_.end(), packet);
}

bool PacketWriter::flush() {
    bool any = false;
    while (!held_.empty() && put(held_.front())) {
        held_bytes_ -= held_.front().bytes.size();
        held_.pop_front();
        any = true;
    }
    if (!held_.empty() && (ring_->left.load(std::memory_order_acquire) || watch_.ended(*reader_))) {
        held_.clear();
        held_bytes_ = 0;
    }
    return any;
}

void PacketReader::read(std::uint64_t at, void *to, std::size_t count) const {
    const std::size_t start = at % bytes_, first = std::min(count, bytes_ - start);
    auto *const bytes = static_cast<std::byte *>(to);
    std::memcpy(bytes, records(ring_) + start, first);
    if (first < count)
        std::memcpy(bytes + first, records(ring_), count - first);
}

Status PacketReader::receive(int source, Packets &packets, bool &any) {
    any = false;
    const std::uint64_t there = ring_->written.load() - consumed_;
    if (there == 0)
        return PIXMPI_SUCCESS;
    PacketRecord record{};
    if (there <= bytes_ && there >= sizeof record)
        read(consumed_, &record, sizeof record);
    if (record.bytes == 0 || record.bytes > most_envelope || record_bytes(record.bytes) > there)
        return fail(PIXMPI_ERR_PEER, "process %d has written nonsense into its ring of packets", source);
    Packets received(1);
    Packet &packet = received.front();
    packet.bytes.resize(record.bytes);
    read(consumed_ + sizeof record, packet.bytes.data(), record.bytes);
    packet.arrival.source = source;
    packet.arrival.tag = record.tag;
    packet.arrival.bytes = record.bytes;
    consumed_ += record_bytes(record.bytes);
    ring_->consumed.store(consumed_, std::memory_order_release);
    packets.splice(packets.end(), received);
    any = true;
    return PIXMPI_SUCCESS;
}

PacketRings::PacketRings(StageMemory &memory, std::size_t receivers) {
    const std::size_t bytes = choose_bytes(memory, receivers);
    if (receivers == 0 || bytes < least_ring ||
        !allocation_.allocate(memory, whole(bytes) * receivers, Claim::speculative))
        return;
    bytes_ = bytes;
    for (std::size_t i = 0; i < receivers; ++i)
        new (allocation_.base() + i * whole(bytes)) PacketRing{};
}

PacketWriter *PacketRings::open(std::size_t receiver, std::shared_ptr<Peer> peer) {
    if (!allocation_)
        return nullptr;
    auto *const ring = reinterpret_cast<PacketRing *>(allocation_.base() + receiver * whole(bytes_));
    return &open_.emplace_back(ring, bytes_, std::move(peer));
}

bool PacketRings::flush() {
    bool any = false;
    for (PacketWriter &one : open_)
        any = (one.held_bytes() && one.flush()) || any;
    return any;
}

bool PacketRings::holds() const {
    return std::any_of(open_.begin(), open_.end(), [](const PacketWriter &one) { return one.held_bytes() != 0; });
}

bool PacketRings::idle() const {
    return std::all_of(open_.begin(), open_.end(), [](const PacketWriter &one) { return one.left(); });
}

PacketReader read_ring(const Peer &peer, std::uint64_t offset, std::uint64_t ring_bytes, std::size_t receiver) {
    const StageMap &stage = peer.stage();
    if (!stage.base || offset == 0 || offset % alignof(PacketRing) || !std::has_single_bit(ring_bytes) ||
        ring_bytes < least_ring || ring_bytes > most_ring || offset > stage.bytes ||
        (receiver + 1) * PacketRings::whole(ring_bytes) > stage.bytes - offset)
        return {};
    auto *const ring = stage.base + offset + receiver * PacketRings::whole(ring_bytes);
    return {reinterpret_cast<PacketRing *>(ring), ring_bytes};
}

} // namespace pixmpi
