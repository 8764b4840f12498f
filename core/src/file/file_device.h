// Files as a device: a picture in a file is a surface. Its pixels are read into stages and written from them.
#pragma once

#include "file/io_queue.h"
#include "file/open_file.h"

namespace pixmpi {

/// The last byte of a file, which is written when all else lies on the disk.
struct LastByte {
    bool held = false; ///< this rank has written its pixel, all but this byte
    std::byte value{};
};

class FileSurface final : public Surface {
  public:
    /// `last`: the byte that is written separately; null: there is none.
    FileSurface(std::shared_ptr<Device> files, std::shared_ptr<OpenFile> file_, std::shared_ptr<const Grid> grid_,
                std::shared_ptr<LastByte> last_ = nullptr)
        : Surface(std::move(files), grid_->extent, grid_->format), file(std::move(file_)), grid(std::move(grid_)),
          last(std::move(last_)) {}
    bool on_disk() const override { return file->direct() >= 0; }
    const std::shared_ptr<OpenFile> file;
    const std::shared_ptr<const Grid> grid;
    const std::shared_ptr<LastByte> last;
};

class FileDevice final : public Device {
  public:
    /// The process' one, made when it is asked for first.
    static Status get(std::shared_ptr<Device> &device);

    FileDevice() {
        traits_.api = "file";
        traits_.band_bytes = std::size_t{4} << 20;
        traits_.reaches_shared = traits_.keeps_files = true;
        traits_.has_threads = true; // the system works meanwhile
    }
    bool usable() const override { return true; }
    bool doze(double seconds) override { return queue->doze(seconds); }
    Status make_stage(StageKind kind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) override;
    Status make_transfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                         std::unique_ptr<Transfer> &transfer) override;
    Status make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) override;

    /// Memory between stage and disk, where their alignments differ; null when all is in use.
    std::byte *acquire_block();
    void give_block(std::byte *block) { idle_.push_back(block); }
    static constexpr std::size_t block_bytes = 1 << 20;

    std::unique_ptr<IoQueue> queue;

  private:
    std::vector<std::byte *> idle_; ///< of those that were ever made; they are kept
    std::size_t made_ = 0;
};

} // namespace pixmpi
