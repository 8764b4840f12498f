// The entry points: each names its call, makes surfaces of what the program named, and hands over to the core.
#include "surface.h"
#include "vk_formats.h"
#include "vkmpi.h"

#include <array>
#include <cstring>
#include <utility>

using namespace vkmpi;
using pixmpi::core;
using pixmpi::End;
using pixmpi::Life;
using pixmpi::public_call;

namespace {

Status make_end(const vkMPI_Surface &named, Direction direction, pixMPI_Region region, const vkMPI_Sync *sync, int uses,
                End &end, bool anywhere = false) {
    std::shared_ptr<pixmpi::Surface> surface;
    if (const Status status = (anywhere ? resolve_anywhere : resolve)(named, direction, surface))
        return status;
    Sync kept;
    if (const Status status = Sync::read(sync, kept))
        return status;
    static_cast<VulkanSurface &>(*surface).expect(std::move(kept), uses);
    end = {std::move(surface), region};
    return PIXMPI_SUCCESS;
}

/// What vkMPI_Any puts into a pixMPI_Surface.
struct Any {
    vkMPI_Surface surface;
    const vkMPI_Sync *sync;
};
static_assert(sizeof(Any) <= sizeof(pixMPI_Surface::other));

class Maker final : public pixmpi::SurfaceMaker {
    Status make(const pixMPI_Surface &named, const pixmpi::Use &use,
                std::shared_ptr<pixmpi::Surface> &surface) override {
        Any any;
        std::memcpy(&any, named.other, sizeof any);
        std::shared_ptr<pixmpi::Surface> checked;
        if (use.receives && use.sends)
            if (const Status status = resolve(any.surface, Direction::unpack, checked))
                return status;
        End end;
        if (const Status status = make_end(any.surface, use.sends ? Direction::pack : Direction::unpack,
                                           PIXMPI_REGION_NULL, any.sync, use.messages, end, use.anywhere))
            return status;
        surface = std::move(end.surface);
        return PIXMPI_SUCCESS;
    }
};

template <class Body>
int with_end(const char *call, const vkMPI_Surface &named, Direction direction, pixMPI_Region region,
             const vkMPI_Sync *sync, Body body) {
    return public_call(call, [&]() -> Status {
        End end;
        if (const Status status = make_end(named, direction, region, sync, 1, end))
            return status;
        return body(end);
    });
}

/// Gives each request's first surface of Vulkan its semaphores: a collective's steps all come after what one of its
/// surfaces waits for, and before what one signals.
class SyncStarter final : public pixmpi::Starter {
  public:
    SyncStarter(const vkMPI_Sync *syncs, bool single) : syncs_(syncs), single_(single) {}
    Status check(int index, Surfaces surfaces) override {
        if (!first_of(surfaces))
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
    void take_back(Surfaces surfaces) override {
        const auto planes = planes_of(surfaces);
        for (std::size_t i = 0; i < planes.size(); ++i)
            if (planes[i] && planes[i]->awaits_start())
                planes[i]->restore(std::move(before_[i]));
    }

  private:
    static std::array<VulkanSurface *, 2> planes_of(Surfaces surfaces) {
        const auto planes = first_of(surfaces)->planes();
        return {static_cast<VulkanSurface *>(planes[0]), static_cast<VulkanSurface *>(planes[1])};
    }
    static pixmpi::Surface *first_of(Surfaces surfaces) {
        for (const auto &surface : surfaces)
            if (dynamic_cast<VulkanSurface *>(surface->planes()[0]))
                return surface.get();
        return nullptr;
    }

    std::vector<Sync> kept_; ///< of the requests so far
    std::array<VulkanSurface::State, 2> before_; ///< of the planes that were prepared last
    const vkMPI_Sync *syncs_;
    const bool single_;
};

} // namespace

pixMPI_Surface vkMPI_Any(vkMPI_Surface surface, const vkMPI_Sync *sync) {
    static Maker maker;
    core().serve(PIXMPI_API_VK, maker);
    const Any value{surface, sync};
    pixMPI_Surface any{};
    any.api = PIXMPI_API_VK;
    std::memcpy(any.other, &value, sizeof value);
    return any;
}

int vkMPI_Send(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm, const vkMPI_Sync *sync) {
    return with_end("vkMPI_Send", surface, Direction::pack, region, sync,
                    [&](const End &end) { return core().send(end, dest, tag, comm); });
}

int vkMPI_Recv(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm, MPI_Status *status,
               const vkMPI_Sync *sync) {
    return with_end("vkMPI_Recv", surface, Direction::unpack, region, sync,
                    [&](const End &end) { return core().recv(end, source, tag, comm, status); });
}

int vkMPI_Isend(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm, pixMPI_Request *request,
                const vkMPI_Sync *sync) {
    return with_end("vkMPI_Isend", surface, Direction::pack, region, sync,
                    [&](const End &end) { return core().make_send(end, dest, tag, comm, Life::once, request); });
}

int vkMPI_Irecv(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                pixMPI_Request *request, const vkMPI_Sync *sync) {
    return with_end("vkMPI_Irecv", surface, Direction::unpack, region, sync,
                    [&](const End &end) { return core().make_recv(end, source, tag, comm, Life::once, request); });
}

int vkMPI_Sendrecv(vkMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                   vkMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                   MPI_Status *status, const vkMPI_Sync *sendsync, const vkMPI_Sync *recvsync) {
    return public_call("vkMPI_Sendrecv", [&]() -> Status {
        End send, recv;
        if (const Status code = make_end(sendsurface, Direction::pack, sendregion, sendsync, 1, send))
            return code;
        if (const Status code = make_end(recvsurface, Direction::unpack, recvregion, recvsync, 1, recv))
            return code;
        return core().sendrecv(send, dest, sendtag, recv, source, recvtag, comm, status);
    });
}

int vkMPI_Sendrecv_replace(vkMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source, int recvtag,
                           MPI_Comm comm, MPI_Status *status, const vkMPI_Sync *sync) {
    return public_call("vkMPI_Sendrecv_replace", [&]() -> Status {
        End end;
        std::shared_ptr<pixmpi::Surface> checked;
        if (const Status code = resolve(surface, Direction::unpack, checked))
            return code;
        if (const Status code = make_end(surface, Direction::pack, region, sync, 2, end))
            return code;
        return core().sendrecv_replace(end, dest, sendtag, source, recvtag, comm, status);
    });
}

int vkMPI_Send_init(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                    pixMPI_Request *request) {
    return with_end("vkMPI_Send_init", surface, Direction::pack, region, nullptr,
                    [&](const End &end) { return core().make_send(end, dest, tag, comm, Life::persistent, request); });
}

int vkMPI_Recv_init(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                    pixMPI_Request *request) {
    return with_end("vkMPI_Recv_init", surface, Direction::unpack, region, nullptr, [&](const End &end) {
        return core().make_recv(end, source, tag, comm, Life::persistent, request);
    });
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

pixMPI_Format vkMPI_Format_of(VkFormat format, VkImageAspectFlags aspect) { return core_format(format, aspect); }

VkFormat vkMPI_Integer_format(VkFormat format) {
    return Shaders::integer_view(pixMPI_Format_bytes(core_format(format, VK_IMAGE_ASPECT_COLOR_BIT)));
}

VkFormat vkMPI_Vulkan_format(pixMPI_Format format) { return vulkan_format(format); }
