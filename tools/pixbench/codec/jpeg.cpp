// JPEG alone: libjpeg in one thread, the library's coder on the CPU, and the GPU's shaders, from an object to a stream
// in host memory and back. Beside the time of a picture stands the processor's, of all threads: what cores are left
// for.
#include "codec/plain_jpeg.h"
#include "codec/rendered.h"
#include "modes.h"
#include "pack/pack.h"

#include "base/wait.h"
#include "coding/jpeg_coder.h"

#include <sys/resource.h>

namespace {

using pixmpi::Direction;
using Bytes = std::vector<std::byte>;

constexpr auto subsampling = pixmpi::Subsampling::s420;

Bytes drawn(const PlainJpeg &what) {
    const pixmpi::FormatInfo &info = pixmpi::format_info(what.format);
    Bytes all;
    for (int y = 0; y < what.height; ++y)
        for (int x = 0; x < what.width; ++x) {
            std::array<double, 4> colour = rendered(x, y, what.width, what.height);
            if (info.bgr)
                std::swap(colour[0], colour[2]);
            for (int k = 0; k < info.channels; ++k)
                all.push_back(static_cast<std::byte>(std::lround(colour[static_cast<std::size_t>(k)] * 255)));
        }
    return all;
}

/// Of all threads of the process.
double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval &t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The time of a picture, on the wall and of the processor, over about `seconds`. `way` is told how many pictures.
template <class Way> void measure(double seconds, Figures &f, Way way) {
    way(2); // makes what is made once
    double begin = MPI_Wtime();
    way(2);
    const double guess = std::max(1e-6, (MPI_Wtime() - begin) / 2);
    const int count = std::clamp(static_cast<int>(seconds / guess), 2, 1000000);
    const double cpu = cpu_seconds();
    begin = MPI_Wtime();
    way(count);
    f.seconds = (MPI_Wtime() - begin) / count;
    f.cpu_seconds = (cpu_seconds() - cpu) / count;
    f.repetitions = count;
}

/// Several pictures on their way through a GPU's shaders, each between its own stage of the GPU's memory and the same
/// object.
class OnCard {
  public:
    /// `stream`: what is decoded.
    OnCard(CardMemory &card, Direction direction, const PlainJpeg &what, Bytes stream, std::size_t at_once)
        : direction_(direction), what_(what), stream_(std::move(stream)), slots_(at_once) {
        const auto region = region_of({"", what.width, what.height, what.format, {{0, 0, what.width, what.height}}});
        for (Slot &slot : slots_) {
            const std::shared_ptr<pixmpi::Surface> surface = card.surface(direction);
            in_order_ = surface->device->copies_in_order();
            const std::size_t bytes = pixels() * static_cast<std::size_t>(surface->pixel_bytes);
            check(surface->device->make_stage(pixmpi::StageKind::local, nullptr, (bytes + 3) / 4 * 4, slot.stage));
            check(surface->device->make_transfer(direction, surface, region, slot.transfer));
            check(pixmpi::JpegCoder::make(surface->device, slot.coder));
            possible_ = slot.coder != nullptr;
        }
    }

    bool possible() const { return possible_; }
    void run(int times) {
        for (int i = 0; i < times; ++i) {
            Slot &slot = slots_[static_cast<std::size_t>(i) % slots_.size()];
            finish(slot);
            direction_ == Direction::pack ? encode(slot) : decode(slot);
        }
        for (Slot &slot : slots_)
            finish(slot);
    }
    /// Of the picture that was over last.
    const Bytes &stream() const { return stream_; }

  private:
    struct Slot {
        std::unique_ptr<pixmpi::Stage> stage;
        std::unique_ptr<pixmpi::Transfer> transfer;
        std::unique_ptr<pixmpi::JpegCoder> coder;
        pixmpi::Ticket moved = pixmpi::done, coded = pixmpi::done;
        bool busy = false;
    };
    std::size_t pixels() const {
        return static_cast<std::size_t>(what_.width) * static_cast<std::size_t>(what_.height);
    }

