// A rank dies while workgroups of the others wait for its slots: their runs fail with an error that says where, and what
// their other slots have received is as it was.
#include <cstdio>
#include <cstring>
#include <device_kernel.h>
#include <signal.h>
#include <string>
#include <string_view>
#include <vector>
#include <unistd.h>

#include <device_dying_shader.spv.h>

namespace {

constexpr int slots = 3, words = 1000;
constexpr double patience = 20; // seconds; the error comes before

/// What is wrong with the words that slots have sent to themselves; empty when nothing is.
std::string wrong_words(const std::vector<std::uint32_t> &window) {
    for (std::uint32_t slot = 1; slot < slots; ++slot)
        for (std::uint32_t i = 0; i < 2 * words; ++i)
            if (window[slot * 2 * words + i] != slot * 1000000 + i % words)
                return "word " + std::to_string(i) + " of slot " + std::to_string(slot);
    return "";
}

/// And ends.
[[noreturn]] void run_until_it_fails(const demo::Gpu &gpu) {
    const demo::MessageWindow window(gpu, sizeof(std::uint32_t) * 2 * words * slots);
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    info.slots = slots;
    info.timeout = patience;
    const demo::Endpoint endpoint(gpu, info, {window.surface()});
    const demo::DeviceKernel kernel(gpu, endpoint, device_dying_shader, {window.surface().buffer}, 4);
    kernel.run(std::uint32_t{0}, slots);
    const std::string error = pixMPI_Error_text();
    std::vector<std::uint32_t> all(std::size_t{2} * words * slots);
    window.read(0, all.data(), sizeof(std::uint32_t) * all.size());
    const std::string wrong = wrong_words(all);
    const std::string where = "slot " + std::to_string(endpoint.first) + " (workgroup 0), step 4: ";
    const bool says = error.find(where) != std::string::npos;
    std::printf("%s\n", error.empty() ? "no error" : error.c_str());
    if (!wrong.empty())
        std::printf("changed: %s\n", wrong.c_str());
    if (!says)
        std::printf("expected \"%s\"\n", where.c_str());
    if (says && wrong.empty())
        std::printf("goes on\n");
    std::fflush(stdout);
    ::_exit(0); // the endpoint of a job that has lost a rank
}

} // namespace

int main(int argc, char **argv) {
    const std::string_view how = argc > 2 ? argv[2] : "";
    int given = 0, rank = 0, size = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr);
    if (pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr))
        return 2;
    if (vkMPI_Context_create(nullptr, &context)) {
        std::printf("skipped: %s\n", pixMPI_Error_text());
        return 77;
    }
    const demo::Gpu gpu(context);
    if (rank + 1 < size)
        run_until_it_fails(gpu);
    const demo::MessageWindow window(gpu, sizeof(std::uint32_t) * 2 * words * slots); // as the others have
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    info.slots = slots;
    const demo::Endpoint endpoint(gpu, info, {window.surface()});
    std::printf("rank %d is to die\n", rank);
    std::fflush(stdout);
    ::usleep(1'000'000);
    if (how == "kill")
        ::raise(SIGKILL);
    ::_exit(0);
}
