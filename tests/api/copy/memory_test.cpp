// Memory that the CPU and a device share: what both see, whichever side touches it, and by what.
#include "rig/ends_gl.h"
#include "rig/ends_vk.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <glmpi_memory.h>
#include <random>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vkmpi_memory.h>

using namespace api;

namespace {

// Where the system does not allow userfaultfd there is nothing to test with it.
const bool able = [] {
    const char *const wish = std::getenv("PIXMPI_SHADOW");
    if (!wish || std::string_view(wish) != "userfaultfd")
        return true;
    const int descriptor = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
    if (descriptor >= 0 || access("/dev/userfaultfd", R_OK | W_OK) == 0)
        return close(descriptor) == 0 || true;
    std::puts("skipped: the system does not allow userfaultfd");
    std::fflush(stdout);
    ::_exit(77);
}();

/// Whether PIXMPI_SHADOW asks for a shadow, which coherent objects have not on software drivers.
bool shadowed() { return std::getenv("PIXMPI_SHADOW") != nullptr; }
bool by_signal() { return shadowed() && std::string_view(std::getenv("PIXMPI_SHADOW")) == "signal"; }

/// An object, and what the device has, which is read and written by way of its buffer.
class Object {
  public:
    Object(const char *api, std::size_t bytes, pixMPI_Sharing kind) : bytes_(static_cast<int>(bytes)) {
        void *pointer = nullptr;
        if (std::strcmp(api, "vk") == 0) {
            vulkan_ = vkMPI_Buffer(need_vulkan().context(), VK_NULL_HANDLE, PIXMPI_R8, bytes_, 1);
            NEED_OK(vkMPI_Shared_create(vulkan_.context, bytes, 0, kind, &pointer, &vulkan_.buffer));
        } else {
            need_context();
            NEED_OK(glMPI_Shared_create(bytes, kind, &pointer, &gl_));
        }
        data = static_cast<std::uint8_t *>(pointer);
    }
    ~Object() { CHECK_OK(pixMPI_Shared_free(data)); }
    Object(const Object &) = delete;

    Bytes device_reads() const {
        Bytes seen(static_cast<std::size_t>(bytes_));
        CHECK_OK(pixMPI_Copy(device(), PIXMPI_WHOLE, memory(seen), PIXMPI_WHOLE));
        return seen;
    }
    void device_writes(std::size_t offset, const Bytes &bytes) const {
        const Shape where = rectangle(static_cast<int>(offset), 0, static_cast<int>(bytes.size()), 1);
        CHECK_OK(pixMPI_Copy(memory(bytes), PIXMPI_WHOLE, device(), where));
    }
    pixMPI_Shared_info info() const {
        pixMPI_Shared_info info = PIXMPI_SHARED_INFO_INIT;
        CHECK_OK(pixMPI_Shared_get_info(data + bytes_ / 2, &info));
        return info;
    }
    std::uint8_t *data = nullptr;

  private:
    static pixMPI_Surface memory(const Bytes &bytes) {
        return pixMPI_Memory(bytes.data(), PIXMPI_R8, static_cast<int>(bytes.size()), 1);
    }
    pixMPI_Surface device() const {
        return vulkan_.buffer ? vkMPI_Any(&vulkan_, nullptr) : glMPI_Buffer(gl_, PIXMPI_R8, bytes_, 1);
    }
    const int bytes_;
    vkMPI_Surface vulkan_{};
    unsigned gl_ = 0;
};

constexpr const char *apis[] = {"vk", "gl"};
constexpr std::size_t block = 64 << 10; ///< of objects below 512 MiB

Bytes content(const Object &object, std::size_t bytes) { return {object.data, object.data + bytes}; }

} // namespace

