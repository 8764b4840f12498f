// The entry points, and the surfaces that the core asks for when a call names one of Vulkan.
#include "context/vk_formats.h"
#include "device/planes.h"
#include "surface/surface.h"
#include "vkmpi.h"

#include <array>
#include <cstdint>
#include <utility>

using namespace vkmpi;
using pixmpi::core;
using pixmpi::public_call;

namespace {

class Maker final : public pixmpi::SurfaceMaker {
  public:
    Maker() { core().serve(PIXMPI_API_VK, *this); }
    Status make(const pixMPI_Surface &surface, const pixmpi::Use &use,
                std::shared_ptr<pixmpi::Surface> &made) override {
        const auto *named = static_cast<const vkMPI_Surface *>(surface.data);
        const auto *sync = reinterpret_cast<const vkMPI_Sync *>(static_cast<std::intptr_t>(surface.offset));
        if (!named)
            return pixmpi::fail(PIXMPI_ERR_SURFACE, "surface: null, expected a pointer to a vkMPI_Surface");
        vkMPI_Surface one = *named;
        const bool cut = surface.has_part && one.kind == VKMPI_BUFFER;
        if (const Status status =
                cut ? pixmpi::cut_out(one, surface.part, pixMPI_Format_bytes(one.pixels)) : PIXMPI_SUCCESS)
            return status;
        std::shared_ptr<pixmpi::Surface> found;
        if (!use.receives && !use.sends) { // what serves one direction need not serve the other
            if (resolve_anywhere(one, Direction::pack, found) != PIXMPI_SUCCESS)
                if (const Status status = resolve_anywhere(one, Direction::unpack, found))
                    return status;
            made = std::move(found);
            return surface.has_part && !cut ? made->narrow(surface.part) : PIXMPI_SUCCESS;
        }
        if (use.receives && use.sends)
            if (const Status status = resolve(one, Direction::unpack, found))
                return status;
        const Direction direction = use.sends ? Direction::pack : Direction::unpack;
        if (const Status status = (use.anywhere ? resolve_anywhere : resolve)(one, direction, found))
            return status;
        if (const Status status = surface.has_part && !cut ? found->narrow(surface.part) : PIXMPI_SUCCESS)
            return status;
        Sync kept;
        if (const Status status = Sync::read(sync, kept))
            return status;
        static_cast<VulkanSurface &>(*found).expect(std::move(kept), use.messages);
        made = std::move(found);
        return PIXMPI_SUCCESS;
    }
};

/// From the moment when the library is loaded.
Maker maker;

/// Gives each request's first surface of Vulkan its semaphores: a collective's steps all come after what one of its
/// surfaces waits for, and before what one signals.
class SyncStarter final : public pixmpi::Starter {
  public:
    SyncStarter(const vkMPI_Sync *syncs, bool single) : syncs_(syncs), single_(single) {}
    Status check(int index, Surfaces surfaces) override {
        if (!planes_of(surfaces)[0])
            return single_
                       ? pixmpi::fail(PIXMPI_ERR_REQUEST, "request: of another API, expected one of Vulkan's surfaces")
                       : pixmpi::fail(PIXMPI_ERR_REQUEST,
                                      "requests[%d]: of another API, expected one of Vulkan's surfaces", index);
        return Sync::read(syncs_ ? &syncs_[index] : nullptr, kept_.emplace_back());
    }
    /// Of two planes the first one is submitted first: it waits for both, and the other one signals for both.
    void prepare(int index, Surfaces surfaces) override {
        Sync &sync = kept_[static_cast<std::size_t>(index)], signals;
        const auto [first, second] = planes_of(surfaces);
        before_ = {first->save(), second ? second->save() : VulkanSurface::State()};
        if (second) {
            signals.signals = std::exchange(sync.signals, {});
            second->expect(std::move(signals), 1);
        }
        first->expect(std::move(sync), 1);
    }
    /// What vkMPI_Any gave for the first start is for the first one that begins.
    void revoke(Surfaces surfaces) override {
        const auto planes = planes_of(surfaces);
        for (std::size_t i = 0; i < planes.size(); ++i)
            if (planes[i] && planes[i]->awaits_start())
                planes[i]->restore(std::move(before_[i]));
    }

