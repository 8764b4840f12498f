// Memory that the CPU and a device share: coherent objects, compared with ordinary host memory that the program copies
// as a whole.
#include "measure/turns.h"
#include "modes.h"
#include "object/gl_object.h"
#include "object/vk_object.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <glmpi_memory.h>
#include <vkmpi_memory.h>

namespace {

constexpr std::size_t page = 4096, pages_apart = 1000;

/// An object of the context of `like`.
class Shared {
  public:
    Shared(Object &like, std::size_t bytes) {
        void *pointer = nullptr;
        const auto *const vulkan = dynamic_cast<VkObject *>(&like);
        const int code =
            vulkan ? vkMPI_Shared_create(vulkan->surface().context, bytes, 0, PIXMPI_SHARED_COHERENT, &pointer, nullptr)
                   : glMPI_Shared_create(bytes, PIXMPI_SHARED_COHERENT, &pointer, nullptr);
        if (code == PIXMPI_SUCCESS)
            data_ = static_cast<std::byte *>(pointer);
    }
    ~Shared() {
        if (data_)
            check(pixMPI_Shared_free(data_));
    }
    Shared(const Shared &) = delete;
    Shared &operator=(const Shared &) = delete;
    explicit operator bool() const { return data_ != nullptr; }
    std::byte *data() const { return data_; }
    /// The device has it for a while, and does that to it.
    void lend(int access) const {
        check(pixMPI_Shared_to_device(data_, access));
        check(pixMPI_Shared_to_host(data_));
    }

  private:
    std::byte *data_ = nullptr;
};

/// What the CPU does with memory of that size.
struct Work {
    const char *name;
    bool writes, all;

    void run(std::byte *memory, std::size_t bytes, int turn) const {
        if (writes && all)
            return void(std::memset(memory, turn, bytes));
        std::size_t sum = 0;
        const std::size_t step = all ? 64 : pages_apart * page;
        for (std::size_t at = 0; at < bytes; at += step)
            if (writes)
                memory[at] = static_cast<std::byte>(turn);
            else
                sum += static_cast<std::size_t>(memory[at]);
        sink = sum;
    }
    static inline volatile std::size_t sink = 0; ///< what is read is used
};

void add_case(const std::string &name, const Work &work, Object &plain, const Shared &shared, HostMemory &host,
              const Job &job, const Settings &settings, Report &report) {
    if (!settings.wants(name))
        return;
    std::byte *const memory = plain.staging() ? plain.staging() : host.data();
    const std::size_t bytes = plain.bytes();
    int turn = 0;
    Way library{"library", [&] {
                    if (!work.writes)
                        shared.lend(PIXMPI_WRITE);
                    work.run(shared.data(), bytes, ++turn);
                    if (work.writes)
                        shared.lend(PIXMPI_READ);
                }};
    Way naive{"by hand", [&] {
                  if (!work.writes)
                      plain.read(plain.whole(), memory);
                  work.run(memory, bytes, ++turn);
                  if (work.writes) {
                      plain.write(plain.whole(), memory);
                      plain.finish();
                  }
              }};
    HostMemory to(bytes);
    Way copy{"memcpy", [&] { std::memcpy(to.data(), host.data(), bytes); }, true};
    Figures figures;
    figures.repetitions =
        take_turns({&library, &naive, &copy}, {settings.seconds, settings.repetitions, settings.least}, job.all);
    figures.bytes = static_cast<double>(bytes);
    figures.seconds = library.result;
    figures.naive = naive.result;
    figures.memcpy = copy.result;
    figures.format = plain.format;
    figures.route = PIXMPI_ROUTE_SELF;
    report.add(name, figures);
}

/// PIXMPI_SHADOW for a while; null: as the device has it.
class Shadow {
  public:
    explicit Shadow(const char *wish) {
        if (const char *const now = std::getenv("PIXMPI_SHADOW"))
            before_ = now;
        if (wish)
            setenv("PIXMPI_SHADOW", wish, 1);
        else
            unsetenv("PIXMPI_SHADOW");
    }
    ~Shadow() { before_.empty() ? unsetenv("PIXMPI_SHADOW") : setenv("PIXMPI_SHADOW", before_.c_str(), 1); }
    Shadow(const Shadow &) = delete;
    Shadow &operator=(const Shadow &) = delete;

  private:
    std::string before_;
};

} // namespace

void measure_shared(const Job &job, const Settings &settings, Report &report) {
    const Shape2D shape{PIXMPI_RGBA8, settings.width ? settings.width : 8192, settings.width ? settings.height : 8192};
    const std::string size = std::to_string(shape.width) + "x" + std::to_string(shape.height) + " ";
    constexpr Work works[] = {{"the CPU writes a page in 1000, the device uses it", true, false},
                              {"the CPU writes all, the device uses it", true, true},
                              {"the device writes, the CPU reads a page in 1000", false, false},
                              {"the device writes, the CPU reads all", false, true}};
    std::string problem;
    const auto plain = make_object(*job.api, "buffer", shape, problem);
    if (!problem.empty())
        give_up(problem);
    HostMemory host(plain->bytes(), std::byte{1});
    for (const char *wish : {static_cast<const char *>(nullptr), "userfaultfd", "signal"}) {
        const Shadow environment(wish);
        const Shared shared(*plain, plain->bytes());
        if (!shared) { // the system has no such faults
            report.note(pixMPI_Error_text());
            continue;
        }
        for (const Work &work : works)
            add_case(size + (wish ? wish : "as it is") + ": " + work.name, work, *plain, shared, host, job, settings,
                     report);
    }
}
