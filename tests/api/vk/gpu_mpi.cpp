#include "vk/gpu_mpi.h"

#include "request/envelope.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <map>
#include <mpi.h>
#include <mutex>
#include <string_view>

namespace {

using Words = std::string_view;

[[noreturn, gnu::format(printf, 1, 2)]] void wrong(const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "MPI's stand-in: ");
    std::vfprintf(stderr, format, arguments);
    std::fprintf(stderr, "\n");
    va_end(arguments);
    std::abort();
}

Words variable(const char *name) {
    const char *text = std::getenv(name);
    return text ? text : "";
}

template <class Function> Function *cuda_function(const char *name) {
    static void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
}

/// A GPU's memory in MPI's hands.
struct Held {
    int gpu;
    char *memory;
    std::size_t bytes;
    bool sent;
    std::uint64_t digest;
};

std::mutex mutex;
std::map<const MPI_Request *, Held> held; // by where the library keeps the request
gpu_mpi::Seen total;

std::uint64_t digest(const char *memory, std::size_t bytes) {
    std::uint64_t sum = bytes, word = 0;
    for (; bytes >= sizeof word; bytes -= sizeof word, memory += sizeof word) {
        std::memcpy(&word, memory, sizeof word);
        sum = (sum ^ word) * 0x100000001b3;
    }
    for (; bytes > 0; --bytes)
        sum = (sum ^ static_cast<unsigned char>(*memory++)) * 0x100000001b3;
    return sum;
}

/// -1: the host's.
int gpu_of(const char *call, const void *memory, std::size_t bytes) {
    static auto *const owner = cuda_function<FakeCudaOwner>("fakeCudaOwner");
    bool for_networks = false;
    const int gpu = owner && bytes ? owner(memory, bytes, &for_networks) : -1;
    if (gpu < 0)
        return gpu;
    if (!gpu_mpi::takes_gpu_memory())
        wrong("%s: %zu bytes of a GPU's memory, which this MPI does not take", call, bytes);
    if (!for_networks)
        wrong("%s: a GPU's memory that network cards may not reach", call);
    return gpu;
}

void expect_context(const char *call, int gpu) {
    static auto *const current = cuda_function<FakeCudaCurrent>("fakeCudaCurrent");
    if (current() != gpu)
        wrong("%s: memory of GPU %d, and the current context is that of %d", call, gpu, current());
}

/// Memory is handed over.
void hold(const char *call, const void *memory, std::size_t bytes, bool sent, const MPI_Request *request) {
    const std::lock_guard lock(mutex);
    const int gpu = gpu_of(call, memory, bytes);
    // An envelope is received without knowing what comes.
    constexpr std::size_t header = pixmpi::header_bytes, envelope = pixmpi::most_envelope;
    if (gpu < 0) {
        if (bytes != (sent ? header : envelope))
            (sent ? total.host_sent : total.host_received) += bytes;
        return;
    }
    expect_context(call, gpu);
    (sent ? total.gpu_sent : total.gpu_received) += bytes;
    char *const first = const_cast<char *>(static_cast<const char *>(memory));
    for (const auto &[other, one] : held)
        if (first < one.memory + one.bytes && one.memory < first + bytes)
            wrong("%s: memory that is still being %s", call, one.sent ? "sent" : "received");
    if (!sent)
        std::memset(first, 0xa5, bytes);
    if (!held.emplace(request, Held{gpu, first, bytes, sent, sent ? digest(first, bytes) : 0}).second)
        wrong("%s: a request that is still under way", call);
}

} // namespace

gpu_mpi::Seen gpu_mpi::seen() {
    const std::lock_guard lock(mutex);
    return total;
}

bool gpu_mpi::takes_gpu_memory() {
    const Words insisted = variable("PIXMPI_GPU_AWARE"), says = variable("PIXMPI_TEST_MPI_GPU");
    return insisted == "1" || (insisted != "0" && (says == "gpu" || says == "cuda"));
}

// In place of MPI's own: a program's functions come before those of its libraries.
extern "C" {

#define STAND_IN __attribute__((visibility("default")))

STAND_IN int MPIX_GPU_query_support(int type, int *supported) {
    int running = 0;
    MPI_Initialized(&running);
    if (type != 0 || !running)
        wrong("MPIX_GPU_query_support: of type %d, %s MPI_Init", type, running ? "after" : "before");
    *supported = variable("PIXMPI_TEST_MPI_GPU") == "gpu";
    return MPI_SUCCESS;
}

STAND_IN int MPIX_Query_cuda_support() {
    int running = 0;
    MPI_Initialized(&running);
    if (!running)
        wrong("MPIX_Query_cuda_support: before MPI_Init");
    return variable("PIXMPI_TEST_MPI_GPU") == "cuda";
}

STAND_IN int MPI_Isend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    if (type == MPI_BYTE)
        hold("MPI_Isend", data, static_cast<std::size_t>(count), true, request);
    return PMPI_Isend(data, count, type, dest, tag, comm, request);
}

STAND_IN int MPI_Issend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                        MPI_Request *request) {
    if (type == MPI_BYTE)
        hold("MPI_Issend", data, static_cast<std::size_t>(count), true, request);
    return PMPI_Issend(data, count, type, dest, tag, comm, request);
}

STAND_IN int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    if (type == MPI_BYTE)
        hold("MPI_Irecv", data, static_cast<std::size_t>(count), false, request);
    return PMPI_Irecv(data, count, type, source, tag, comm, request);
}

STAND_IN int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    const std::lock_guard lock(mutex);
    const auto found = held.find(request);
    if (found != held.end())
        expect_context("MPI_Test", found->second.gpu);
    const int code = PMPI_Test(request, flag, status);
    if (found == held.end() || !*flag)
        return code;
    const Held &one = found->second;
    if (one.sent && digest(one.memory, one.bytes) != one.digest)
        wrong("memory has changed while it was being sent");
    held.erase(found);
    return code;
}

STAND_IN int MPI_Request_free(MPI_Request *request) {
    const std::lock_guard lock(mutex);
    held.erase(request);
    return PMPI_Request_free(request);
}
}
