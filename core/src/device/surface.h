// What holds pixels: one thing that the user named, checked and ready, or several planes of them. Devices derive from
// it; the core asks it for no more than its shape.
#pragma once

#include "base/format.h"
#include "region/strips.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace pixmpi {

class Device;
class Surface;

/// For surfaces in memory that the CPU sees as well, by a shadow of it: notified of each message.
class SurfaceWatch {
  public:
    virtual ~SurfaceWatch() = default;
    /// Called by the device's transfers, in its thread: before the first pixel moves, and after the last one.
    virtual Status begins() = 0;
    virtual Status ends(Direction direction) = 0;
};

/// Promises to the program for a surface: waits, layouts, signals. For APIs that have such things. If messages of one
/// request use the surface at the same time, an empty message before them and one after them keep the promises.
class Promises {
  public:
    /// Surfaces for both, which do for the request what this surface does for a message. Null: there is nothing to do.
    virtual void make_frame(std::shared_ptr<Surface> &opening, std::shared_ptr<Surface> &closing) const = 0;
    /// The request starts: both take over what this surface was promised.
    virtual void hand_over(Surface &opening, Surface &closing) = 0;
    /// Of opening and closing: whether an empty message does anything this time.
    virtual bool has_promises() const = 0;
    /// What was promised and could not be done is not for the next start.
    virtual void drop_promises() = 0;

  protected:
    ~Promises() = default;
};

/// Of pixMPI_Sub().
inline Status check_part(const pixMPI_Rect &part, Extent extent) {
    const bool within = part.x >= 0 && part.y >= 0 && part.width >= 0 && part.height >= 0 &&
                        part.x <= extent.width - part.width && part.y <= extent.height - part.height;
    return within ? PIXMPI_SUCCESS
                  : fail(PIXMPI_ERR_REGION,
                         "surface.part: %dx%d pixels at (%d, %d), expected to lie within the surface, which has %dx%d "
                         "pixels",
                         part.width, part.height, part.x, part.y, extent.width, extent.height);
}

/// A surface in a buffer or in host memory; its `part` becomes all of it.
template <class Named> Status cut_out(Named &named, const pixMPI_Rect &part, int pixel_bytes) {
    if (const Status error = check_part(part, {named.width, named.height}))
        return error;
    const std::int64_t bytes = part.y * std::int64_t{named.row_bytes} + std::int64_t{part.x} * pixel_bytes;
    if (part.width > 0 && part.height > 0) // else it may begin behind the last pixel
        named.offset += static_cast<decltype(named.offset)>(bytes);
    named.width = part.width;
    named.height = part.height;
    return PIXMPI_SUCCESS;
}

class Surface {
  public:
    using Planes = std::vector<std::shared_ptr<Surface>>;
    Surface(std::shared_ptr<Device> device_, Extent extent_, pixMPI_Format format_)
        : device(std::move(device_)), extent(extent_), format(format_), depth_format(PIXMPI_FORMAT_NONE),
          pixel_bytes(format_info(format_).bytes) {}
    /// Of one device and size; the pixels have all of them: see planes.h.
    explicit Surface(Planes planes_);
    virtual ~Surface() = default;
    Surface(const Surface &) = delete;
    Surface &operator=(const Surface &) = delete;

    const std::shared_ptr<Device> device;
    /// What it is to the core: all of it, or the rectangle that narrow() has chosen. Regions are within that rectangle;
    /// transfers of the device get them moved to its corner (make_plain_transfer()).
    Extent extent;
    int corner_x = 0, corner_y = 0;
    const pixMPI_Format format;          ///< of its pixels on their way; of the first plane
    const pixMPI_Format depth_format;    ///< of the second plane; else none
    const int pixel_bytes;               ///< of one pixel in packed order, as it travels
    const Planes planes;                 ///< none: it is one itself. See planes_of()
    pixMPI_Codec codec{};                ///< for what is sent of it
    std::shared_ptr<SurfaceWatch> watch; ///< null for most

    bool has_depth() const { return planes.size() > 1; }
    /// Whether a disk has to bring its pixels, or take them.
    virtual bool on_disk() const { return false; }
    /// PIXMPI_ERR_REGION where it is not within the surface.
    Status narrow(const pixMPI_Rect &part) {
        if (const Status error = check_part(part, extent))
            return error;
        corner_x += part.x;
        corner_y += part.y;
        extent = {part.width, part.height};
        return PIXMPI_SUCCESS;
    }

    /// The same pixels for one of several messages that a request has under way at once, as long as this surface lives;
    /// null: this one serves all of them.
    std::shared_ptr<Surface> once_more() const;
    // Promises, of all planes.
    void make_frame(std::shared_ptr<Surface> &opening, std::shared_ptr<Surface> &closing) const;
    void hand_over(Surface &opening, Surface &closing);
    bool has_promises() const;
    void drop_promises();

  protected:
    /// once_more(), of all of it: of a surface that serves one message at a time.
    virtual std::shared_ptr<Surface> again() const { return nullptr; }
    Promises *promises_ = nullptr; ///< of an API that has some
};

/// Asked about each request's surfaces: before any of them is started, whether it may be, and again at its turn.
class Starter {
  public:
    using Surfaces = std::span<const std::shared_ptr<Surface>>;
    virtual Status check(int index, Surfaces surfaces) = 0;
    virtual void prepare(int index, Surfaces surfaces) = 0;
    /// The request that was prepared last has not been started: its next start is not to find what this one was given.
    virtual void revoke(Surfaces surfaces) = 0;

  protected:
    ~Starter() = default;
};

} // namespace pixmpi
