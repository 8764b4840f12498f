// Finds the active cells of a picture by a device's shaders (shaders/find_active.comp): its pixels are packed into
// memory of the device, and only the cells' bits come to the host. search.h says what background is.
//
// Called as the device's transfers are: in the device's thread, with the core's lock held.
#pragma once

#include "composite/cells.h"
#include "device/device.h"

#include <optional>

namespace pixmpi {

class DeviceSearch {
  public:
    static constexpr std::size_t usual_bytes = std::size_t{64} << 20;
    /// `search` stays null where the device has no shaders for it. `at_once`: so many bytes are packed at once, or one
    /// row of cells.
    static Status make(std::shared_ptr<Device> device, std::unique_ptr<DeviceSearch> &search,
                       std::size_t at_once = usual_bytes);

    /// Begins to look through `rect`, which is not empty, of `plane`, depths or colours. `awaited`: as
    /// Transfer::await() has it. After an error give_up() follows.
    Status begin(std::shared_ptr<Surface> plane, const pixMPI_Rect &rect, bool awaited);
    /// Moves it along.
    Status advance(bool &over);
    void give_up();
    /// When it is over, or has been given up: whether `plane` may go.
    bool settled() { return !pack_ || pack_->settled(); }
    /// When it is over. None: the shaders cannot run now, as OpenGL may be in a state in which they do nothing, or
    /// there is no memory for them.
    const std::optional<Cells> &found() const { return found_; }

  private:
    DeviceSearch(std::shared_ptr<Device> device, std::unique_ptr<Passes> passes, std::size_t at_once);
    Status make_stages();
    Status pack(int first_row);
    Status look(bool &accepted);
    void read_bits();

    const std::shared_ptr<Device> device_;
    const std::size_t at_once_;
    std::shared_ptr<Surface> plane_;
    pixMPI_Rect rect_{}, band_{}; ///< band_: the part that is packed; it ends where a row of cells does
    int band_rows_ = 0;           ///< whole rows of cells
    std::optional<Cells> found_;
    bool looks_ = false; ///< the shader has been started, at this band
    bool ended_ = true;  ///< the transfer has been notified of the end
    Ticket packed_ = done, looked_ = done;
    // Transfers and passes go before the stages that they may still use.
    std::unique_ptr<Stage> pixels_, bits_;
    std::unique_ptr<Transfer> pack_;
    std::unique_ptr<Passes> passes_;
};

} // namespace pixmpi
