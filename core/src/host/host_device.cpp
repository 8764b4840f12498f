#include "host/host_device.h"

#include "combine/combine.h"
#include "combine/nearest.h"
#include "device/idle_buffers.h"
#include "device/surface_checks.h"
#include "host/grouping.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>

namespace pixmpi {
namespace {

class HostSurface final : public Surface {
  public:
    HostSurface(std::shared_ptr<Device> host, const pixMPI_Surface &named, std::shared_ptr<void> owned = nullptr)
        : Surface(std::move(host), {named.width, named.height}, named.format), pixels{static_cast<std::byte *>(
                                                                                          named.data),
                                                                                      named.row_bytes},
          owned_(std::move(owned)) {}
    HostSurface(std::shared_ptr<HostSurface> room, std::shared_ptr<HostSurface> onto, int x, int y)
        : Surface(room->device, room->extent, room->format),
          pixels(room->pixels), base{onto->pixels.first + y * onto->pixels.step +
                                         static_cast<std::ptrdiff_t>(x) * onto->pixel_bytes,
                                     onto->pixels.step},
          owned_(std::move(room)), base_owner_(std::move(onto)) {}
    HostSurface(std::shared_ptr<HostSurface> row, int height)
        : Surface(row->device, {row->extent.width, height}, row->format), pixels{row->pixels.first, 0},
          owned_(std::move(row)) {}
    const Rows pixels;
    const Rows base{}; ///< of combine_onto(); else null

  private:
    const std::shared_ptr<void> owned_, base_owner_; ///< owner of the memory, if not the program
};

class HostStage final : public Stage {
  public:
    static constexpr std::size_t alignment = 64;
    HostStage(std::byte *memory, std::size_t size) {
        if (!memory && posix_memalign(&owned_, alignment, size) != 0)
            owned_ = nullptr;
        host = memory ? memory : static_cast<std::byte *>(owned_);
        bytes = size;
    }
    ~HostStage() override { std::free(owned_); }

  private:
    void *owned_ = nullptr;
};

struct Block {
    std::shared_ptr<Stage> stage;
    friend std::size_t bytes_of(const Block &block) { return block.stage->bytes; }
};

class HostTransfer final : public Transfer, StripCopies {
  public:
    HostTransfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region)
        : direction_(direction), surface_(std::static_pointer_cast<HostSurface>(std::move(surface))),
          region_(std::move(region)) {
        strip_copies_ = this;
    }

    Status begin(std::uint64_t) override { return PIXMPI_SUCCESS; }

    Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) override {
        ticket = done;
        Grouping group(direction_, surface_->pixels, size(), stage.host + offset);
        for_each_piece(*region_, first, count, [&](const Piece &piece) { group(piece); });
        group.flush();
        return PIXMPI_SUCCESS;
    }

    Status combine(const Combination &how, Surface *depths, std::uint64_t first, std::uint64_t count, Stage &stage,
                   std::size_t offset, Ticket &ticket, bool &accepted) override {
        if (depths) {
            accepted = true;
            ticket = done;
            combine_with_depth(how.order, *depths, first, count, stage.host + offset);
            return PIXMPI_SUCCESS;
        }
        const Combiner combiner(how, surface_->format);
        accepted = static_cast<bool>(combiner);
        ticket = done;
        if (!accepted)
            return PIXMPI_SUCCESS;
        const std::byte *const packed = stage.host + offset;
        for_each_piece(*region_, first, count, [&](const Piece &piece) {
            const Rows rows = rows_of(piece.rect);
            const std::byte *row = packed + piece.at * size();
            for (int y = 0; y < piece.rect.height; ++y, row += width_of(piece.rect)) {
                copy_base(*surface_, piece.rect, y);
                combiner(rows.first + y * rows.step, row, static_cast<std::size_t>(piece.rect.width));
            }
        });
        return PIXMPI_SUCCESS;
    }

    // Copying by pointer needs no strips; it is the other end that gains by them.
    std::shared_ptr<const Strips> strips() override {
        return region_->rects.size() > 1 ? strips_of(*region_, surface_->pixel_bytes) : nullptr;
    }