  private:
    /// Of the first surface of Vulkan; else none.
    static std::array<VulkanSurface *, pixmpi::most_planes> planes_of(Surfaces surfaces) {
        std::array<VulkanSurface *, pixmpi::most_planes> found{};
        for (const auto &surface : surfaces) {
            const auto planes = pixmpi::planes_of(surface);
            for (std::size_t i = 0; i < planes.size(); ++i)
                found[i] = dynamic_cast<VulkanSurface *>(planes[i].get());
            if (found[0])
                break;
        }
        return found;
    }

    std::vector<Sync> kept_;                                       ///< of the requests so far
    std::array<VulkanSurface::State, pixmpi::most_planes> before_; ///< of the planes that were prepared last
    const vkMPI_Sync *syncs_;
    const bool single_;
};

} // namespace

pixMPI_Surface vkMPI_Any(const vkMPI_Surface *surface, const vkMPI_Sync *sync) {
    pixMPI_Surface any{};
    any.api = PIXMPI_API_VK;
    any.data = const_cast<vkMPI_Surface *>(surface);
    any.offset = reinterpret_cast<std::intptr_t>(sync);
    return any;
}

int vkMPI_Send(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm, const vkMPI_Sync *sync) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Send");
    return pixMPI_Send(vkMPI_Any(&surface, sync), region, dest, tag, comm);
}

int vkMPI_Recv(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm, MPI_Status *status,
               const vkMPI_Sync *sync) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Recv");
    return pixMPI_Recv(vkMPI_Any(&surface, sync), region, source, tag, comm, status);
}

int vkMPI_Isend(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm, pixMPI_Request *request,
                const vkMPI_Sync *sync) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Isend");
    return pixMPI_Isend(vkMPI_Any(&surface, sync), region, dest, tag, comm, request);
}

int vkMPI_Irecv(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                pixMPI_Request *request, const vkMPI_Sync *sync) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Irecv");
    return pixMPI_Irecv(vkMPI_Any(&surface, sync), region, source, tag, comm, request);
}

int vkMPI_Sendrecv(vkMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                   vkMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                   MPI_Status *status, const vkMPI_Sync *sendsync, const vkMPI_Sync *recvsync) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Sendrecv");
    return pixMPI_Sendrecv(vkMPI_Any(&sendsurface, sendsync), sendregion, dest, sendtag,
                           vkMPI_Any(&recvsurface, recvsync), recvregion, source, recvtag, comm, status);
}

int vkMPI_Sendrecv_replace(vkMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source, int recvtag,
                           MPI_Comm comm, MPI_Status *status, const vkMPI_Sync *sync) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Sendrecv_replace");
    return pixMPI_Sendrecv_replace(vkMPI_Any(&surface, sync), region, dest, sendtag, source, recvtag, comm, status);
}

int vkMPI_Send_init(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                    pixMPI_Request *request) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Send_init");
    return pixMPI_Send_init(vkMPI_Any(&surface, nullptr), region, dest, tag, comm, request);
}

int vkMPI_Recv_init(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                    pixMPI_Request *request) {
    pixmpi::pixMPI_Internal_next_call("vkMPI_Recv_init");
    return pixMPI_Recv_init(vkMPI_Any(&surface, nullptr), region, source, tag, comm, request);
}

int vkMPI_Start(pixMPI_Request *request, const vkMPI_Sync *sync) {
    return public_call("vkMPI_Start", [&] {
        SyncStarter starter(sync, true);
        return core().start_all(1, request, true, starter);
    });
}

int vkMPI_Startall(int count, pixMPI_Request requests[], const vkMPI_Sync syncs[]) {
    return public_call("vkMPI_Startall", [&] {
        SyncStarter starter(syncs, false);
        return core().start_all(count, requests, false, starter);
    });
}

pixMPI_Format vkMPI_Format_from_vulkan(VkFormat format, VkImageAspectFlags aspect) {
    return core_format(format, aspect);
}

VkFormat vkMPI_Integer_format(VkFormat format) {
    return Shaders::integer_view(pixMPI_Format_bytes(core_format(format, VK_IMAGE_ASPECT_COLOR_BIT)));
}

VkFormat vkMPI_Format_to_vulkan(pixMPI_Format format) { return vulkan_format(format); }
