// Copies within a process: between all kinds of surfaces, devices and threads.
#include "rig/ends_gl.h"
#include "rig/ends_vk.h"
#include "rig/traffic.h"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

using namespace api;

namespace {

constexpr int width = 301, height = 203;

pixMPI_Stats stats() {
    pixMPI_Stats now = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&now));
    return now;
}

std::uint64_t copied_bytes(const pixMPI_Stats &stats) {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : stats.bytes_by_way)
        sum += bytes;
    return sum;
}

/// Copies by each of the three forms, and looks at all pixels of the target.
void by_all_forms(End &from, const Shape &from_shape, End &to, const Shape &to_shape) {
    const Bytes pixels = from.fill(seed_of(1, from_shape.pixels()));
    Bytes expected = to.fill(2);
    const Bytes before = expected;
    unpack(expected, to.width, to.pixel_bytes, to_shape, pack(pixels, from.width, from.pixel_bytes, from_shape));
    const auto check = [&] {
        CHECK_PIXELS(to.read(), expected, to.width, to.pixel_bytes);
        to.check_surroundings();
        to.write(before);
    };
    const pixMPI_Stats at_first = stats();
    NEED_OK(pixMPI_Copy(from.any(), from_shape, to.any(), to_shape));
    check();
    pixMPI_Request request;
    NEED_OK(pixMPI_Icopy(from.any(), from_shape, to.any(), to_shape, &request));
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    check();
    NEED_OK(pixMPI_Copy_init(from.any(), from_shape, to.any(), to_shape, &request));
    for (int turn = 0; turn < 2; ++turn) {
        NEED_OK(pixMPI_Start(&request));
        for (int flag = 0; !flag;)
            NEED_OK(pixMPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        check();
    }
    CHECK_OK(pixMPI_Request_free(&request));
    const pixMPI_Stats at_last = stats();
    CHECK_EQ(at_last.copies - at_first.copies, 4u);
    CHECK_EQ(copied_bytes(at_last) - copied_bytes(at_first),
             4 * from_shape.pixels() * static_cast<std::size_t>(from.pixel_bytes));
}

/// A thread that owns a surface, and its context if it has one. It serves copies of others until it ends.
class Owner {
  public:
    using Work = std::function<void()>;
    virtual ~Owner() = default;
    pixMPI_Surface surface{};

    /// Runs it in the owner's thread, and waits for that.
    void run(const Work &work) {
        std::unique_lock lock(mutex_);
        work_ = work;
        changed_.wait(lock, [&] { return !work_; });
    }
    Bytes read() {
        Bytes pixels;
        run([&] { pixels = do_read(); });
        return pixels;
    }
    void write(const Bytes &pixels) {
        run([&] { do_write(pixels); });
    }

  protected:
    virtual void open() = 0;
    virtual void close() = 0;
    virtual Bytes do_read() = 0;
    virtual void do_write(const Bytes &pixels) = 0;
    void begin() {
        thread_ = std::thread([this] { serve(); });
        run([] {});
    }
    void end() {
        run([&] { ending_ = true; });
        thread_.join();
    }

  private:
    void serve() {
        open();
        while (!ending_) {
            {
                const std::lock_guard lock(mutex_);
                if (work_) {
                    work_();
                    work_ = nullptr;
                    changed_.notify_all();
                }
            }
            if (pixMPI_Progress() != PIXMPI_SUCCESS)
                failed(__FILE__, __LINE__, pixMPI_Error_text());
            std::this_thread::yield();
        }
        close();
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    Work work_; ///< none: there is nothing to do
    bool ending_ = false;
    std::thread thread_;
};

class MemoryOwner final : public Owner {
  public:
    MemoryOwner() { begin(); }
    ~MemoryOwner() override { end(); }

  private:
    void open() override { surface = pixMPI_Memory(pixels_.data(), PIXMPI_RGBA8, width, height); }
    void close() override {}
    Bytes do_read() override { return pixels_; }
    void do_write(const Bytes &pixels) override { std::copy(pixels.begin(), pixels.end(), pixels_.begin()); }
    Bytes pixels_ = Bytes(4 * width * height);
};

class GlOwner final : public Owner {
  public:
    explicit GlOwner(const char *name) : name_(name) { begin(); }
    ~GlOwner() override { end(); }

  private:
    void open() override {
        std::string error;
        context_ = demo::Headless::make(context_options(), error);
        NEED(context_ != nullptr);
        for (const EndKind &kind : end_kinds())
            if (std::strcmp(kind.api, "gl") == 0 && std::strcmp(kind.name, name_) == 0)
                end_ = kind.make(PIXMPI_RGBA8, width, height);
        NEED(end_ != nullptr);
        NEED_OK(glMPI_With_context(end_->any(), &surface));
    }
    void close() override {
        end_.reset();
        CHECK_OK(glMPI_Context_release());
        context_->release_current();
    }
    Bytes do_read() override { return end_->read(); }
    void do_write(const Bytes &pixels) override { end_->write(pixels); }
    const char *const name_;
    std::unique_ptr<demo::Headless> context_;
    std::unique_ptr<End> end_;
};

class VulkanOwner final : public Owner {
  public:
    VulkanOwner() { begin(); }
    ~VulkanOwner() override { end(); }

  private:
    void open() override {
        std::string reason;
        device_ = vk_rig::Device::make(rig_options(), reason);
        NEED(device_ != nullptr);
        image_ = std::make_unique<VulkanImage>(*device_, PIXMPI_RGBA8, width, height);
        image_->fill(0);
        named_ = image_->surface();
        surface = vkMPI_Any(&named_, nullptr);
    }
    void close() override {
        image_.reset();
        CHECK(device_->close().empty());
    }
    Bytes do_read() override { return image_->read(); }
    void do_write(const Bytes &pixels) override { image_->write(pixels); }
    std::unique_ptr<vk_rig::Device> device_;
    std::unique_ptr<VulkanImage> image_;
    vkMPI_Surface named_{};
};

} // namespace

RANK_CASE(copy, between_all_ends, 1) {
    const Shape whole = rectangle(0, 0, width, height), corner = rectangle(17, 5, 64, 48);
    for (const EndKind &from_kind : end_kinds())
        for (const EndKind &to_kind : end_kinds()) {
            note("from %s to %s", from_kind.name, to_kind.name);
            const auto from = from_kind.make(PIXMPI_RGBA8, width, height),
                       to = to_kind.make(PIXMPI_RGBA8, width, height);
            by_all_forms(*from, whole, *to, whole);
            by_all_forms(*from, corner, *to, columns(3, 48, 20, 64, 2));
        }
}

RANK_CASE(copy, of_nothing, 1) {
    const auto from = make_memory(PIXMPI_R8, 20, 20);
    for (const EndKind &kind : end_kinds())
        if (const auto to = kind.make(PIXMPI_RGBA8, 20, 20); to->pixel_bytes == 4) {
            const auto other = make_memory(PIXMPI_RGBA8, 20, 20);
            by_all_forms(*other, rectangle(3, 3, 0, 9), *to, rectangle(0, 0, 0, 0));
        }
}

RANK_CASE(copy, two_devices_in_one_thread, 1) {
    std::string reason;
    vk_rig::Options options = rig_options();
    options.get = vulkan_entry();
    const auto other = vk_rig::Device::make(options, reason);
    NEED(other != nullptr);
    {
        VulkanImage here(need_vulkan(), PIXMPI_RGBA8, 900, 700), there(*other, PIXMPI_RGBA8, 900, 700);
        const Bytes sent = here.fill(5);
        there.fill(6);
        // Two contexts of one GPU need no host memory, a true one's or one's that the test makes believe in.
        const bool card = std::getenv("PIXMPI_TEST_GPUS") || other->name().find("llvmpipe") == std::string::npos;
        const pixMPI_Way way = card ? PIXMPI_WAY_DEVICE : PIXMPI_WAY_HOST;
        const pixMPI_Stats before = stats();
        for (int turn = 0; turn < 2; ++turn) {
            CHECK_OK(pixMPI_Copy(VulkanAny{here.surface()}, PIXMPI_WHOLE, VulkanAny{there.surface()}, PIXMPI_WHOLE));
            CHECK_PIXELS(there.read(), sent, 900, 4);
            there.fill(6);
        }
        CHECK_EQ(stats().bytes_by_way[way] - before.bytes_by_way[way], 2u * 900 * 700 * 4);
        const Shape part = rectangle(3, 5, 801, 602), upright = columns(1, 602, 7, 801, 1);
        Bytes expected = there.fill(6);
        unpack(expected, 900, 4, upright, pack(sent, 900, 4, part));
        CHECK_OK(pixMPI_Copy(VulkanAny{here.surface()}, part, VulkanAny{there.surface()}, upright));
        CHECK_PIXELS(there.read(), expected, 900, 4);
    }
    CHECK(other->close().empty());
}

RANK_CASE(copy, between_threads, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    std::vector<std::unique_ptr<Owner>> owners;
    owners.push_back(std::make_unique<MemoryOwner>());
    owners.push_back(std::make_unique<GlOwner>("texture"));
    owners.push_back(std::make_unique<GlOwner>("buffer"));
    owners.push_back(std::make_unique<VulkanOwner>());
    owners.push_back(std::make_unique<VulkanOwner>());
    const Shape part = rectangle(1, 2, width - 9, height - 7);
    for (std::size_t from = 0; from < owners.size(); ++from)
        for (std::size_t to = 0; to < owners.size(); ++to) {
            if (from == to)
                continue;
            note("from the surface of thread %zu to that of thread %zu", from, to);
            const Bytes pixels = pattern(4 * width * height, seed_of(from, to));
            Bytes expected = pattern(4 * width * height, 9);
            owners[from]->write(pixels);
            owners[to]->write(expected);
            unpack(expected, width, 4, part, pack(pixels, width, 4, part));
            if ((from + to) % 2) {
                NEED_OK(pixMPI_Copy(owners[from]->surface, part, owners[to]->surface, part));
            } else {
                pixMPI_Request request;
                NEED_OK(pixMPI_Icopy(owners[from]->surface, part, owners[to]->surface, part, &request));
                NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            }
            CHECK_PIXELS(owners[to]->read(), expected, width, 4);
        }
}

// All threads start copies at once, each from its own surface to the next one's.
RANK_CASE(copy, from_all_threads_at_once, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    std::vector<std::unique_ptr<Owner>> owners;
    owners.push_back(std::make_unique<GlOwner>("texture"));
    owners.push_back(std::make_unique<VulkanOwner>());
    owners.push_back(std::make_unique<GlOwner>("texture"));
    owners.push_back(std::make_unique<VulkanOwner>());
    const std::size_t n = owners.size();
    std::vector<Bytes> memory(n, Bytes(4 * width * height));
    std::vector<pixMPI_Request> requests(2 * n);
    for (std::size_t i = 0; i < n; ++i)
        owners[i]->write(pattern(4 * width * height, i));
    // The upper half goes to the next surface's lower half, and all of the upper half to memory.
    const Shape upper = rectangle(0, 101, width, 101), lower = rectangle(0, 0, width, 101);
    for (std::size_t i = 0; i < n; ++i)
        owners[i]->run([&, i] {
            CHECK_OK(pixMPI_Icopy(owners[i]->surface, upper, owners[(i + 1) % n]->surface, lower, &requests[2 * i]));
            const pixMPI_Surface target = pixMPI_Memory(memory[i].data(), PIXMPI_RGBA8, width, height);
            CHECK_OK(pixMPI_Icopy(owners[i]->surface, upper, target, upper, &requests[2 * i + 1]));
        });
    NEED_OK(pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < n; ++i) {
        Bytes expected = pattern(4 * width * height, i), in_memory(4 * width * height);
        unpack(in_memory, width, 4, upper, pack(expected, width, 4, upper));
        unpack(expected, width, 4, lower, pack(pattern(4 * width * height, (i + n - 1) % n), width, 4, upper));
        CHECK_PIXELS(owners[i]->read(), expected, width, 4);
        CHECK_PIXELS(memory[i], in_memory, width, 4);
    }
}

// Each rank has three devices, each in its own thread, and all of them one communicator: a picture goes from each
// thread to the thread of that number on the next rank, and from there to the next thread's device.
RANK_CASE(copy, threads_with_devices_and_one_communicator, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    std::vector<std::unique_ptr<Owner>> sources, targets;
    for (int i = 0; i < 3; ++i) {
        sources.push_back(std::make_unique<VulkanOwner>());
        targets.push_back(std::make_unique<VulkanOwner>());
    }
    const std::size_t n = sources.size();
    const auto content = [](int of, std::size_t i) {
        return pattern(4 * width * height, seed_of(20, i, static_cast<std::uint64_t>(of)));
    };
    for (std::size_t i = 0; i < n; ++i)
        sources[i]->write(content(rank, i));
    std::vector<std::thread> all;
    std::vector<Bytes> came(n, Bytes(4 * width * height));
    for (std::size_t i = 0; i < n; ++i)
        all.emplace_back([&, i] {
            const int tag = 100 + static_cast<int>(i);
            const pixMPI_Surface memory = pixMPI_Memory(came[i].data(), PIXMPI_RGBA8, width, height);
            sources[i]->run([&] { // the message's end is this device, in its own thread
                CHECK_OK(pixMPI_Sendrecv(sources[i]->surface, PIXMPI_WHOLE, next_rank(), tag, memory, PIXMPI_WHOLE,
                                         previous_rank(), tag, world(), MPI_STATUS_IGNORE));
            });
            CHECK_OK(pixMPI_Copy(memory, PIXMPI_WHOLE, targets[(i + 1) % n]->surface, PIXMPI_WHOLE));
        });
    for (std::thread &thread : all)
        thread.join();
    for (std::size_t i = 0; i < n; ++i) {
        CHECK_PIXELS(came[i], content(previous_rank(), i), width, 4);
        CHECK_PIXELS(targets[(i + 1) % n]->read(), content(previous_rank(), i), width, 4);
    }
}

RANK_CASE(copy, context_that_nobody_has, 1) {
    std::string error;
    need_context().release_current();
    const auto other = demo::Headless::make(context_options(), error);
    NEED(other != nullptr);
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 20, 10, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    pixMPI_Surface surface;
    NEED_OK(glMPI_With_context(glMPI_Texture2D(texture), &surface));
    other->release_current();
    Bytes memory(4 * 20 * 10, 7);
    const pixMPI_Surface target = pixMPI_Memory(memory.data(), PIXMPI_RGBA8, 20, 10);
    CHECK_FAILS(pixMPI_Copy(surface, PIXMPI_WHOLE, target, PIXMPI_WHOLE), PIXMPI_ERR_CONTEXT,
                "pixMPI_Copy context not current");
    CHECK(memory == Bytes(4 * 20 * 10, 7));
    CHECK_FAILS(pixMPI_Send(surface, PIXMPI_WHOLE, rank, 1, world()), PIXMPI_ERR_CONTEXT,
                "pixMPI_Send context pixMPI_Copy");
    // A copy goes on when its context comes later.
    memory[4 * (2 * 20 + 3)] = 9; // the first of a rectangle, see below
    pixMPI_Request request;
    NEED_OK(pixMPI_Icopy(target, PIXMPI_WHOLE, surface, PIXMPI_WHOLE, &request));
    int flag = 1;
    CHECK_OK(pixMPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    other->make_current();
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    Bytes seen(memory.size());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
    CHECK(seen == memory);
    // So does one of a rectangle.
    other->release_current();
    Bytes part(4 * 5 * 4, 0), expected(part.size(), 7);
    expected[0] = 9;
    NEED_OK(pixMPI_Icopy(pixMPI_Sub(surface, 3, 2, 5, 4), PIXMPI_WHOLE, pixMPI_Memory(part.data(), PIXMPI_RGBA8, 5, 4),
                         PIXMPI_WHOLE, &request));
    other->make_current();
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_PIXELS(part, expected, 5, 4);
    // Or is cancelled, while no thread has it.
    other->release_current();
    MPI_Status status;
    memory.assign(memory.size(), 9);
    NEED_OK(pixMPI_Icopy(target, PIXMPI_WHOLE, surface, PIXMPI_WHOLE, &request));
    CHECK_OK(pixMPI_Cancel(&request));
    NEED_OK(pixMPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &flag);
    CHECK_EQ(flag, 1);
    // Too late for one that has all it needs.
    other->make_current();
    NEED_OK(pixMPI_Icopy(surface, PIXMPI_WHOLE, target, PIXMPI_WHOLE, &request));
    CHECK_OK(pixMPI_Cancel(&request));
    NEED_OK(pixMPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &flag);
    CHECK_EQ(flag, 0);
    CHECK(seen == memory);
    // A texture that has changed since it was named.
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 10, 10, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    CHECK_FAILS(pixMPI_Copy(target, PIXMPI_WHOLE, surface, PIXMPI_WHOLE), PIXMPI_ERR_SURFACE, "10x10 20x10");
    glDeleteTextures(1, &texture);
    CHECK_OK(glMPI_Context_release());
    CHECK_FAILS(pixMPI_Copy(target, PIXMPI_WHOLE, surface, PIXMPI_WHOLE), PIXMPI_ERR_CONTEXT, "released");
    other->release_current();
    need_context().make_current();
}

RANK_CASE(copy, cancelled_before_an_end_begins, 1) {
    // The end with a context in another thread does what its surface was promised, as soon as it can.
    vk_rig::Device &device = need_vulkan();
    VulkanImage image(device, PIXMPI_RGBA8, 20, 10, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const Bytes before = image.fill(4);
    Bytes memory(before.size());
    const VkSemaphore timeline = device.make_timeline(0);
    const std::uint64_t one = 1;
    vkMPI_Sync sync{};
    sync.signal_count = 1;
    sync.signals = &timeline;
    sync.signal_values = &one;
    vkMPI_Surface surface = image.surface();
    surface.layout_after = VK_IMAGE_LAYOUT_GENERAL;
    std::thread([&] { CHECK_OK(vkMPI_Context_bind(device.context())); }).join();
    pixMPI_Request request;
    CHECK_OK(pixMPI_Icopy(pixMPI_Memory(memory.data(), PIXMPI_RGBA8, 20, 10), PIXMPI_WHOLE, vkMPI_Any(&surface, &sync),
                          PIXMPI_WHOLE, &request));
    CHECK_OK(pixMPI_Cancel(&request));
    CHECK_OK(pixMPI_Progress());
    CHECK_OK(vkMPI_Context_bind(device.context()));
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(device.wait_for(timeline, 1));
    CHECK(image.read(VK_IMAGE_LAYOUT_GENERAL) == before);
    CHECK_SILENCE(device);
    vkDeviceWaitIdle(device.info.device);
    device.destroy(timeline);
}

RANK_CASE(copy, wrong_arguments, 1) {
    Bytes memory(4 * 64 * 64);
    const pixMPI_Surface rgba = pixMPI_Memory(memory.data(), PIXMPI_RGBA8, 64, 64),
                         red = pixMPI_Memory(memory.data(), PIXMPI_R8, 64, 64);
    pixMPI_Request request;
    CHECK_FAILS(pixMPI_Copy(rgba, PIXMPI_WHOLE, red, PIXMPI_WHOLE), PIXMPI_ERR_FORMAT, "to 1 bytes 4");
    // As many bytes in all, but not in each plane.
    const pixMPI_Surface wide = pixMPI_Memory(memory.data(), PIXMPI_RGBA16F, 4, 4),
                         narrow = pixMPI_Memory(memory.data(), PIXMPI_RGBA8, 4, 4),
                         depth = pixMPI_Memory(memory.data() + 4096, PIXMPI_DEPTH32F, 4, 4),
                         stencil = pixMPI_Memory(memory.data() + 4096, PIXMPI_DEPTH32F_STENCIL8, 4, 4);
    CHECK_FAILS(pixMPI_Copy(pixMPI_With_depth(&wide, &depth), PIXMPI_WHOLE, pixMPI_With_depth(&narrow, &stencil),
                            PIXMPI_WHOLE),
                PIXMPI_ERR_FORMAT, "to 4 + 8 8 + 4");
    CHECK_FAILS(pixMPI_Copy(rgba, PIXMPI_WHOLE, rgba, rectangle(0, 0, 3, 3)), PIXMPI_ERR_REGION, "to_region: 9 4096");
    CHECK_FAILS(pixMPI_Copy(rgba, rectangle(60, 0, 5, 1), rgba, rectangle(0, 0, 5, 1)), PIXMPI_ERR_REGION,
                "from_region 64x64");
    CHECK_FAILS(pixMPI_Copy(rgba, PIXMPI_REGION_NULL, rgba, PIXMPI_WHOLE), PIXMPI_ERR_REGION, "from_region");
    CHECK_FAILS(pixMPI_Icopy(rgba, PIXMPI_WHOLE, rgba, PIXMPI_WHOLE, nullptr), PIXMPI_ERR_ARGUMENT, "request: null");
    CHECK_FAILS(pixMPI_Copy_init(rgba, PIXMPI_WHOLE, rgba, PIXMPI_WHOLE, nullptr), PIXMPI_ERR_ARGUMENT,
                "request: null");
    CHECK_FAILS(pixMPI_Copy(pixMPI_Memory(nullptr, PIXMPI_R8, 2, 2), PIXMPI_WHOLE, red, rectangle(0, 0, 2, 2)),
                PIXMPI_ERR_SURFACE, "data: null");
    NEED_OK(pixMPI_Copy_init(rgba, rectangle(0, 0, 4, 4), rgba, rectangle(8, 8, 4, 4), &request));
    CHECK_FAILS(pixMPI_Cancel(&request), PIXMPI_ERR_REQUEST, "inactive");
    CHECK_OK(pixMPI_Request_free(&request));
    CHECK_FAILS(glMPI_With_context(glMPI_Texture2D(4711), nullptr), PIXMPI_ERR_SURFACE, "4711");
}
