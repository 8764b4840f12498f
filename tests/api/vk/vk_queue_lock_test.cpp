// Programs that hold their own lock of a queue and call the library all the same: an error, and no end of waiting.
#include "vk/vk_sync.h"

#include <atomic>
#include <mutex>
#include <thread>

using namespace api;

namespace {

/// The program's lock of a queue.
struct ProgramLock {
    static void take(void *self) {
        auto *one = static_cast<ProgramLock *>(self);
        ++one->asked;
        one->mutex.lock();
    }
    static void give(void *self) {
        auto *one = static_cast<ProgramLock *>(self);
        one->mutex.unlock();
        ++one->given;
    }
    std::mutex mutex;
    std::atomic<int> asked{0}, given{0}; ///< how often the library has
};

/// A device with such a lock.
struct Locked {
    explicit Locked(void (*take)(void *) = ProgramLock::take) {
        vk_rig::Options options = rig_options();
        options.lock = take;
        options.unlock = ProgramLock::give;
        options.lock_data = &lock;
        std::string reason;
        device = vk_rig::Device::make(options, reason);
        if (!device)
            failed(__FILE__, __LINE__, reason);
        NEED(device != nullptr);
    }
    ~Locked() {
        const std::string said = device->close();
        if (!said.empty())
            failed(__FILE__, __LINE__, said);
    }
    ProgramLock lock;
    std::unique_ptr<vk_rig::Device> device;
};

constexpr int edge = 300;

/// A message of the image to this rank itself, with a posted receive.
class ToItself {
  public:
    explicit ToItself(vk_rig::Device &device)
        : image_(device, PIXMPI_RGBA8, edge, edge), sent_(image_.fill(1)), seen_(sent_.size()) {
        NEED_OK(pixMPI_Irecv(pixMPI_Memory(seen_.data(), PIXMPI_RGBA8, edge, edge), PIXMPI_WHOLE, rank, 1, world(),
                             &request_));
    }
    int send() const { return vkMPI_Send(image_.surface(), PIXMPI_WHOLE, rank, 1, world(), nullptr); }
    /// How the receive ends.
    void check(int expected) {
        CHECK_EQ(pixMPI_Wait(&request_, MPI_STATUS_IGNORE), expected);
        if (expected == PIXMPI_SUCCESS)
            CHECK_PIXELS(seen_, sent_, edge, 4);
    }

  private:
    VulkanImage image_;
    const Bytes sent_;
    Bytes seen_;
    pixMPI_Request request_ = PIXMPI_REQUEST_NULL;
};

} // namespace

RANK_CASE(vk_queue_lock, held_by_the_thread_that_sends, 1) {
    Locked locked;
    {
        ToItself message(*locked.device);
        const std::lock_guard held(locked.lock.mutex);
        CHECK_FAILS(message.send(), PIXMPI_ERR_TIMEOUT, "vkMPI_Send lock_queue");
        // It has not returned yet: what it uses has to stay.
        vkMPI_Context context = locked.device->context();
        CHECK_FAILS(vkMPI_Context_free(&context), PIXMPI_ERR_TIMEOUT, "vkMPI_Context_free lock_queue");
        message.check(PIXMPI_ERR_PEER);
    }
    while (locked.lock.given < locked.lock.asked) // messages fail until lock_queue has returned
        std::this_thread::yield();
    ToItself again(*locked.device);
    CHECK_OK(again.send());
    again.check(PIXMPI_SUCCESS);
}

RANK_CASE(vk_queue_lock, held_by_a_thread_that_waits_for_the_library, 1) {
    // A thread sends, and waits for the program's lock. The thread that holds that one is refused, and the message
    // arrives as soon as the lock is free.
    NEED(threads >= MPI_THREAD_SERIALIZED);
    Locked locked;
    ToItself message(*locked.device);
    int code = -1;
    std::unique_lock held(locked.lock.mutex);
    const int before = locked.lock.asked;
    std::thread sender([&] { code = message.send(); });
    while (locked.lock.asked == before)
        std::this_thread::yield();
    CHECK_FAILS(pixMPI_Progress(), PIXMPI_ERR_TIMEOUT, "pixMPI_Progress lock_queue");
    held.unlock();
    sender.join();
    CHECK_EQ(code, PIXMPI_SUCCESS);
    message.check(PIXMPI_SUCCESS);
}

RANK_CASE(vk_queue_lock, a_callback_that_calls_the_library, 1) {
    // Its thread would wait for the one that waits for it.
    NEED(threads >= MPI_THREAD_SERIALIZED);
    static std::atomic<int> seen;
    static std::atomic<bool> calls;
    struct Calling {
        static void take(void *lock) {
            if (calls.exchange(false))
                seen = pixMPI_Progress();
            ProgramLock::take(lock);
        }
    };
    seen = -1;
    calls = false;
    Locked locked(Calling::take);
    ToItself message(*locked.device);
    calls = true;
    CHECK_OK(message.send());
    message.check(PIXMPI_SUCCESS);
    CHECK_EQ(seen.load(), PIXMPI_ERR_TIMEOUT);
}