RANK_CASE(memory, kinds, 1) {
    for (const char *api : apis)
        for (int kind = PIXMPI_SHARED_AUTO; kind <= PIXMPI_SHARED_COHERENT; ++kind)
            for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, 3 * block + 5}) {
                note("%s, kind %d, %zu bytes", api, kind, bytes);
                const Object object(api, bytes, static_cast<pixMPI_Sharing>(kind));
                const pixMPI_Shared_info info = object.info();
                const std::string_view guard = info.faults; // GPUs take the system's best one, unasked
                const bool coherent = kind == PIXMPI_SHARED_AUTO || kind == PIXMPI_SHARED_COHERENT;
                if (coherent && shadowed())
                    CHECK(guard == std::getenv("PIXMPI_SHADOW"));
                else
                    CHECK(guard == "none" || (coherent && (guard == "userfaultfd" || guard == "signal")));
                CHECK_EQ(info.bytes, bytes);
                CHECK(info.pointer == object.data);
                CHECK(info.kind != PIXMPI_SHARED_AUTO);
                CHECK(content(object, bytes) == Bytes(bytes));
                Bytes pixels = pattern(bytes, 3);
                std::memcpy(object.data, pixels.data(), bytes);
                CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_READ | PIXMPI_WRITE));
                CHECK(object.device_reads() == pixels);
                const Bytes last = pattern(1, 4);
                object.device_writes(bytes - 1, last);
                CHECK_OK(pixMPI_Shared_to_host(object.data + bytes - 1));
                pixels.back() = last[0];
                CHECK(content(object, bytes) == pixels);
            }
}

// Threads of the program write and read, the device writes alternately; a copy of all of it in plain memory says what
// has to be there.
RANK_CASE(memory, random_touches, 1) {
    constexpr std::size_t bytes = 40 * block + 123;
    constexpr int rounds = 6, threads_per_round = 3;
    for (const char *api : apis) {
        const Object object(api, bytes, PIXMPI_SHARED_COHERENT);
        Bytes model(bytes);
        for (int round = 0; round < rounds; ++round) {
            note("%s, round %d", api, round);
            std::vector<std::thread> all;
            std::vector<int> wrong(threads_per_round, 0);
            std::atomic<int> busy{threads_per_round};
            for (std::size_t t = 0; t < threads_per_round; ++t)
                all.emplace_back([&, t] {
                    std::minstd_rand random(static_cast<unsigned>(round * 10) + static_cast<unsigned>(t) + 1);
                    for (int touch = 0; touch < 60; ++touch) { // its own bytes, in the same pages
                        const std::size_t at = (random() % (bytes / 4)) * 4 + t;
                        if (at >= bytes)
                            continue;
                        wrong[t] += object.data[at] != model[at];
                        if (random() % 2)
                            object.data[at] = model[at] = static_cast<std::uint8_t>(random());
                    }
                    --busy;
                });
            // Vulkan's bytes are fetched in this thread's calls.
            while (busy > 0) {
                CHECK_OK(pixMPI_Progress());
                usleep(100);
            }
            for (std::thread &one : all)
                one.join();
            for (const int count : wrong)
                CHECK_EQ(count, 0);
            CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_READ | PIXMPI_WRITE));
            CHECK(object.device_reads() == model);
            std::minstd_rand random(static_cast<unsigned>(round) + 99);
            const std::size_t count = random() % (3 * block) + 1, at = random() % (bytes - count);
            const Bytes written = pattern(count, seed_of(static_cast<std::uint64_t>(round), 7));
            object.device_writes(at, written);
            std::copy(written.begin(), written.end(), model.begin() + static_cast<std::ptrdiff_t>(at));
            CHECK_OK(pixMPI_Shared_to_host(object.data));
        }
        CHECK(content(object, bytes) == model);
    }
}

namespace {

void touch_some(const char *api) {
    note("%s", api);
    constexpr std::size_t bytes = 64 * block;
    const Object object(api, bytes, PIXMPI_SHARED_COHERENT);
    CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_WRITE));
    CHECK_OK(pixMPI_Shared_to_host(object.data));
    const pixMPI_Shared_info before = object.info();
    CHECK_EQ(before.block_bytes, block);
    object.data[17 * block + 3] = 9;
    CHECK_EQ(object.data[40 * block], 0);
    CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_READ));
    CHECK_EQ(object.device_reads()[17 * block + 3], 9);
    CHECK_OK(pixMPI_Shared_to_host(object.data));
    CHECK_EQ(object.data[17 * block + 3], 9);
    const pixMPI_Shared_info after = object.info();
    CHECK_EQ(after.bytes_fetched - before.bytes_fetched, 2 * block);
    CHECK_EQ(after.bytes_written - before.bytes_written, block);
    // A thread that reads on gets more at once.
    CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_WRITE));
    CHECK_OK(pixMPI_Shared_to_host(object.data));
    unsigned sum = 0;
    for (std::size_t i = 0; i < bytes; i += 512)
        sum += object.data[i];
    CHECK_EQ(sum, 0u);
    CHECK(object.info().fault_count - after.fault_count <= 8);
}

} // namespace

