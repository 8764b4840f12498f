// One transfer between a file and stages. A band's pixels are spans of the file. Spans that are near each other are
// read as one block, those that touch are written as one, by way of memory of the device where the stage's own does
// not do.
#pragma once

#include "file/file_device.h"

#include <deque>
#include <list>

namespace pixmpi {

class FileTransfer final : public Transfer {
  public:
    FileTransfer(Direction direction, std::shared_ptr<FileSurface> surface, std::shared_ptr<const Region> region);
    ~FileTransfer() override;
    void start() override;
    Status begin(std::uint64_t) override { return PIXMPI_SUCCESS; }
    Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) override;
    Status poll(Ticket ticket, bool &over) override;
    void give_up() override;
    bool settled() override;

  private:
    struct Span {
        std::int64_t offset;
        std::size_t bytes;
        std::byte *memory;
        std::int64_t end() const { return offset + static_cast<std::int64_t>(bytes); }
    };
    /// One operation, and the spans in it.
    struct Block {
        IoOperation io;
        std::vector<Span> spans;  ///< parts that lie within it
        std::byte *own = nullptr; ///< the device's memory, which the spans pass through; null: io.memory is the stage's
        bool straight = false;    ///< no memory of the device is needed
        bool direct = false;      ///< past the page cache
        std::size_t needed = 0;   ///< bytes from its beginning that have to be there
        std::size_t moved = 0;
        Ticket band = done;
    };
    using Blocks = std::list<Block>;

    std::vector<Span> spans_of(std::uint64_t first, std::uint64_t count, std::byte *memory);
    void hold_last_byte(std::vector<Span> &spans) const;
    void add_blocks(const Span *first, const Span *last, Ticket band);
    void add_cut(std::int64_t from, std::int64_t to, const Span *first, const Span *last, bool direct, Ticket band);
    void add_block(std::int64_t from, std::int64_t to, const Span *first, const Span *last, bool direct, Ticket band);
    void start_waiting();
    Status collect();
    Status look_at(Block &block, bool &again);
    Status ends_early(const Block &block) const;
    void drop(Block &block);
    bool reads() const { return direction_ == Direction::pack; }

    const Direction direction_;
    const std::shared_ptr<FileSurface> surface_;
    const std::shared_ptr<const Region> region_;
    FileDevice &device_;
    Blocks waiting_, under_way_;
    std::deque<std::pair<Ticket, int>> bands_; ///< and how many of their blocks are not over
    Ticket last_ = done;
};

} // namespace pixmpi
