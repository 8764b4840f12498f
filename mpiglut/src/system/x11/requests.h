// The requests that a program writes to an X server, told apart and hashed, so that ranks can be compared one request
// at a time. Bytes that are garbage in every program are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpiglut::x11 {

/// Of bytes that come in pieces; how they are cut does not matter.
class Hash {
  public:
    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const;

  private:
    void mix(std::uint64_t word);

    std::uint64_t state_ = 0x9e3779b97f4a7c15ull, carry_ = 0, length_ = 0;
};

/// What one connection's requests come to.
class Requests {
  public:
    /// A request as ranks compare it: its major opcode in the upper 8 bits, its hash in the lower 24.
    using Word = std::uint32_t;
    static unsigned opcode(Word word) { return word >> 24; }

    /// Bytes that have been written; returns a word for each request that is complete with them.
    std::vector<Word> add(std::span<const std::byte> bytes);
    /// Their number, which is X's sequence number of the last one. The connection's set-up does not count.
    std::uint64_t complete() const { return complete_; }
    /// The major opcode of the last one.
    unsigned last() const { return last_; }

  private:
    /// Bytes from `begin` to `end` in rows of `stride`, of which the first `used` count.
    struct Mask {
        std::uint64_t begin = 0, end = 0, stride = 1, used = 0;
    };

    void begin();
    void find_length();
    bool may_be_glyphs() const;
    bool has_head() const;
    std::vector<Mask> masks() const;
    std::vector<Mask> masks_of_glyphs() const;
    void hash(std::span<const std::byte> bytes);
    std::uint32_t at(std::size_t offset, std::size_t size) const;

    std::vector<std::byte> head_; ///< the request's first bytes, from which follows what is left out
    std::uint64_t length_ = 0;    ///< of the request; 0: not known yet
    std::uint64_t hashed_ = 0;    ///< bytes of it
    std::vector<Mask> masks_;     ///< in order
    std::size_t passed_ = 0;      ///< of them
    Hash hash_;
    bool set_up_ = false; ///< the connection is
    std::uint64_t complete_ = 0;
    unsigned last_ = 0;
};

/// "PolyLine (opcode 65)"
std::string name_of_request(unsigned opcode);

// Which request of this rank's program is another one than rank 0's (differences.cpp).

/// Of requests that one operation has completed, `before` having been complete on the connection; empty where all are
/// the same. Where there are more on one side, the first of these.
std::string first_difference(int connection, std::uint64_t before, std::span<const Requests::Word> mine,
                             std::span<const Requests::Word> theirs);

/// Tells rank 0 of the first one on each connection, which counts as a divergence. The program goes on.
void report_difference(int connection, std::uint64_t before, std::span<const Requests::Word> mine,
                       std::span<const Requests::Word> theirs);

} // namespace mpiglut::x11