    Status copy_strip(std::size_t k, Stage &stage, std::size_t offset, Ticket &ticket) override {
        const std::shared_ptr<const Strips> all = strips();
        const Strip &strip = all->strips[k];
        std::byte *const slot = stage.host + offset;
        ticket = done;
        for (std::size_t i = strip.first; i < strip.first + strip.count; ++i) {
            const Piece &part = all->parts[i];
            if (strip.whole)
                copy_within(strip.box, part.rect, slot);
            else
                copy_rows(direction_, rows_of(part.rect), width_of(part.rect), height_of(part.rect),
                          slot + part.at * size());
        }
        return PIXMPI_SUCCESS;
    }

    Status poll(Ticket, bool &over) override {
        over = true;
        return PIXMPI_SUCCESS;
    }

  private:
    std::size_t size() const { return static_cast<std::size_t>(surface_->pixel_bytes); }
    std::size_t width_of(const pixMPI_Rect &rect) const { return static_cast<std::size_t>(rect.width) * size(); }
    static std::size_t height_of(const pixMPI_Rect &rect) { return static_cast<std::size_t>(rect.height); }
    /// A row of it, which the caches hold when it is combined next.
    static void copy_base(const HostSurface &surface, const pixMPI_Rect &rect, int y) {
        const Rows &base = surface.base;
        const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(rect.x) * surface.pixel_bytes;
        if (base.first)
            std::memcpy(surface.pixels.first + (rect.y + y) * surface.pixels.step + left,
                        base.first + (rect.y + y) * base.step + left,
                        static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(surface.pixel_bytes));
    }
    Rows rows_of(const pixMPI_Rect &rect) const { return pixmpi::rows_of(*surface_, rect); }

    /// A part of a box that travels as a whole; what lies between the parts is not touched.
    void copy_within(const pixMPI_Rect &box, const pixMPI_Rect &rect, std::byte *pixels) {
        const Rows rows = rows_of(rect);
        pixels += static_cast<std::size_t>(rect.y - box.y) * width_of(box) +
                  static_cast<std::size_t>(rect.x - box.x) * size();
        for (std::ptrdiff_t y = 0; y < rect.height; ++y, pixels += width_of(box))
            copy_rows(direction_, {rows.first + y * rows.step, rows.step}, width_of(rect), 1, pixels);
    }

    void combine_with_depth(Order order, const Surface &depths, std::uint64_t first, std::uint64_t count,
                            const std::byte *packed) const {
        const auto &other = static_cast<const HostSurface &>(depths);
        const Nearest nearest(order, surface_->format, other.format);
        const auto depth_size = static_cast<std::size_t>(other.pixel_bytes);
        const PlanesInBand planes(surface_->format, other.format, count);
        const std::byte *const colors = packed + planes.colors, *const packed_depths = packed + planes.depths;
        for_each_piece(*region_, first, count, [&](const Piece &piece) {
            const Rows rows = rows_of(piece.rect), depth_rows = pixmpi::rows_of(other, piece.rect);
            const auto width = static_cast<std::size_t>(piece.rect.width);
            std::size_t at = piece.at;
            for (int y = 0; y < piece.rect.height; ++y, at += width) {
                copy_base(*surface_, piece.rect, y);
                copy_base(other, piece.rect, y);
                nearest({rows.first + y * rows.step, depth_rows.first + y * depth_rows.step},
                        {colors + at * size(), packed_depths + at * depth_size}, width);
            }
        });
    }

    const Direction direction_;
    const std::shared_ptr<HostSurface> surface_;
    const std::shared_ptr<const Region> region_;
};

class HostDevice final : public Device {
  public:
    HostDevice() {
        traits_.api = "host";
        traits_.name = "host memory";
        traits_.band_bytes = std::size_t{256} << 10;
        traits_.direct = true;
    }
    bool usable() const override { return true; }

    Status make_stage(StageKind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) override {
        auto made = std::make_unique<HostStage>(memory, bytes);
        if (bytes > 0 && !made->host)
            return fail(PIXMPI_ERR_MEMORY, "stage: %zu bytes, expected that much memory to be free", bytes);
        stage = std::move(made);
        return PIXMPI_SUCCESS;
    }

