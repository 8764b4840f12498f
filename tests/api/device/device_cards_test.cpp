// Windows in memory that the CPU does not see: on GPUs with CUDA, and with its stand-in, puts and gets between them
// are copies of the GPU's, without a message.
#include "device/device_rig.h"

#include "rig/cases.h"

#include <cuda.h>
#include <dlfcn.h>
#include <test_gpus.h>

using namespace api;

namespace {

template <class Function> Function *stand_in(const char *name) {
    static void *const library = test_gpus::count() ? dlopen("libcuda.so.1", RTLD_NOW) : nullptr;
    return library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
}
int copies_made() {
    auto *const calls = stand_in<FakeCudaCalls>("fakeCudaCalls");
    return calls ? calls("cuMemcpyAsync") : 0;
}

pixMPI_Endpoint_info of_two_slots(pixMPI_Device_mode mode) {
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    info.mode = mode;
    info.slots = 2;
    info.budget = 64;
    return info;
}

constexpr std::size_t window_bytes = 1 << 18;

/// Puts around the ring and gets, of odd sizes from odd offsets.
int put_and_get(DeviceRig &rig, std::uint32_t bytes, std::uint32_t odd) {
    Numbers numbers;
    numbers.what = 2;
    numbers.bytes = bytes;
    numbers.odd = odd;
    numbers.stride = (bytes + odd + 3) / 4 * 4;
    numbers.rounds = 5;
    rig.use(shaders::one_sided);
    return rig.run(numbers, 2);
}
void expect_all_right(DeviceRig &rig) {
    CHECK_EQ(rig.take_wrong(), 0U);
    CHECK_EQ(rig.take_counted(), 2U);
}

} // namespace

RANK_CASE(device_cards, puts_and_gets, 1) {
    for (const pixMPI_Device_mode mode : device_modes)
        for (const auto &[bytes, odd] : {std::pair{4U, 0U}, {101U, 3U}, {70001U, 1U}}) {
            note("mode %s, %u bytes from %u on", mode_name(mode), bytes, odd);
            const int before = copies_made();
            DeviceRig rig(of_two_slots(mode), window_bytes, DeviceRig::Windows::unseen);
            CHECK_OK(put_and_get(rig, bytes, odd));
            expect_all_right(rig);
            if (stand_in<FakeCudaCalls>("fakeCudaCalls") &&
                size > 1) // one slot of each rank has its neighbour elsewhere
                CHECK_EQ(copies_made() - before, 5 + 1);
        }
}

/// Messages of slots go to and from such windows as to ordinary ones. Large ones between processes are read by the
/// receiver's GPU.
RANK_CASE(device_cards, messages, 1) {
    for (const pixMPI_Device_mode mode : device_modes)
        for (const auto &[bytes, odd] : {std::pair{5001U, 2U}, {100001U, 3U}}) {
            note("mode %s, %u bytes from %u on", mode_name(mode), bytes, odd);
            const int before = copies_made();
            DeviceRig rig(of_two_slots(mode), window_bytes, DeviceRig::Windows::unseen);
            rig.use(shaders::ring);
            Numbers numbers;
            numbers.bytes = bytes;
            numbers.odd = odd;
            numbers.stride = (bytes + odd + 3) / 4 * 4;
            numbers.rounds = 5;
            CHECK_OK(rig.run(numbers, 2));
            expect_all_right(rig);
            if (stand_in<FakeCudaCalls>("fakeCudaCalls") && bytes > 65536 && size > 1)
                CHECK_EQ(copies_made() - before, 5); // of one slot: the other one's come from its own process
        }
}

/// The receiver learns that too much comes before any of it is copied; the sender goes on.
RANK_CASE(device_cards, too_long_a_message, 2) {
    DeviceRig rig(of_two_slots(PIXMPI_MODE_SUSPENDING), window_bytes, DeviceRig::Windows::unseen);
    rig.use(shaders::long_message);
    Numbers numbers;
    numbers.bytes = 100000;
    const int code = rig.run(numbers, 2);
    CHECK_EQ(code, rank == 1 ? PIXMPI_ERR_TRUNCATE : PIXMPI_SUCCESS);
    barrier();
    numbers.bytes = 5000;
    numbers.stride = 5000;
    numbers.rounds = 2;
    rig.use(shaders::ring);
    CHECK_OK(rig.run(numbers, 2));
    expect_all_right(rig);
}

/// Without CUDA's memory, or where others do not reach it, all goes by messages; a copy that fails ends the run.
RANK_CASE(device_cards, faults_of_cuda, 2) {
    auto *const fails = stand_in<FakeCudaFail>("fakeCudaFail");
    auto *const heal = stand_in<FakeCudaHeal>("fakeCudaHeal");
    if (!fails)
        return;
    constexpr int always = 1 << 20, out_of_memory = 2;
    for (const char *function : {"cuMemCreate", "cuMemExportToShareableHandle", "cuMemImportFromShareableHandle",
                                 "cuMemSetAccess", "cuStreamCreate"}) {
        note("%s fails", function);
        if (rank == 0)
            fails(function, out_of_memory, 0, always);
        {
            DeviceRig rig(of_two_slots(PIXMPI_MODE_SUSPENDING), window_bytes, DeviceRig::Windows::unseen);
            heal();
            CHECK_OK(put_and_get(rig, 1001, 1));
            expect_all_right(rig);
        }
        barrier();
    }
    pixMPI_Endpoint_info info = of_two_slots(PIXMPI_MODE_SUSPENDING);
    info.timeout = 5; // of those with a neighbour that has failed
    DeviceRig rig(info, window_bytes, DeviceRig::Windows::unseen);
    if (rank == 0)
        fails("cuMemcpyAsync", out_of_memory, 0, always);
    const int code = put_and_get(rig, 1001, 1);
    CHECK_EQ(code, rank == 0 ? PIXMPI_ERR_DEVICE : PIXMPI_ERR_TIMEOUT);
    heal();
    barrier();
}
