// Frames from rank 0 to rank 1 through each codec, as a program streams them: two persistent requests, alternately, so
// that one frame is encoded while the one before it is decoded. For comparison, alternately with them, the same frames
// without a codec, and MPI's own messages of the same number of bytes, which say how fast the link is.
#include "codec/codec_picture.h"
#include "measure/compare.h"
#include "message/message.h"

#include <cmath>

namespace {

struct Picture {
    std::string name;
    pixMPI_Format format;
    std::vector<std::string> codecs; ///< the first one is none
};

const std::vector<Picture> pictures = {
    {"frame", PIXMPI_RGBA8, {"none", "lz4", "jpeg:90:opaque", "jpeg:90:444:opaque", "auto", "auto:90:opaque"}},
    {"depth", PIXMPI_DEPTH32F, {"none", "lz4", "auto"}},
};

constexpr int under_way = 2;

/// So many frames; two are under way at once.
template <class Start, class Wait> void stream(int frames, Start start, Wait wait) {
    for (int i = 0; i < frames; ++i) {
        if (i >= under_way)
            wait(i % under_way);
        start(i % under_way);
    }
    for (int i = std::max(0, frames - under_way); i < frames; ++i)
        wait(i % under_way);
}

/// One picture on rank 0, and room for two on rank 1.
class Frames {
  public:
    Frames(const Picture &picture, int width, int height, const std::string &kind, const Team &team)
        : team_(team), drawn_(render_picture(picture.format, width, height)) {
        std::string problem;
        for (std::unique_ptr<Object> &object : objects_)
            if (problem.empty())
                object = make_object(*team.api, kind, {picture.format, width, height}, problem);
        check_all(problem.empty(), problem, team.comm);
        for (const auto &object : objects_)
            object->use_layout(0);
        if (sends())
            objects_[0]->write(objects_[0]->whole(), drawn_.data());
        objects_[0]->finish();
    }

    const Team &team() const { return team_; }
    bool sends() const { return team_.rank == 0; }
    double bytes() const { return static_cast<double>(drawn_.size()); }
    Object &object(int turn) { return *objects_[static_cast<std::size_t>(sends() ? 0 : turn)]; }
    void forget() {
        for (const auto &object : objects_)
            if (!sends())
                put_test_pixels(*object, 99);
    }
    /// All of them have come.
    void await() {
        for (const auto &object : objects_)
            if (!sends())
                object->await_received();
        meet(team_);
    }
    /// On every rank: of what rank 1 has, in dB, over all channels but alpha; infinite where the bits are the same.
    double psnr() {
        double worst = INFINITY;
        for (const auto &object : objects_)
            if (!sends())
                worst = std::min(worst, psnr_of(pixels_of(*object)));
        return last_rank_has(worst, team_);
    }

  private:
    double psnr_of(const std::vector<std::byte> &got) const {
        if (got == drawn_)
            return INFINITY;
        if (objects_[0]->format != PIXMPI_RGBA8)
            return 0; // no codec may change these
        double squares = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double difference = std::to_integer<int>(got[i]) - std::to_integer<int>(drawn_[i]);
            if (i % 4 != 3)
                squares += difference * difference;
        }
        return 10 * std::log10(255.0 * 255.0 * 0.75 * static_cast<double>(got.size()) / squares);
    }

    const Team &team_;
    const std::vector<std::byte> drawn_;
    std::unique_ptr<Object> objects_[under_way];
};

/// Frames by one way, and how many of them are measured at once.
class Streamed {
  public:
    Streamed(Frames &frames, std::string name)
        : frames_(frames), way_{.name = std::move(name), .run = [this] { run(count_); }} {}
    virtual ~Streamed() = default;
    Streamed(const Streamed &) = delete;
    Streamed &operator=(const Streamed &) = delete;

    Way &way() { return way_; }
    double seconds() const { return way_.result / count_; }
    /// As many as take that long. Collective.
    void choose_count(double seconds) {
        constexpr int most = 64;
        run(under_way); // makes routes and threads ready
        const double before = MPI_Wtime();
        run(under_way);
        count_ = static_cast<int>(std::clamp(seconds * under_way / (MPI_Wtime() - before), 1.0, double{most}));
        MPI_Bcast(&count_, 1, MPI_INT, 0, frames_.team().comm);
    }

  protected:
    void run(int count) {
        send(count);
        frames_.await();
    }
    Frames &frames_;

  private:
    virtual void send(int count) = 0;
    int count_ = 1;
    Way way_;
};

class ThroughCodec final : public Streamed {
  public:
    ThroughCodec(Frames &frames, const std::string &name) : Streamed(frames, name) {
        pixMPI_Codec codec;
        check(pixMPI_Codec_named(name.c_str(), &codec));
        const MPI_Comm comm = frames.team().comm;
        for (int turn = 0; turn < under_way; ++turn) {
            const pixMPI_Surface surface = pixMPI_Coded(frames.object(turn).end().surface, codec);
            if (frames.sends())
                check(pixMPI_Send_init(surface, PIXMPI_WHOLE, 1, tag, comm, &requests_[turn]));
            else
                check(pixMPI_Recv_init(surface, PIXMPI_WHOLE, 0, tag, comm, &requests_[turn]));
        }
        automatic_ = codec.kind == PIXMPI_CODEC_AUTO;
        loses_ = codec.kind == PIXMPI_CODEC_JPEG || (codec.kind == PIXMPI_CODEC_AUTO && codec.quality > 0);
    }
    ~ThroughCodec() override {
        for (pixMPI_Request &request : requests_)
            pixMPI_Request_free(&request);
    }

