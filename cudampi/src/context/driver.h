// CUDA's driver, as this library calls it, and the contexts in which it does so. What is CUDA's alone is the table of
// the core (gpu/cuda_driver.h): all other files call what it holds.
#pragma once

#include "api/core.h"
#include "base/lock.h"
#include "gpu/cuda_driver.h"

#include <utility>

namespace cudampi {

using pixmpi::core;
using pixmpi::CudaAddress;
using pixmpi::Direction;
using pixmpi::fail;
using pixmpi::Status;

/// PIXMPI_ERR_MEMORY or PIXMPI_ERR_DEVICE, with CUDA's name of the error.
Status check(pixmpi::CudaResult result, const char *function);
/// CUDA_TRY(cuMemFree_v2, address): a Status. At the end of the process CUDA may have gone: it then does nothing.
#define CUDA_TRY(function, ...)                                                                                        \
    (cudampi::driver().exiting ? PIXMPI_ERR_DEVICE : cudampi::check(cudampi::driver().function(__VA_ARGS__), #function))
/// The same, where nobody is there to be told.
#define CUDA_DO(function, ...)                                                                                         \
    (cudampi::driver().exiting || cudampi::driver().function(__VA_ARGS__) == pixmpi::cuda_success)

inline pixmpi::CudaDriver &driver() { return core().cuda(); }
/// Whether anything of it may be called.
inline bool cuda_driver_is_there() { return driver().complete && !driver().exiting; }

/// Makes a context current, as long as it lives, and keeps what is done meanwhile out of captures of the program's.
class Current {
  public:
    explicit Current(void *context) : pushed_(!driver().exiting && CUDA_DO(cuCtxPushCurrent_v2, context)) {
        if (pushed_)
            (void)CUDA_DO(cuThreadExchangeStreamCaptureMode, &capture_mode_);
    }
    ~Current() {
        void *popped = nullptr;
        if (pushed_) {
            (void)CUDA_DO(cuThreadExchangeStreamCaptureMode, &capture_mode_);
            (void)CUDA_DO(cuCtxPopCurrent_v2, &popped);
        }
    }
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    /// False where the context has gone: nothing of it may be called, for another one may be current.
    bool pushed() const { return pushed_; }

  private:
    const bool pushed_;
    int capture_mode_ = pixmpi::cuda_capture_relaxed; ///< and then the program's
};

/// A context, and the GPU that it is of.
struct Context {
    void *handle = nullptr;
    int device = 0;
};

/// What CUDA knows of an address.
struct PointerFacts {
    bool known = false; ///< it is of CUDA: of a GPU, managed or pinned
    bool is_device = false; ///< only its own GPU reaches it for certain
    void *owner = nullptr;  ///< the context that it is of; null: all of the GPU
    Context context;        ///< in which it can be used
};
Status look_at_pointer(const void *address, PointerFacts &facts);
/// The context of a stream, of a GPU's runtime API, and the one that this thread has current.
Status context_of_stream(void *stream, Context &context);
Status primary_context(int device, Context &context);
/// The program may reset its GPU: it is asked for anew.
void forget_primary(const Context &context);
Status current_context(Context &context);

/// Streams that stand for a context's own: of the runtime API, and one for each thread.
constexpr std::uintptr_t legacy_stream = 1, stream_of_thread = 2;
inline bool is_special(const void *stream) { return reinterpret_cast<std::uintptr_t>(stream) <= stream_of_thread; }

} // namespace cudampi
