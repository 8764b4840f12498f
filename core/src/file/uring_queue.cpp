// The one file that includes liburing.
#include "file/io_queue.h"

#ifdef PIXMPI_WITH_URING
#include <liburing.h>
#endif

namespace pixmpi {

#ifdef PIXMPI_WITH_URING
namespace {

class UringQueue final : public IoQueue {
  public:
    ~UringQueue() override {
        if (opened_)
            io_uring_queue_exit(&ring_);
    }
    bool open_ring() {
        constexpr unsigned entries = 64;
        if (open() || io_uring_queue_init(entries, &ring_, 0) != 0)
            return false;
        opened_ = true;
        return io_uring_register_eventfd(&ring_, wakes_) == 0;
    }
    const char *name() const override { return "io_uring"; }
    bool start(IoOperation &one) override {
        io_uring_sqe *const entry = under_way_ < most ? io_uring_get_sqe(&ring_) : nullptr;
        if (!entry)
            return false;
        const auto bytes = static_cast<unsigned>(one.bytes);
        const auto offset = static_cast<std::uint64_t>(one.offset);
        if (one.kind == IoOperation::Kind::sync)
            io_uring_prep_fsync(entry, one.descriptor, IORING_FSYNC_DATASYNC);
        else if (one.kind == IoOperation::Kind::read)
            io_uring_prep_read(entry, one.descriptor, one.memory, bytes, offset);
        else
            io_uring_prep_write(entry, one.descriptor, one.memory, bytes, offset);
        io_uring_sqe_set_data(entry, &one);
        ++under_way_;
        return true;
    }
    // What the system does not take now is offered again.
    void flush() override { io_uring_submit(&ring_); }
    void reap() override {
        if (io_uring_sq_ready(&ring_) > 0)
            flush();
        io_uring_cqe *entry = nullptr;
        if (io_uring_peek_cqe(&ring_, &entry) != 0)
            return;
        drain_wakes();
        while (io_uring_peek_cqe(&ring_, &entry) == 0) {
            auto &one = *static_cast<IoOperation *>(io_uring_cqe_get_data(entry));
            one.result = entry->res;
            one.over = true;
            io_uring_cqe_seen(&ring_, entry);
            --under_way_;
        }
    }

  private:
    static constexpr int most = 64; ///< the completion queue has room for twice as many
    io_uring ring_{};
    bool opened_ = false;
};

} // namespace

std::unique_ptr<IoQueue> make_uring_queue() {
    auto queue = std::make_unique<UringQueue>();
    return queue->open_ring() ? std::move(queue) : nullptr;
}
#else
std::unique_ptr<IoQueue> make_uring_queue() { return nullptr; }
#endif

} // namespace pixmpi
