// Copies within a process: pixMPI_Copy, compared with readback and upload by hand, and with memcpy of the same number
// of bytes; between two GPUs with the plain copy from GPU to GPU. Of CUDA also regions of memory, or of an array,
// into memory without gaps of the same GPU and back, compared with the GPU's plain copy of the same number of bytes.
#include "baseline/plain_copy.h"
#include "measure/turns.h"
#include "modes.h"
#include "object/gl_object.h"
#include "object/shapes.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <sched.h>
#include <thread>

namespace {

/// A thread with its own context of OpenGL, for a target. It serves copies while it has nothing to do.
class GlThread {
  public:
    GlThread(const Shape2D &shape, std::optional<int> card) {
        thread_ = std::thread([this] { serve(); });
        run([&] {
            api_ = make_api("gl");
            problem = api_->open(card);
            if (problem.empty())
                object_ = make_object(*api_, "texture", shape, problem);
            if (problem.empty())
                check(glMPI_With_context(static_cast<const GlObject &>(*object_).surface(), &surface));
        });
    }
    ~GlThread() {
        run([&] {
            object_.reset();
            if (api_)
                api_->close();
            api_.reset();
            ending_ = true;
        });
        thread_.join();
    }
    GlThread(const GlThread &) = delete;
    GlThread &operator=(const GlThread &) = delete;

    void run(const std::function<void()> &work) {
        std::unique_lock lock(mutex_);
        work_ = &work;
        changed_.notify_all();
        changed_.wait(lock, [&] { return !work_; });
    }
    Object &object() { return *object_; }
    GpuUuid gpu() const { return api_->gpu(); }
    /// From now on, until it is switched off.
    void serve_copies(bool on) {
        serves_ = on;
        run([] {});
    }
    std::string problem;
    pixMPI_Surface surface{};