RANK_CASE(memory, only_what_is_touched, 1) {
    if (!shadowed())
        return leave_out("without a shadow nothing is copied");
    const char *const when = std::getenv("PIXMPI_GL_FETCH");
    for (const char *const api : apis)
        if (std::string_view(api) != "gl" || !when || std::string_view(when) == "touch")
            touch_some(api);
}

// Any part of an object is what a verb sends, receives and copies; what is newest counts.
RANK_CASE(memory, in_messages, 1) {
    constexpr int width = 301, height = 203;
    constexpr std::size_t offset = 4096 + 12, row = 4 * (width + 3), bytes = offset + row * height;
    for (const char *api : apis)
        for (const pixMPI_Sharing kind : {PIXMPI_SHARED_PINNED, PIXMPI_SHARED_MAPPED, PIXMPI_SHARED_COHERENT}) {
            note("%s, kind %d", api, kind);
            const Object from(api, bytes, kind), to(api, bytes, kind);
            Bytes sent = pattern(bytes, seed_of(static_cast<std::uint64_t>(rank), 1)), model = pattern(bytes, 2);
            std::memcpy(from.data, sent.data(), bytes);
            std::memcpy(to.data, model.data(), bytes);
            const auto surface = [&](const Object &object) {
                pixMPI_Surface named = pixMPI_Memory(object.data + offset, PIXMPI_RGBA8, width, height);
                named.row_bytes = row;
                return named;
            };
            const auto expect = [&](const Bytes &source) {
                for (std::size_t y = 0; y < height; ++y)
                    std::memcpy(&model[offset + y * row], &source[offset + y * row], 4 * width);
                CHECK(content(to, bytes) == model);
            };
            NEED_OK(pixMPI_Sendrecv(surface(from), PIXMPI_WHOLE, next_rank(), 5, surface(to), PIXMPI_WHOLE,
                                    previous_rank(), 5, world(), MPI_STATUS_IGNORE));
            expect(pattern(bytes, seed_of(static_cast<std::uint64_t>(previous_rank()), 1)));
            pixMPI_Request copy;
            NEED_OK(pixMPI_Copy_init(surface(from), PIXMPI_WHOLE, surface(to), PIXMPI_WHOLE, &copy));
            for (int turn = 0; turn < 2; ++turn) {
                from.data[offset + 4] = sent[offset + 4] = static_cast<std::uint8_t>(100 + turn);
                to.data[offset - 1] = model[offset - 1] = static_cast<std::uint8_t>(turn); // outside the pixels
                NEED_OK(pixMPI_Start(&copy));
                NEED_OK(pixMPI_Wait(&copy, MPI_STATUS_IGNORE));
                expect(sent);
            }
            CHECK_OK(pixMPI_Request_free(&copy));
            // What the device has written goes out, without the CPU's having it.
            CHECK_OK(pixMPI_Shared_to_device(from.data, PIXMPI_WRITE));
            sent = pattern(bytes, 77);
            from.device_writes(0, sent);
            CHECK_OK(pixMPI_Shared_to_host(from.data));
            NEED_OK(pixMPI_Copy(surface(from), PIXMPI_WHOLE, surface(to), PIXMPI_WHOLE));
            expect(sent);
        }
}

