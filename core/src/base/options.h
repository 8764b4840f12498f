// Options of this process: what the program says, and what the environment says over it.
#pragma once

#include "base/errhandler.h"

#include <cstddef>

namespace pixmpi {

struct Options {
    bool shm = true, peer = true; ///< routes that may be used; `mpi` always may, `self` is no choice
    std::size_t band_bytes = 0;   ///< 0: what suits the device
    std::size_t stage_bytes = std::size_t{64} << 20;
    std::size_t peer_bytes = 0; ///< of a GPU's memory; 0: what suits it
    std::size_t eager_bytes = std::size_t{64} << 10;
    /// Whether MPI is handed pointers to a GPU's memory; automatic: when it says that it accepts them.
    enum class GpuAware { automatic, no, yes } gpu_aware = GpuAware::automatic;
    /// Who computes JPEG of pixels on a GPU, and looks for what compositors have to send; automatic: the GPU, if it
    /// is one.
    enum class Computes { automatic, cpu, device } jpeg = Computes::automatic, search = Computes::automatic;
    bool progress_thread = false;
    OnError on_error = OnError::unsaid; ///< of the program; the environment's comes before it
    pixMPI_Codec codec{};               ///< of communicators for which the program has named none
    int log_level = PIXMPI_LOG_NONE;
    void (*log)(int level, const char *text, void *data) = nullptr;
    void *log_data = nullptr;
};

/// `given` may be null. Errors name the field or the environment variable.
Status read_options(const pixMPI_Options *given, Options &options);
/// PIXMPI_ERRORS alone; an error where it has another word.
Status read_errors_variable(OnError &on_error);
/// A codec's text, as pixMPI_Codec_named() has it; `name`: of the argument or variable.
Status read_codec(const char *name, const char *text, pixMPI_Codec &codec);

} // namespace pixmpi