    Status make_transfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                         std::unique_ptr<Transfer> &transfer) override {
        transfer = std::make_unique<HostTransfer>(direction, std::move(surface), std::move(region));
        return PIXMPI_SUCCESS;
    }

    std::shared_ptr<Surface> combine_onto(const std::shared_ptr<Surface> &room, const std::shared_ptr<Surface> &base,
                                          int x, int y) override {
        return std::make_shared<HostSurface>(std::static_pointer_cast<HostSurface>(room),
                                             std::static_pointer_cast<HostSurface>(base), x, y);
    }

    Status make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) override {
        pixMPI_Surface named = pixMPI_Memory(nullptr, format, extent.width, extent.height);
        std::shared_ptr<void> memory;
        if (const Status error = acquire_memory(
                static_cast<std::size_t>(named.row_bytes) * static_cast<std::size_t>(extent.height), memory))
            return error;
        named.data = memory.get();
        surface = std::make_shared<HostSurface>(host_device(), named, std::move(memory));
        return PIXMPI_SUCCESS;
    }

  private:
    /// What was used lately, else the system would have to find, and clear, each page anew.
    Status acquire_memory(std::size_t bytes, std::shared_ptr<void> &memory) {
        std::shared_ptr<Stage> stage;
        {
            const std::lock_guard guard(idle_->mutex);
            if (auto idle = idle_->blocks.pop(bytes))
                stage = std::move(idle->stage);
        }
        if (!stage) {
            std::unique_ptr<Stage> made;
            if (const Status error = make_stage(StageKind::local, nullptr, bytes, made))
                return error;
            stage = std::move(made);
        }
        std::byte *const first = stage->host;
        memory = std::shared_ptr<void>(first, [idle = idle_, stage = std::move(stage)](void *) mutable {
            const std::lock_guard guard(idle->mutex);
            (void)without_throwing([&]() -> Status {
                idle->blocks.give_back({std::move(stage)});
                return PIXMPI_SUCCESS;
            });
        });
        return PIXMPI_SUCCESS;
    }

    struct Idle {
        std::mutex mutex;
        IdleBuffers<Block> blocks;
    };
    const std::shared_ptr<Idle> idle_ = std::make_shared<Idle>();
};

Status check(const pixMPI_Surface &named) {
    if (const Status error = check_plain_surface("format", named.format, named.width, named.height))
        return error;
    const FormatInfo &format = format_info(named.format);
    if (named.width == 0 || named.height == 0)
        return PIXMPI_SUCCESS;
    if (!named.data)
        return fail(PIXMPI_ERR_SURFACE, "surface.data: null, expected the address of %dx%d pixels", named.width,
                    named.height);
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(named.width) * format.bytes;
    // The most that lies between two rows, so that no address leaves the address space.
    const std::ptrdiff_t most = PTRDIFF_MAX / named.height;
    if (row > most)
        return fail(PIXMPI_ERR_SURFACE, "surface: %dx%d pixels of %s, expected at most %td bytes in all", named.width,
                    named.height, format.name, PTRDIFF_MAX);
    if (named.row_bytes > most || named.row_bytes < -most || (named.row_bytes < row && named.row_bytes > -row))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.row_bytes: %td, expected at least the %td of %d %s pixels, and at most %td",
                    named.row_bytes, row, named.width, format.name, most);
    return PIXMPI_SUCCESS;
}

} // namespace

std::shared_ptr<Device> host_device() {
    // Never destroyed: requests may be freed by destructors that run late.
    static const auto *const one = new std::shared_ptr<Device>(std::make_shared<HostDevice>());
    return *one;
}

Status make_host_surface(const pixMPI_Surface &named, std::shared_ptr<Surface> &surface) {
    if (const Status error = check(named))
        return error;
    surface = std::make_shared<HostSurface>(host_device(), named);
    return PIXMPI_SUCCESS;
}

std::shared_ptr<Surface> repeat_row(std::shared_ptr<Surface> row, int height) {
    return std::make_shared<HostSurface>(std::static_pointer_cast<HostSurface>(std::move(row)), height);
}

const Rows &pixels_of(const Surface &of_the_host) { return static_cast<const HostSurface &>(of_the_host).pixels; }

Rows rows_of(const Surface &of_the_host, const pixMPI_Rect &rect) {
    const Rows &all = pixels_of(of_the_host);
    return {all.first + rect.y * all.step + static_cast<std::ptrdiff_t>(rect.x) * of_the_host.pixel_bytes, all.step};
}

} // namespace pixmpi
