// Frames: messages in a stream of bytes. Each is the length of its payload (4 bytes), its head and its payload
// (packing.h). And the two ends of a socket that nothing here waits at.
//
// A `Frame` is a struct of two members: the head, which has parts() or is a number, and the payload.
#pragma once

#include "run/packing.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mpiglut {

template <class Bytes, class Head> Bytes encode_frame(const Head &head, std::span<const std::byte> payload) {
    Writer<Bytes> writer;
    writer(static_cast<std::uint32_t>(payload.size()), head);
    Bytes bytes = writer.finish();
    const auto *const first = reinterpret_cast<const typename Bytes::value_type *>(payload.data());
    bytes.insert(bytes.end(), first, first + payload.size());
    return bytes;
}

/// Parses the frame that `bytes` begin with. Returns how many bytes it has. 0: it has not come whole, or is broken:
/// longer than `longest`, or with a head that makes no sense.
template <class Frame>
std::size_t parse_frame(std::string_view bytes, std::size_t longest, Frame &frame, bool &is_broken) {
    auto &[head, payload] = frame;
    static const std::size_t before = encode_frame<std::string>(head, {}).size();
    if (bytes.size() < before)
        return 0;
    std::uint32_t size = 0;
    Reader reader(std::as_bytes(std::span(bytes.substr(0, before))));
    reader(size, head);
    is_broken = size > longest || !reader.complete();
    if (is_broken || bytes.size() - before < size)
        return 0;
    const auto *const first = reinterpret_cast<const std::decay_t<decltype(*payload.data())> *>(bytes.data() + before);
    payload.assign(first, first + size);
    return before + size;
}

/// Bytes that are added at one end and leave at the other one.
class ByteQueue {
  public:
    void add(std::string_view bytes) { bytes_.append(bytes); }
    void remove(std::size_t count);
    void clear() { remove(size()); }
    std::string_view waiting() const { return std::string_view(bytes_).substr(removed_); }
    std::size_t size() const { return bytes_.size() - removed_; }
    bool empty() const { return size() == 0; }

  private:
    std::string bytes_;
    std::size_t removed_ = 0; ///< from the beginning; their room is given back now and then
};

/// Sends what the socket takes now. False: the other end has gone.
bool send_some(int socket, ByteQueue &queue);
/// What has come, of one read; empty: nothing. No value: the other end has gone.
using ReadingRoom = std::array<char, 65536>;
std::optional<std::string_view> receive_some(int socket, ReadingRoom &room);

/// Cuts a stream of bytes into frames.
template <class Frame> class Unframer {
  public:
    static constexpr std::size_t longest_default = 16u << 20;
    /// No frame may be longer than `longest`, so that a stranger cannot make us keep what it sends.
    void limit(std::size_t longest) { longest_ = longest; }
    void feed(std::string_view bytes) { queue_.add(bytes); }
    std::optional<Frame> next() {
        Frame frame;
        const std::size_t used = broken_ ? 0 : parse_frame(queue_.waiting(), longest_, frame, broken_);
        queue_.remove(used);
        return used ? std::optional(std::move(frame)) : std::nullopt;
    }
    bool broken() const { return broken_; }

  private:
    ByteQueue queue_;
    std::size_t longest_ = longest_default;
    bool broken_ = false;
};

} // namespace mpiglut
