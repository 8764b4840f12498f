// Command buffers on their way through the queue, each with the memory that its commands need. A timeline semaphore
// counts them: a batch is over when the counter has reached its number, which is also its ticket.
#pragma once

#include "device/idle_buffers.h"
#include "object/buffers.h"
#include "object/scratch_image.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace vkmpi {

/// Semaphores of one submission beside our own.
struct Semaphores {
    std::vector<VkSemaphore> names;
    std::vector<std::uint64_t> values;
    void clear() {
        names.clear();
        values.clear();
    }
    bool empty() const { return names.empty(); }
    void add(VkSemaphore name, std::uint64_t value) {
        names.push_back(name);
        values.push_back(value);
    }
    void add(const Semaphores &more) {
        names.insert(names.end(), more.names.begin(), more.names.end());
        values.insert(values.end(), more.values.begin(), more.values.end());
    }
};

/// Dependencies that are recorded together: each barrier of its own costs a GPU two microseconds and more.
struct Dependencies {
    VkPipelineStageFlags from = 0, to = 0;
    std::optional<VkMemoryBarrier> memory;
    std::optional<VkBufferMemoryBarrier> buffer;
    bool any() const { return from != 0; }
};

struct Batch {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint64_t number = 0;               ///< once submitted
    bool in_use = false;                    ///< somebody still needs its memory
    bool begun = false;                     ///< its commands have not been submitted
    std::unique_ptr<Buffer> scratch;        ///< device
    std::unique_ptr<Buffer> list;           ///< host: work lists for shaders
    std::unique_ptr<Buffer> carry;          ///< host: pixels that the CPU copies from or to a stage
    std::vector<const Buffer *> taken;      ///< of these: its commands use them
    std::vector<std::shared_ptr<Buffer>> work; ///< device: lists that are kept for others as well; and what was taken
    std::vector<const Buffer *> uploads;       ///< of these: its commands write them
    std::unique_ptr<ScratchImage> image;    ///< for rectangles of buffers
    VkDescriptorPool sets = VK_NULL_HANDLE; ///< made on first use
    Dependencies first; ///< of what it reads beside the surface: recorded with the surface's first barrier, or flushed
    /// What has been written by its end is there for all that follows on the queue, whatever that is. Nobody waits for
    /// that: a GPU comes to it when the CPU knows already that the batch is over.
    bool shows = false;
    /// It is submitted before it is known that it has anything to do: its dispatches read their sizes from `sizes`, which
    /// are zero until its owner copies `dispatches` there.
    bool ahead = false;
    std::vector<VkDispatchIndirectCommand> dispatches;
    std::unique_ptr<Buffer> sizes; ///< host, for most_ahead of them
    static constexpr std::size_t most_ahead = 4;
};

/// Who has submitted a batch that waits (Batches::submit_ahead). The batch must not wait any longer when others follow it
/// on the queue, or when nobody looks after it: its owner then lets it go on, with nothing to do.
class AheadOwner {
  public:
    virtual void let_go() = 0;

  protected:
    ~AheadOwner() = default;
};

class Batches {
  public:
    explicit Batches(VulkanDevice &device) : device_(device) {}
    Status open();
    /// Whether all is over, after some time at most; what a lost device has left is.
    bool finish();
    /// Ends everything, when all is over.
    void destroy();