    /// Ends the run unless the picture comes, as it is if the codec loses nothing. Collective.
    void verify() {
        constexpr double least = 20; // dB: below, it is another picture
        constexpr int tries = 12;    // until `auto` has tried what it may take
        if (automatic_)
            run(tries);
        frames_.forget();
        run(under_way);
        psnr_ = frames_.psnr();
        check_all(loses_ ? psnr_ >= least : std::isinf(psnr_),
                  way().name + ": other pixels came than were sent, PSNR " + std::to_string(psnr_) + " dB",
                  frames_.team().comm);
    }
    /// What has travelled is counted from here on.
    void begin() { link_bytes_ = pixel_bytes_ = 0; }
    /// Rank 0's: bytes that went for one of a pixel.
    double share() const { return link_bytes_ / pixel_bytes_; }
    double psnr() const { return psnr_; }
    pixMPI_Route route() const { return route_; }

  private:
    void send(int count) override {
        pixMPI_Stats before = PIXMPI_STATS_INIT, after = PIXMPI_STATS_INIT;
        check(pixMPI_Get_stats(&before));
        stream(
            count, [this](int turn) { check(pixMPI_Start(&requests_[turn])); },
            [this](int turn) { check(pixMPI_Wait(&requests_[turn], MPI_STATUS_IGNORE)); });
        check(pixMPI_Get_stats(&after));
        const auto sent = static_cast<double>(after.bytes_sent - before.bytes_sent);
        pixel_bytes_ += sent;
        link_bytes_ += sent - static_cast<double>(after.bytes_encoded - before.bytes_encoded) +
                       static_cast<double>(after.bytes_of_streams - before.bytes_of_streams);
        route_ = route_since(before);
    }

    static constexpr int tag = 14;
    pixMPI_Request requests_[under_way] = {};
    bool automatic_ = false, loses_ = false;
    double psnr_ = 0, link_bytes_ = 0, pixel_bytes_ = 0;
    pixMPI_Route route_ = PIXMPI_ROUTE_NONE;
};

class ByMpi final : public Streamed {
  public:
    explicit ByMpi(Frames &frames)
        : Streamed(frames, "MPI"), memory_(static_cast<std::size_t>(frames.bytes()) * under_way) {}

  private:
    void send(int count) override {
        constexpr int tag = 15;
        const std::size_t bytes = memory_.size() / under_way;
        const MPI_Comm comm = frames_.team().comm;
        MPI_Request requests[under_way];
        const auto start = [&](int turn) {
            std::byte *const at = &memory_[bytes * static_cast<std::size_t>(turn)];
            if (frames_.sends())
                MPI_Isend(at, static_cast<int>(bytes), MPI_BYTE, 1, tag, comm, &requests[turn]);
            else
                MPI_Irecv(at, static_cast<int>(bytes), MPI_BYTE, 0, tag, comm, &requests[turn]);
        };
        stream(count, start, [&](int turn) { MPI_Wait(&requests[turn], MPI_STATUS_IGNORE); });
    }

    HostMemory memory_;
};

void measure_picture(const Picture &picture, const Job &job, const Settings &settings, Report &report) {
    const int width = settings.width ? settings.width : 1920, height = settings.width ? settings.height : 1080;
    const std::string name = picture.name + " " + std::to_string(width) + "x" + std::to_string(height) + " " +
                             pixMPI_Format_name(picture.format) + " ";
    std::vector<std::string> wanted;
    for (const std::string &codec : picture.codecs)
        if (settings.wants(name + codec))
            wanted.push_back(codec);
    if (wanted.empty())
        return;
    if (wanted.front() != "none")
        wanted.insert(wanted.begin(), "none");

    Frames frames(picture, width, height, settings.object, job.all);
    ByMpi plain(frames);
    std::vector<std::unique_ptr<ThroughCodec>> streams;
    std::vector<Way *> ways{&plain.way()};
    const double at_once = settings.seconds / 10;
    plain.choose_count(at_once);
    for (const std::string &codec : wanted) {
        ways.push_back(&streams.emplace_back(std::make_unique<ThroughCodec>(frames, codec))->way());
        streams.back()->verify();
        streams.back()->choose_count(at_once);
        streams.back()->begin();
    }
    const Budget budget{settings.seconds * static_cast<double>(ways.size()), settings.repetitions, settings.least};
    const int repetitions = take_turns(ways, budget, job.all);
    for (const auto &one : streams) {
        if (!settings.wants(name + one->way().name))
            continue;
        Figures f;
        f.bytes = frames.bytes();
        f.seconds = one->seconds();
        f.naive = streams.front()->seconds();
        f.host_mpi = plain.seconds();
        f.stream_bytes = f.bytes * one->share();
        f.limit = f.host_mpi * one->share();
        f.psnr = one->psnr();
        f.repetitions = repetitions;
        f.format = picture.format;
        f.route = one->route();
        f.source = 0;
        f.dest = 1;
        add_stage(f, job.all.comm);
        report.add(name + one->way().name, f);
    }
}

} // namespace

std::string codec_format_problem(pixMPI_Format format) {
    for (const Picture &picture : pictures)
        if (format == PIXMPI_FORMAT_NONE || format == picture.format)
            return "";
    return std::string("--format: ") + pixMPI_Format_name(format) +
           " is none of the pictures of codec, expected RGBA8 or DEPTH32F";
}

void measure_codec_links(const Job &job, const Settings &settings, Report &report) {
    for (const Picture &picture : pictures)
        if (settings.format == PIXMPI_FORMAT_NONE || settings.format == picture.format)
            measure_picture(picture, job, settings, report);
}