  private:
    void serve() {
        std::unique_lock lock(mutex_);
        while (!ending_) {
            if (!serves_)
                changed_.wait(lock, [&] { return work_ || serves_; });
            if (work_) {
                (*work_)();
                work_ = nullptr;
                changed_.notify_all();
            }
            if (serves_) {
                lock.unlock();
                check(pixMPI_Progress());
                sched_yield();
                lock.lock();
            }
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()> *work_ = nullptr;
    std::atomic<bool> serves_{false};
    bool ending_ = false;
    std::unique_ptr<Api> api_;
    std::unique_ptr<Object> object_;
    std::thread thread_;
};

/// One case: by the library, by hand, by memcpy.
struct Ways {
    std::function<void()> library, naive;
    std::function<void(int)> use_layout; ///< of the pixels that go by hand
    int layouts = 1;
};

/// By hand with the layout that this driver moves fastest.
struct Layouts {
    const Ways &ways;
    std::size_t choices() const { return static_cast<std::size_t>(ways.layouts); }
    void use(std::size_t layout) { ways.use_layout(static_cast<int>(layout)); }
};

/// `gpus`: of a copy between two.
void add_case(const std::string &name, const Ways &ways, const Object &like, const Job &job, const Settings &settings,
              Report &report, const std::optional<std::array<GpuUuid, 2>> &gpus = {}) {
    if (!settings.wants(name))
        return;
    Layouts layouts{ways};
    choose_fastest(layouts, ways.naive, job.all);
    HostMemory from(like.bytes(), std::byte{1}), to(like.bytes(), std::byte{2});
    Way library{"library", ways.library}, naive{"by hand", ways.naive},
        copy{"memcpy", [&] { std::memcpy(to.data(), from.data(), from.size()); }, true};
    std::optional<PlainPeerCopy> plain;
    if (gpus)
        plain.emplace(like.bytes(), (*gpus)[0], (*gpus)[1]);
    Way peer{"peer copy", [&] { plain->run(); }, true};
    std::vector<Way *> all{&library, &naive, &copy};
    if (plain && plain->possible()) {
        all.push_back(&peer);
        report.note(plain->reaches() ? "limit: a plain copy from GPU to GPU, which reach each other's memory"
                                     : "limit: a plain copy from GPU to GPU, by the driver through the host's memory");
    }
    const int repetitions = take_turns(all, {settings.seconds, settings.repetitions, settings.least}, job.all);
    Figures figures;
    figures.bytes = static_cast<double>(like.bytes());
    figures.seconds = library.result;
    figures.naive = naive.result;
    figures.limit = figures.memcpy = copy.result;
    if (all.size() > 3)
        figures.limit = figures.gpu_copy = peer.result;
    figures.repetitions = repetitions;
    figures.format = like.format;
    figures.route = PIXMPI_ROUTE_SELF;
    report.add(name, figures);
}

Ways here(Object &from, Object &to, HostMemory &memory) {
    const pixMPI_Surface source = from.end().surface, target = to.end().surface;
    return {[&to, source, target] {
                check(pixMPI_Copy(source, PIXMPI_WHOLE, target, PIXMPI_WHOLE));
                to.finish();
            },
            [&] {
                std::byte *const between = from.staging() ? from.staging() : memory.data();
                from.read(from.whole(), between);
                to.write(to.whole(), between);
                to.finish();
            },
            [&](int layout) {
                from.use_layout(layout);
                to.use_layout(layout);
            },
            std::max(from.layouts(), to.layouts())};
}

/// What all cases have.
struct Bench {
    const Job &job;
    const Settings &settings;
    Report &report;
    Shape2D shape;
    std::string size;

    std::unique_ptr<Object> make(Api &api) const {
        std::string problem;
        auto object = make_object(api, api.objects().front(), shape, problem);
        if (!problem.empty())
            give_up(problem);
        object->touch(1);
        return object;
    }
    void add(const std::string &name, const Ways &ways, const Object &like,
             const std::optional<std::array<GpuUuid, 2>> &gpus = {}) const {
        add_case(size + name, ways, like, job, settings, report, gpus);
    }
};

std::string of_card(std::optional<int> card) { return card ? "of GPU " + std::to_string(*card) : "of another context"; }

/// `card`: another one, or none for another context of the same card.
void between_contexts(const Bench &bench, Object &from, std::optional<int> card) {
    Api &own = *bench.job.api;
    const std::unique_ptr<Api> other = make_api(own.name());
    if (const std::string problem = other->open(card); !problem.empty())
        give_up(problem);
    {
        HostMemory between(from.bytes());
        const auto to = bench.make(*other);
        const std::string kind = own.name();
        bench.add(kind + " to " + kind + " " + of_card(card), here(from, *to, between), from,
                  card ? std::optional(std::array{own.gpu(), other->gpu()}) : std::nullopt);
    }
    other->close();
}

/// Between CUDA and what draws on the same card, or what is there of it.
void between_apis(const Bench &bench, Object &from, const std::string &name) {
    const std::unique_ptr<Api> other = make_api(name);
    const std::string own = bench.job.api->name();
    const int card = bench.settings.devices.empty() ? 0 : bench.settings.devices[0];
    if (const std::string problem = other->open(card); !problem.empty()) {
        bench.report.note(name + " is left out: " + problem);
        return;
    }
    {
        HostMemory between(from.bytes());
        const auto to = bench.make(*other);
        bench.add(own + " to " + name, here(from, *to, between), from);
        bench.add(name + " to " + own, here(*to, from, between), from);
    }
    other->close();
}

/// The same of OpenGL, whose other context another thread has.
void between_threads(const Bench &bench, Object &from, std::optional<int> card) {
    GlThread thread(bench.shape, card);
    if (!thread.problem.empty())
        give_up(thread.problem);
    HostMemory between(from.bytes());
    const pixMPI_Surface source = from.end().surface;
    const Ways ways{[&] {
                        thread.serve_copies(true);
                        check(pixMPI_Copy(source, PIXMPI_WHOLE, thread.surface, PIXMPI_WHOLE));
                        thread.serve_copies(false);
                        thread.run([&] { thread.object().finish(); });
                    },
                    [&] {
                        from.read(from.whole(), between.data());
                        thread.run([&] {
                            thread.object().write(thread.object().whole(), between.data());
                            thread.object().finish();
                        });
                    },
                    [&](int layout) {
                        from.use_layout(layout);
                        thread.object().use_layout(layout);
                    },
                    from.layouts()};
    bench.add("gl to gl " + of_card(card) + " and thread", ways, from,
              card ? std::optional(std::array{bench.job.api->gpu(), thread.gpu()}) : std::nullopt);
}

/// A region to memory without gaps and back. The limit is a plain copy within the GPU.
void regions_within(const Bench &bench, const RegionCase &what) {
    const auto name = [&](bool packs) { return what.name + (packs ? ", packed" : ", unpacked"); };
    if (!bench.settings.wants(name(true)) && !bench.settings.wants(name(false)))
        return;
    Api &api = *bench.job.api;
    std::string problem;
    const Shape2D shape{what.format, what.width, what.height}, row{what.format, static_cast<int>(what.pixels()), 1};
    const auto object = make_object(api, bench.settings.object, shape, problem);
    const auto packed = make_object(api, api.objects().front(), row, problem);
    if (!problem.empty())
        give_up(problem);
    pixMPI_Region region = PIXMPI_REGION_NULL;
    check(pixMPI_Region_indexed(static_cast<int>(what.rects.size()), what.rects.data(), &region));
    const pixMPI_Surface surface = object->end().surface, line = packed->end().surface;
    PlainPeerCopy plain(packed->bytes(), api.gpu(), api.gpu());
    for (const bool packs : {true, false}) {
        if (!bench.settings.wants(name(packs)))
            continue;
        Way library{"library", [&] {
                        check(packs ? pixMPI_Copy(surface, region, line, PIXMPI_WHOLE)
                                    : pixMPI_Copy(line, PIXMPI_WHOLE, surface, region));
                    }};
        Way limit{"device copy", [&] { plain.run(); }, true};
        std::vector<Way *> all{&library};
        if (plain.possible())
            all.push_back(&limit);
        Figures figures;
        figures.repetitions =
            take_turns(all, {bench.settings.seconds, bench.settings.repetitions, bench.settings.least}, bench.job.all);
        figures.bytes = static_cast<double>(packed->bytes());
        figures.seconds = library.result;
        figures.limit = figures.gpu_copy = plain.possible() ? limit.result : not_measured;
        figures.format = what.format;
        figures.route = PIXMPI_ROUTE_SELF;
        bench.report.add(name(packs), figures);
    }
    check(pixMPI_Region_free(&region));
}

} // namespace

void measure_copy(const Job &job, const Settings &settings, Report &report) {
    const Shape2D shape{settings.format ? settings.format : PIXMPI_RGBA8, settings.width ? settings.width : 4096,
                        settings.width ? settings.height : 4096};
    const Bench bench{job, settings, report, shape,
                      std::to_string(shape.width) + "x" + std::to_string(shape.height) + " "};
    const std::unique_ptr<Api> host = make_api("host");
    const auto from = bench.make(*job.api), memory = bench.make(*host);
    HostMemory between(from->bytes());
    const std::string name = job.api->name();
    bench.add(name + " to host memory", here(*from, *memory, between), *from);
    bench.add("host memory to " + name, here(*memory, *from, between), *from);
    if (name == "cuda")
        for (const char *drawing : {"gl", "vk"})
            between_apis(bench, *from, drawing);
    const auto other = settings.api == "gl" ? between_threads : between_contexts;
    other(bench, *from, {});
    if (settings.devices.size() > 1)
        other(bench, *from, settings.devices[1]);
    if (name == "cuda")
        for (const RegionCase &what : datatype_cases(settings))
            regions_within(bench, what);
}