RANK_CASE(memory, in_several_threads, 1) {
    // Each has its own device, and objects that come and go while the others are touched. None calls MPI.
    std::atomic<int> wrong{0};
    const auto work = [&] {
        std::string reason;
        const auto device = vk_rig::Device::make(rig_options(), reason);
        NEED(device != nullptr);
        for (int turn = 0; turn < 30; ++turn) {
            std::array<std::uint8_t *, 4> objects;
            for (std::uint8_t *&one : objects) {
                void *pointer = nullptr;
                NEED_OK(vkMPI_Shared_create(device->context(), block, 0, PIXMPI_SHARED_COHERENT, &pointer, nullptr));
                one = static_cast<std::uint8_t *>(pointer);
                *one = 7;
                wrong += pixMPI_Shared_to_device(one, PIXMPI_WRITE) != PIXMPI_SUCCESS; // the device has a 7
                wrong += pixMPI_Shared_to_host(one) != PIXMPI_SUCCESS;
            }
            for (std::uint8_t *one : objects) {
                wrong += *one != 7;
                *one = 8;
                wrong += pixMPI_Shared_free(one) != PIXMPI_SUCCESS;
            }
        }
        wrong += !device->close().empty();
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    CHECK_EQ(wrong.load(), 0);
}

RANK_CASE(memory, system_calls, 1) {
    constexpr std::size_t bytes = 3 * block;
    for (const char *api : apis) {
        const Object object(api, bytes, PIXMPI_SHARED_COHERENT);
        CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_WRITE));
        const Bytes device = pattern(bytes, 8), file = pattern(bytes, 9);
        object.device_writes(0, device);
        CHECK_OK(pixMPI_Shared_to_host(object.data));
        const int storage = memfd_create("test", MFD_CLOEXEC);
        NEED(storage >= 0);
        if (by_signal()) {
            CHECK(pwrite(storage, object.data, bytes, 0) < 0 && errno == EFAULT);
            CHECK_OK(pixMPI_Shared_touch(object.data, bytes, PIXMPI_READ));
        }
        CHECK_EQ(pwrite(storage, object.data, bytes, 0), static_cast<ssize_t>(bytes));
        Bytes seen(bytes);
        CHECK_EQ(pread(storage, seen.data(), bytes, 0), static_cast<ssize_t>(bytes));
        CHECK(seen == device);
        CHECK_EQ(pwrite(storage, file.data(), bytes, 0), static_cast<ssize_t>(bytes));
        if (by_signal()) {
            CHECK(pread(storage, object.data, bytes, 0) < 0 && errno == EFAULT);
            CHECK_OK(pixMPI_Shared_touch(object.data, bytes, PIXMPI_WRITE));
        }
        CHECK_EQ(pread(storage, object.data, bytes, 0), static_cast<ssize_t>(bytes));
        close(storage);
        CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_READ));
        CHECK(object.device_reads() == file);
        CHECK_OK(pixMPI_Shared_to_host(object.data));
        // MPI's own messages.
        if (by_signal())
            CHECK_OK(pixMPI_Shared_touch(object.data, bytes, PIXMPI_WRITE));
        MPI_Request request;
        MPI_Irecv(object.data, bytes, MPI_BYTE, previous_rank(), 3, world(), &request);
        MPI_Send(device.data(), bytes, MPI_BYTE, next_rank(), 3, world());
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(content(object, bytes) == device);
    }
}

namespace {

sigjmp_buf back;
int own_faults = 0;
void jump_back(int) {
    ++own_faults;
    siglongjmp(back, 1);
}
void ask_first(int signal, siginfo_t *info, void *) {
    if (!pixMPI_Shared_fault(info->si_addr))
        jump_back(signal);
}

/// A fault that does not belong to the library.
void fault(volatile char *nobodys) {
    if (sigsetjmp(back, 1) == 0)
        *nobodys = 1;
}

} // namespace