    template <class Work> static void wait_for(Work &work, pixmpi::Ticket ticket) {
        pixmpi::Wait wait;
        for (bool over = ticket == pixmpi::done; !over; wait.pause())
            check(work.poll(ticket, over));
    }
    void move(Slot &slot) {
        slot.transfer->start();
        check(slot.transfer->begin(pixels()));
        slot.moved = pixmpi::done;
        check(slot.transfer->copy(0, pixels(), *slot.stage, 0, slot.moved));
        slot.busy = true;
    }
    void encode(Slot &slot) {
        move(slot);
        if (!in_order_)
            wait_for(*slot.transfer, slot.moved);
        bool accepted = false;
        check(slot.coder->encode(
            {what_.format, pixels(), static_cast<std::uint64_t>(what_.width), what_.quality, subsampling}, *slot.stage,
            0, slot.stage->bytes, slot.coded, accepted));
        if (!accepted)
            give_up("jpeg: the shaders do not take the picture");
    }
    void decode(Slot &slot) {
        pixmpi::JpegGrid grid;
        pixmpi::JpegSteps steps;
        std::int16_t *coefficients = nullptr;
        bool accepted = false;
        check(pixmpi::jpeg_read_grid(stream_, what_.format, pixels(), grid));
        check(slot.coder->make_room(grid, what_.format, coefficients, accepted));
        if (accepted) {
            check(pixmpi::jpeg_decode_coefficients(workers_, stream_, grid, coefficients, steps));
            check(slot.coder->decode(steps, pixels(), *slot.stage, 0, slot.coded, accepted));
        }
        if (!accepted)
            give_up("jpeg: the shaders do not take the picture");
        if (!in_order_)
            wait_for(*slot.coder, slot.coded);
        move(slot);
    }
    void finish(Slot &slot) {
        if (!slot.busy)
            return;
        slot.busy = false;
        wait_for(*slot.transfer, slot.moved);
        wait_for(*slot.coder, slot.coded);
        check(slot.transfer->end());
        if (direction_ == Direction::pack) // out of the GPU's hands, as a message would
            stream_.assign(slot.coder->stream().begin(), slot.coder->stream().end());
    }

    const Direction direction_;
    const PlainJpeg what_;
    Bytes stream_;
    pixmpi::Workers workers_{1};
    std::vector<Slot> slots_;
    bool in_order_ = false, possible_ = false;
};

class Measured {
  public:
    Measured(const Job &job, const Settings &settings, Report &report)
        : job_(job), settings_(settings),
          report_(report), what_{settings.width ? settings.width : 1920, settings.height ? settings.height : 1080,
                                 settings.format ? settings.format : PIXMPI_RGBA8},
          picture_(drawn(what_)), plain_stream_(what_.encode(picture_)) {
        all_threads_ = std::to_string(threads_.count()) + (threads_.count() == 1 ? " thread" : " threads");
    }
    void all() {
        encode_on_cpu();
        decode_on_cpu();
        if (std::string(job_.api->name()) != "host")
            on_card();
    }

  private:
    Figures figures() const {
        Figures f;
        f.bytes = static_cast<double>(picture_.size());
        f.format = what_.format;
        return f;
    }
    void add(const std::string &name, Figures f, const Bytes &stream) {
        f.stream_bytes = static_cast<double>(stream.size());
        f.psnr = psnr(picture_, what_.decode(stream), what_.format);
        report_.add(name, f);
    }
    template <class Way>
    void measure_case(const std::string &name, const Figures &baseline, const Bytes &stream, Way way) {
        if (!settings_.wants(name))
            return;
        Figures f = figures();
        measure(settings_.seconds, f, way);
        f.naive = baseline.seconds;
        f.naive_cpu_seconds = baseline.cpu_seconds;
        add(name, f, stream);
    }

