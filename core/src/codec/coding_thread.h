// A thread that encodes and decodes one piece after another, with the help of all cores of this rank, while the
// program's threads go on.
#pragma once

#include "base/status.h"
#include "codec/codec.h"
#include "codec/jpeg.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace pixmpi {

enum class CodingKind : std::uint8_t { encode, decode, coefficients };

/// Who orders one keeps it, and what it names, until it is over.
struct CodingJob {
    CodingKind kind = CodingKind::encode;
    CodecChoice choice;          ///< of encoding
    PackedPixels pixels;         ///< of encoding; of decoding without `data`
    std::span<std::byte> stream; ///< room for it, or the stream
    bool stays = false;          ///< no other process writes to the stream
    std::byte *out = nullptr;    ///< of decoding: room for the pixels
    JpegGrid grid;               ///< of coefficients: what the stream, which stays, holds
    std::int16_t *coefficients = nullptr; ///< room for them

    // When it is over:
    std::size_t bytes = 0; ///< of the stream
    JpegSteps steps{};     ///< of coefficients
    double seconds = 0;    ///< of work
    Error error;
    std::atomic<bool> over{false};
};

class CodingThread {
  public:
    /// `cores`: threads at work at once, or 0 for all. No thread starts before the first job.
    explicit CodingThread(unsigned cores) : workers_(cores) {}
    /// Jobs under way come to their end.
    ~CodingThread();
    CodingThread(const CodingThread &) = delete;
    CodingThread &operator=(const CodingThread &) = delete;

    /// Throws std::system_error, std::bad_alloc: nothing has happened then.
    void order(CodingJob &job);
    /// Sleeps until it is over.
    void wait(const CodingJob &job);

  private:
    void run();
    void work(CodingJob &job);

    Workers workers_;
    Codec codec_{workers_};
    std::vector<std::byte> copy_; ///< of a stream that others may write to
    std::mutex mutex_;            ///< of all below
    std::condition_variable work_, done_;
    std::deque<CodingJob *> jobs_;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace pixmpi