RANK_CASE(memory, handlers_of_the_program, 1) {
    char *const nobodys = static_cast<char *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    struct sigaction own {};
    own.sa_handler = jump_back;
    NEED(sigaction(SIGSEGV, &own, nullptr) == 0);
    {
        const Object object("vk", 8 * block, PIXMPI_SHARED_COHERENT);
        const auto touch = [&](int value) {
            CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_WRITE));
            CHECK_OK(pixMPI_Shared_to_host(object.data));
            object.data[5 * block] = static_cast<std::uint8_t>(value);
            CHECK_EQ(object.data[5 * block], value);
        };
        own_faults = 0;
        touch(1);
        fault(nobodys);
        CHECK_EQ(own_faults, 1);
        // A handler that comes later, and asks the library.
        struct sigaction later {};
        later.sa_sigaction = ask_first;
        later.sa_flags = SA_SIGINFO;
        NEED(sigaction(SIGSEGV, &later, nullptr) == 0);
        object.data[0] = 4;
        object.data[7 * block] = 4;
        fault(nobodys);
        CHECK_EQ(own_faults, 2);
        // And one that does not: the library's next call stands behind it again.
        NEED(sigaction(SIGSEGV, &own, nullptr) == 0);
        touch(2);
        fault(nobodys);
        CHECK_EQ(own_faults, 3);
        touch(3);
    }
    std::signal(SIGSEGV, SIG_DFL); // not the library's: the handlers of this case would stand behind it
    munmap(nobodys, 4096);
}

// OpenGL itself touches what has not been fetched, and fetching takes OpenGL: neither waits for the other.
RANK_CASE(memory, given_to_the_api_itself, 1) {
    constexpr int width = 128;
    constexpr std::size_t bytes = 8 * block;
    const Object object("gl", bytes, PIXMPI_SHARED_COHERENT);
    unsigned buffer = 0, texture = 0;
    glGenBuffers(1, &buffer);
    glGenTextures(1, &texture);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_STREAM_COPY);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, static_cast<int>(bytes / 4 / width));
    for (unsigned turn = 1; turn <= 3; ++turn) {
        const Bytes device = pattern(bytes, turn);
        CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_WRITE));
        object.device_writes(0, device);
        CHECK_OK(pixMPI_Shared_to_host(object.data));
        Bytes seen(bytes);
        if (turn % 2) {
            glBufferSubData(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), object.data);
            glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), seen.data());
        } else {
            glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, static_cast<int>(bytes / 4 / width), GL_RGBA,
                            GL_UNSIGNED_BYTE, object.data);
            glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
        }
        CHECK(seen == device);
    }
    // Another thread reads, while this one calls OpenGL and not the library.
    const Bytes device = pattern(bytes, 9);
    CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_WRITE));
    object.device_writes(0, device);
    CHECK_OK(pixMPI_Shared_to_host(object.data));
    std::atomic<bool> read{false};
    Bytes seen;
    std::thread reader([&] {
        seen = content(object, bytes);
        read = true;
    });
    while (!read)
        glBufferSubData(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), device.data());
    reader.join();
    CHECK(seen == device);
    glDeleteTextures(1, &texture);
    glDeleteBuffers(1, &buffer);
    CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

RANK_CASE(memory, forks, 1) {
    const Object object("vk", 4 * block, PIXMPI_SHARED_COHERENT);
    CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_WRITE));
    object.device_writes(0, pattern(4 * block, 5));
    CHECK_OK(pixMPI_Shared_to_host(object.data));
    const pid_t child = fork();
    if (child == 0) {
        if (!shadowed())
            ::_exit(0);
        alarm(20); // ends a child that hangs
        volatile std::uint8_t seen = object.data[block];
        ::_exit(seen ? 2 : 3);
    }
    int status = 0;
    NEED(waitpid(child, &status, 0) == child);
    if (shadowed()) // with a sanitizer it exits by its own report
        CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : sanitized && WEXITSTATUS(status) == 1);
    CHECK(content(object, 4 * block) == pattern(4 * block, 5));
}