    /// A batch that nobody uses, its command buffer begun. It is the caller's until give().
    Status acquire(Batch *&batch);
    /// The batch's memory for its next commands: at least so large, with its content undefined, and not what earlier
    /// ones use.
    Status need(Batch &batch, std::unique_ptr<Buffer> Batch::*memory, Place place, std::size_t bytes);
    /// Memory with its content undefined, for others when nobody has it any more. Batches that use it keep it
    /// (Batch::work). Null: there is none.
    std::shared_ptr<Buffer> borrow(Place place, std::size_t bytes);
    /// A scratch image, at least so large, with its content undefined.
    Status need(std::unique_ptr<ScratchImage> &image, unsigned unit, const ScratchImage::Size &size);
    /// Records a batch's first dependencies alone, if they have not been yet.
    void flush(Batch &batch) const;
    /// Ends the commands and submits them. After an error nothing has been submitted.
    Status submit(Batch &batch, Semaphores &waits, Semaphores &signals);
    /// Makes the batch one that is submitted ahead, before its commands are recorded.
    Status prepare_ahead(Batch &batch);
    Status dispatch_ahead(Batch &batch, const VkDispatchIndirectCommand &size) const;
    /// The same as submit(), but the queue waits before the batch until go_on(). One at a time.
    Status submit_ahead(Batch &batch, AheadOwner &owner);
    Status go_on();
    bool waits() const { return waiting_; }
    void let_go() {
        if (owner_)
            owner_->let_go();
        else if (waiting_)
            (void)go_on();
    }
    /// The owner goes, and has not been able to let the batch go on.
    void leave_waiting() { owner_ = nullptr; }
    /// Whether it is submitted or not: nobody needs it any more, once it is over.
    void release(Batch &batch) { batch.in_use = false; }

    /// Gives back the memory of batches that nobody uses.
    void drop_idle();

    /// How far the queue has come.
    Status progress(std::uint64_t &number);
    std::uint64_t last() const { return last_; }
    /// Until the batch is over; false after `seconds`, or when the device is lost. After such a time-out nothing that
    /// batches may use is destroyed or used again before they are over: see retire().
    bool wait(std::uint64_t number, double seconds);
    /// A wait has timed out, and what was submitted before that is not over.
    bool is_overdue() const { return overdue_ > reached_ && goes_on(overdue_); }
    /// Destroys what only an overdue batch may still use: now, or when that is over. Where there is no memory to note
    /// it, it is never destroyed.
    template <class Destroy> void retire(Destroy destroy) {
        if (!is_overdue())
            destroy();
        else
            (void)pixmpi::without_throwing([&] {
                retired_.emplace_back(std::move(destroy));
                return PIXMPI_SUCCESS;
            });
    }
    /// The batch is not over, and no wait says that the device is lost: what it writes may still change.
    bool goes_on(std::uint64_t number) const;
    /// Until one more batch is over, or `seconds` have passed; false when none is under way.
    bool doze(double seconds) const;

  private:
    /// Memory of a place that waits for its next use.
    struct Spare : pixmpi::IdleBuffers<std::unique_ptr<Buffer>> {
        static constexpr std::size_t small = 1 << 20;
        Spare() : IdleBuffers(32, small) {}
    };
    Spare &spare(Place place) { return spare_[static_cast<std::size_t>(place)]; }
    std::shared_ptr<Buffer> share(std::unique_ptr<Buffer> buffer, Place place);
    template <class Make>
    Status reuse_or_make(Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer, Make make);
    bool is_idle(const Batch &batch) const { return !batch.in_use && batch.number <= reached_; }
    template <class Make> Status make_room(Make make);
    void lend(Batch &idle);
    Status submit_now(Batch &batch, Semaphores &waits, Semaphores &signals);
    Status make_timeline(VkSemaphore &timeline);
    void show_all(VkCommandBuffer commands) const;
    Status count_last();
    void reach(std::uint64_t number);
    void destroy_retired();
    VkResult wait_for(std::uint64_t number, double seconds) const;

    VulkanDevice &device_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkSemaphore timeline_ = VK_NULL_HANDLE;
    VkSemaphore gate_ = VK_NULL_HANDLE; ///< what is submitted ahead waits for its next value; made on first use
    std::uint64_t gate_value_ = 0;
    bool waiting_ = false;                            ///< one has been submitted ahead, and waits
    bool uncounted_ = false; ///< the last submission has no number
    AheadOwner *owner_ = nullptr;                     ///< its owner
    std::atomic<std::uint64_t> last_{0}, reached_{0}; ///< doze() reads them without the lock
    Spare spare_[places];                             ///< by Place
    std::vector<std::unique_ptr<Batch>> batches_;     ///< they give back to spare_ when they go
    std::vector<VkPipelineStageFlags> stages_;
    std::uint64_t overdue_ = 0; ///< the last that was submitted when a wait timed out
    std::vector<std::function<void()>> retired_;
};

} // namespace vkmpi