    void encode_on_cpu() {
        Figures plain = figures();
        measure(settings_.seconds, plain, [&](int times) {
            while (times-- > 0)
                plain_stream_ = what_.encode(picture_);
        });
        plain.naive = plain.seconds;
        plain.naive_cpu_seconds = plain.cpu_seconds;
        plain_encode_ = plain;
        add("encode, libjpeg", plain, plain_stream_);
        const pixmpi::PackedPixels pixels{picture_.data(), what_.format,
                                          picture_.size() / static_cast<std::size_t>(pixMPI_Format_bytes(what_.format)),
                                          static_cast<std::uint64_t>(what_.width)};
        for (pixmpi::Workers *workers : {&alone_, &threads_}) {
            const auto encode = [&](int times) {
                while (times-- > 0)
                    check(pixmpi::jpeg_encode(*workers, pixels, what_.quality, subsampling, stream_));
            };
            encode(1);
            measure_case("encode, CPU, " + (workers == &alone_ ? std::string("alone") : all_threads_), plain_encode_,
                         stream_, encode);
        }
    }
    void decode_on_cpu() {
        Figures plain = figures();
        measure(settings_.seconds, plain, [&](int times) {
            while (times-- > 0)
                what_.decode(plain_stream_);
        });
        plain.naive = plain.seconds;
        plain.naive_cpu_seconds = plain.cpu_seconds;
        plain_decode_ = plain;
        add("decode, libjpeg", plain, plain_stream_);
        Bytes out(picture_.size());
        for (pixmpi::Workers *workers : {&alone_, &threads_})
            measure_case("decode, CPU, " + (workers == &alone_ ? std::string("alone") : all_threads_), plain_decode_,
                         stream_, [&](int times) {
                             while (times-- > 0)
                                 check(pixmpi::jpeg_decode(
                                     *workers, stream_, what_.format,
                                     picture_.size() / static_cast<std::size_t>(pixMPI_Format_bytes(what_.format)),
                                     out.data()));
                         });
    }
    void on_card() {
        std::string problem;
        const auto object =
            make_object(*job_.api, settings_.object, {what_.format, what_.width, what_.height}, problem);
        check_all(problem.empty(), problem, job_.all.comm);
        object->use_layout(0);
        object->write(object->whole(), picture_.data());
        object->finish();
        const RegionCase whole{"", what_.width, what_.height, what_.format, {{0, 0, what_.width, what_.height}}};
        const std::unique_ptr<CardMemory> card = job_.api->card_memory(*object, whole, problem);
        check_all(problem.empty(), problem, job_.all.comm);
        Bytes stream;
        for (const std::size_t at_once : {std::size_t{1}, std::size_t{3}}) {
            OnCard encoder(*card, Direction::pack, what_, {}, at_once);
            if (!encoder.possible())
                return report_.note("this device has no shaders for JPEG, or reaches pixels by pointer");
            encoder.run(1);
            stream = encoder.stream();
            measure_case("encode, shaders, " + many(at_once), plain_encode_, stream,
                         [&](int times) { encoder.run(times); });
        }
        for (const std::size_t at_once : {std::size_t{1}, std::size_t{3}}) {
            OnCard decoder(*card, Direction::unpack, what_, stream, at_once);
            measure_case("decode, shaders, " + many(at_once), plain_decode_, stream,
                         [&](int times) { decoder.run(times); });
        }
    }
    static std::string many(std::size_t at_once) {
        return at_once == 1 ? "one at a time" : std::to_string(at_once) + " at once";
    }

    const Job &job_;
    const Settings &settings_;
    Report &report_;
    const PlainJpeg what_;
    const Bytes picture_;
    Bytes plain_stream_, stream_;
    pixmpi::Workers alone_{1}, threads_{0};
    std::string all_threads_;
    Figures plain_encode_, plain_decode_;
};

} // namespace

void measure_jpeg(const Job &job, const Settings &settings, Report &report) { Measured(job, settings, report).all(); }
