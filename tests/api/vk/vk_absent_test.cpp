// A machine on which Vulkan finds no driver: run it with VK_DRIVER_FILES and VK_ICD_FILENAMES naming none.
#include "rig/traffic.h"

#include <vkmpi.h>

using namespace api;

RANK_CASE(vk_absent, no_driver, 1) {
    for (int turn = 0; turn < 2; ++turn) {
        vkMPI_Context context = VKMPI_CONTEXT_NULL;
        CHECK_FAILS(vkMPI_Context_create(nullptr, &context), PIXMPI_ERR_DEVICE,
                    "vkMPI_Context_create Vulkan driver expected 1.2");
        CHECK(context == VKMPI_CONTEXT_NULL);
        Bytes out = pattern(90'000, 1), in(90'000);
        CHECK_OK(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, as_surface(in), PIXMPI_WHOLE,
                                 previous_rank(), 1, world(), MPI_STATUS_IGNORE));
        CHECK(in == out);
    }
}
