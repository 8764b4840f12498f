// Copies between two surfaces of one context.
#include "transfer/transfer.h"

namespace cudampi {

using namespace pixmpi;

namespace {

/// One plane's end.
struct End {
    std::shared_ptr<CudaSurface> surface;
    std::shared_ptr<const Region> region;
    Pixels pixels;
};

struct Range {
    CudaAddress begin, end;
};
Range range_of(const End &end) {
    const pixMPI_Rect &bounds = end.region->bounds;
    const auto at = [&](int x, int y) {
        return end.pixels.address + static_cast<CudaAddress>(y) * end.pixels.row_bytes +
               static_cast<CudaAddress>(x) * static_cast<CudaAddress>(end.surface->pixel_bytes);
    };
    return {at(bounds.x, bounds.y), at(bounds.x + bounds.width, bounds.y + bounds.height - 1)};
}

bool overlap(const pixMPI_Rect &a, const pixMPI_Rect &b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/// Whether a pixel of one may be one of the other. Parts of one picture lie between each other.
bool may_share(const End &a, const End &b) {
    if (a.pixels.is_array || b.pixels.is_array)
        return a.pixels.is_array && b.pixels.is_array; // memory is no array's
    const Range one = range_of(a), other = range_of(b);
    if (one.end <= other.begin || other.end <= one.begin)
        return false;
    return a.pixels.address != b.pixels.address || a.pixels.row_bytes != b.pixels.row_bytes ||
           a.surface->pixel_bytes != b.surface->pixel_bytes || overlap(a.region->bounds, b.region->bounds);
}

class CudaCopy final : public StraightCopy {
  public:
    explicit CudaCopy(CudaDevice &device) : device_(device) {}
    ~CudaCopy() override {
        const Current current(device_.context.handle);
        // A stream that has failed, or whose context has gone, serves nobody.
        if (stream_ && (over_ || (current.pushed() && CUDA_DO(cuStreamSynchronize, stream_))))
            device_.streams.release(stream_);
        if (event_)
            device_.streams.give_event(event_);
    }
    bool add(const CopiesStraight::Ends &ends) {
        Plane plane{{std::static_pointer_cast<CudaSurface>(ends.from.surface), ends.from.region, {}},
                    {std::static_pointer_cast<CudaSurface>(ends.to.surface), ends.to.region, {}}};
        if (ends.from.surface->watch || ends.to.surface->watch || plane.from.surface->base || plane.to.surface->base ||
            !plane.from.surface->show(plane.from.pixels) || !plane.to.surface->show(plane.to.pixels))
            return false;
        planes_.push_back(std::move(plane));
        return true;
    }
    /// `accepted` is false where nothing was begun: that is known before the stream waits for the program's.
    Status begin(bool &accepted) {
        const Current current(device_.context.handle);
        for (const Plane &written : planes_)
            for (const Plane &read : planes_)
                if (may_share(read.from, written.to))
                    return PIXMPI_SUCCESS;
        for (Plane &plane : planes_)
            if (const Status status = prepare(plane, accepted); status || !accepted)
                return status;
        if (const Status status = device_.streams.acquire_event(event_))
            return status;
        if (const Status status = device_.streams.acquire(stream_))
            return status;
        return submit();
    }
    Status advance(bool &, bool &over) override {
        const Current current(device_.context.handle);
        const Status status = device_.streams.query(event_, over);
        over_ = over_ || (!status && over);
        return status;
    }
    /// A question may have failed alone, and the work goes on.
    bool settled() override {
        const Current current(device_.context.handle);
        const CudaResult result =
            over_ || !stream_ || driver().exiting ? cuda_success : driver().cuStreamQuery(stream_);
        if (result == cuda_not_ready || (result >= cuda_capture_first && result <= cuda_capture_last))
            return false;
        if (result != cuda_success) // the context's errors stay, and nothing of it goes on
            stream_ = nullptr;
        return over_ = true;
    }

  private:
    struct Plane {
        cudampi::End from, to;
        std::uint64_t bytes = 0; ///< of what is one row at both ends; 0: a kernel copies
        Kernels::Ready ready{};
    };
    // Here is the array, or what is more rectangles.
    Status prepare(Plane &plane, bool &accepted) {
        const cudampi::End *here = &plane.from, *there = &plane.to;
        if (there->pixels.is_array ||
            (!here->pixels.is_array && there->region->rects.size() > here->region->rects.size()))
            std::swap(here, there);
        const std::uint64_t count = here->region->pixels;
        const auto pixel = static_cast<std::size_t>(here->surface->pixel_bytes);
        accepted = is_one_row(*here) && is_one_row(*there);
        if (accepted) {
            plane.bytes = count * pixel;
            return PIXMPI_SUCCESS;
        }
        const Launch what{here->pixels,  here->region,      0,    count, there->pixels.address, there->pixels.row_bytes,
                          there->region, here == &plane.to, pixel};
        return device_.kernels()->prepare(what, plane.ready, accepted);
    }
    Status submit() {
        if (const Status status = order())
            return status;
        for (const Plane &plane : planes_) {
            const Status status = plane.bytes ? CUDA_TRY(cuMemcpyAsync, range_of(plane.to).begin,
                                                         range_of(plane.from).begin, plane.bytes, stream_)
                                              : Kernels::launch(stream_, plane.ready);
            if (status)
                return status;
        }
        return CUDA_TRY(cuEventRecord, event_, stream_);
    }
    /// The stream goes on when what the program has submitted is over.
    Status order() {
        const CudaSurface *last = nullptr;
        for (const Plane &plane : planes_)
            for (const CudaSurface *one : {plane.from.surface.get(), plane.to.surface.get()}) {
                if (!one->ordered || (last && last->stream == one->stream))
                    continue;
                if (const Status status = device_.streams.order(stream_, one->stream, true))
                    return status;
                last = one;
            }
        return PIXMPI_SUCCESS;
    }
    static bool is_one_row(const cudampi::End &end) {
        if (end.region->rects.size() != 1 || end.pixels.is_array)
            return false;
        const pixMPI_Rect &rect = end.region->rects.front();
        return rect.height == 1 ||
               static_cast<std::uint64_t>(rect.width) * static_cast<std::uint64_t>(end.surface->pixel_bytes) ==
                   end.pixels.row_bytes;
    }

    CudaDevice &device_; ///< that the surfaces hold
    std::vector<Plane> planes_;
    void *stream_ = nullptr, *event_ = nullptr;
    bool over_ = false;
};

} // namespace

Status make_cuda_copy(CudaDevice &device, std::span<const CopiesStraight::Ends> planes,
                      std::unique_ptr<StraightCopy> &copy) {
    auto made = std::make_unique<CudaCopy>(device);
    for (const CopiesStraight::Ends &plane : planes)
        if (!made->add(plane))
            return PIXMPI_SUCCESS;
    bool accepted = false;
    const Status status = made->begin(accepted);
    if (status ? !made->settled() : accepted)
        copy = std::move(made);
    return status;
}

} // namespace cudampi