RANK_CASE(memory, wrong_arguments, 1) {
    void *pointer = nullptr;
    const vkMPI_Context context = need_vulkan().context();
    constexpr pixMPI_Sharing any = PIXMPI_SHARED_AUTO, seventh = static_cast<pixMPI_Sharing>(7);
    CHECK_FAILS(vkMPI_Shared_create(context, 0, 0, any, &pointer, nullptr), PIXMPI_ERR_ARGUMENT, "bytes: 0");
    CHECK_FAILS(vkMPI_Shared_create(context, 9, 0, any, nullptr, nullptr), PIXMPI_ERR_ARGUMENT, "pointer: null");
    CHECK_FAILS(vkMPI_Shared_create(nullptr, 9, 0, any, &pointer, nullptr), PIXMPI_ERR_CONTEXT, "context: null");
    CHECK_FAILS(vkMPI_Shared_create(context, 9, 0, seventh, &pointer, nullptr), PIXMPI_ERR_ARGUMENT, "kind: 7");
    CHECK_FAILS(glMPI_Shared_create(0, any, &pointer, nullptr), PIXMPI_ERR_ARGUMENT, "bytes: 0");
    {
        const Setting wrong("PIXMPI_GL_FETCH=never");
        CHECK_FAILS(glMPI_Shared_create(9, PIXMPI_SHARED_COHERENT, &pointer, nullptr), PIXMPI_ERR_ARGUMENT,
                    "PIXMPI_GL_FETCH: \"never\", expected release or touch");
    }
    {
        const Setting wrong("PIXMPI_SHADOW=sometimes");
        CHECK_FAILS(vkMPI_Shared_create(context, 9, 0, any, &pointer, nullptr), PIXMPI_ERR_ARGUMENT,
                    "PIXMPI_SHADOW: \"sometimes\", expected auto, userfaultfd or signal");
    }
    CHECK_FAILS(pixMPI_Shared_to_device(&pointer, PIXMPI_READ), PIXMPI_ERR_ARGUMENT, "pointer: vkMPI_Shared_create");
    const Object object("vk", 5000, PIXMPI_SHARED_COHERENT);
    CHECK_FAILS(pixMPI_Shared_to_device(object.data, 0), PIXMPI_ERR_ARGUMENT, "access: 0");
    CHECK_FAILS(pixMPI_Shared_to_host(object.data), PIXMPI_ERR_ARGUMENT, "pointer: CPU");
    CHECK_OK(pixMPI_Shared_to_device(object.data, PIXMPI_READ));
    CHECK_FAILS(pixMPI_Shared_to_device(object.data + 1, PIXMPI_READ), PIXMPI_ERR_ARGUMENT, "pointer: already");
    CHECK_OK(pixMPI_Shared_to_host(object.data));
    CHECK_FAILS(pixMPI_Shared_free(object.data + 1), PIXMPI_ERR_ARGUMENT, "first byte");
    CHECK_OK(pixMPI_Shared_touch(&pointer, 8, PIXMPI_WRITE)); // no object
    CHECK_FAILS(pixMPI_Shared_get_info(object.data, nullptr), PIXMPI_ERR_ARGUMENT, "info: null");
    std::thread([&] {
        CHECK_FAILS(pixMPI_Shared_to_device(object.data, PIXMPI_READ), PIXMPI_ERR_CONTEXT, "pointer: context");
    }).join();
    if (!shadowed())
        return;
    CHECK_FAILS(pixMPI_Shared_touch(object.data + 4000, 1001, PIXMPI_READ), PIXMPI_ERR_ARGUMENT, "bytes: 1001 1000");
    Bytes there(6000);
    CHECK_FAILS(pixMPI_Copy(pixMPI_Memory(object.data + 4000, PIXMPI_R8, 1400, 1), PIXMPI_WHOLE,
                            pixMPI_Memory(there.data(), PIXMPI_R8, 1400, 1), PIXMPI_WHOLE),
                PIXMPI_ERR_SURFACE, "1400");
    pixMPI_Request copy;
    NEED_OK(pixMPI_Copy_init(pixMPI_Memory(object.data, PIXMPI_R8, 40, 1), PIXMPI_WHOLE,
                             pixMPI_Memory(there.data(), PIXMPI_R8, 40, 1), PIXMPI_WHOLE, &copy));
    CHECK_FAILS(pixMPI_Shared_free(object.data), PIXMPI_ERR_REQUEST, "pointer: persistent");
    CHECK_OK(pixMPI_Request_free(&copy));
}
