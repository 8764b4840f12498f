// CUDA's memory and arrays for tests, filled and read without the library: by the driver that is there, the stand-in or
// NVIDIA's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cuda_rig {

/// Whether there is a driver with a GPU; else `reason` says why not.
bool is_there(std::string &reason);
/// How many GPUs there are. Ends the program where there is no driver.
int gpu_count();
/// Its name, and the 16 bytes of its UUID.
std::string name_of(int gpu, unsigned char *uuid);

/// What the stand-in makes late it makes so many microseconds late at most. Nothing on NVIDIA's driver.
void hurry(unsigned most);

/// Makes the GPU's context current, as long as it lives.
class Current {
  public:
    explicit Current(int gpu);
    ~Current();
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
};

/// A stream of the program, which does not wait for the legacy stream, nor that one for it.
class Stream {
  public:
    explicit Stream(int gpu);
    ~Stream();
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    void *name() const { return name_; }
    /// Captures a graph of what is submitted, in the mode that is the most sensitive to what else the process does.
    void begin_capture();
    /// Whether the graph is good.
    bool end_capture();

  private:
    const int gpu_;
    void *name_ = nullptr;
};

enum class Kind { device, managed, pinned };

class Memory {
  public:
    Memory(int gpu, Kind kind, std::size_t bytes);
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    void *address() const { return reinterpret_cast<void *>(address_); }
    /// Submitted to the stream, and over at any later time. `stream`: null: the legacy stream.
    void write(std::span<const std::byte> bytes, void *stream);
    /// What was submitted to the stream before is seen; waits.
    void read(std::span<std::byte> bytes, void *stream) const;

  private:
    const int gpu_;
    const Kind kind_;
    const std::size_t bytes_;
    std::uint64_t address_ = 0;
    mutable void *carry_ = nullptr; ///< pinned
};

/// What kernels do not reach, what they reach, and one layer of several: of a volume, and of a level of a mipmapped one.
enum class ArrayKind { plain, flat, solid, mipmapped };

class Array {
  public:
    /// `format`, `channels`: as CUDA counts them.
    Array(int gpu, std::size_t width, std::size_t height, int format, unsigned channels, ArrayKind kind);
    ~Array();
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    void *name() const { return name_; } ///< of the array, or of all levels
    unsigned level() const { return level_; }
    unsigned layer() const { return layer_; }
    /// Rows without gaps, `row_bytes` each; as those of Memory.
    void write(std::span<const std::byte> pixels, std::size_t row_bytes, void *stream);
    void read(std::span<std::byte> pixels, std::size_t row_bytes, void *stream) const;

  private:
    void copy(std::uint64_t address, std::size_t bytes, std::size_t row_bytes, bool into, void *stream) const;
    const int gpu_;
    const unsigned level_, layer_;
    void *name_ = nullptr, *pixels_ = nullptr;
};

} // namespace cuda_rig
