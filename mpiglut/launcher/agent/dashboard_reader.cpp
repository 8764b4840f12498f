#include "agent/dashboard_reader.h"
#include "link/picture_coding.h"
#include "run/record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <utility>

namespace mpiglut::launcher {

namespace {

using namespace std::chrono_literals;

constexpr auto between_figures = 250ms, between_looks = 15ms;
constexpr std::size_t longest_piece = 1u << 20, most_waiting = 4u << 20;

std::int64_t now_ns() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t processor_time_of(pid_t pid) {
    clockid_t clock{};
    timespec time{};
    if (pid <= 0 || ::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
        return 0;
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// What the program has written may be no number: nothing sorts by it, and no integer stands for it.
std::int64_t sound_ns(float microseconds) {
    constexpr float most = 1e12F;
    return std::isfinite(microseconds) ? static_cast<std::int64_t>(std::clamp(microseconds, -most, most) * 1000) : 0;
}

std::vector<std::int64_t> median_and_p99_ns(const Dashboard &dashboard) {
    const std::uint32_t count = std::min<std::uint32_t>(dashboard.skews.load(std::memory_order_acquire), most_skews);
    if (count == 0)
        return {};
    std::vector<std::int64_t> skews;
    for (std::uint32_t i = 0; i < count; ++i)
        skews.push_back(sound_ns(dashboard.skew_us[i].load(std::memory_order_relaxed)));
    std::ranges::sort(skews);
    return {skews[(count - 1) / 2], skews[(count - 1) * 99 / 100]};
}

std::vector<std::int64_t> lags_ns(const Dashboard &dashboard) {
    std::vector<std::int64_t> lags;
    std::size_t used = 0;
    for (const auto &lag : dashboard.lag_us) {
        lags.push_back(sound_ns(lag.load(std::memory_order_relaxed)));
        used = lags.back() ? lags.size() : used;
    }
    lags.resize(used);
    return lags;
}

/// What the program has written is not trusted: it may crash in between, or write anywhere.
bool sound(const PictureFacts &facts, std::size_t room) {
    constexpr int most = 1 << 20;
    return facts.columns > 0 && facts.rows > 0 && facts.columns <= most && facts.rows <= most &&
           std::size_t{3} * facts.columns * facts.rows <= room;
}

} // namespace

DashboardReader::DashboardReader(Loop &loop, std::size_t still_bytes, Listener listener)
    : loop_(loop), still_bytes_(still_bytes), listener_(std::move(listener)) {
    int fd = -1;
    dashboard_ = make_dashboard(still_bytes, fd);
    fd_.reset(fd);
    if (dashboard_) {
        send_figures();
        look_for_pictures();
    }
}

DashboardReader::~DashboardReader() {
    loop_.cancel(figures_timer_);
    loop_.cancel(picture_timer_);
    unmap(dashboard_, still_bytes_);
}

void DashboardReader::attend(std::chrono::milliseconds interval) {
    if (dashboard_)
        dashboard_->live_interval_ns = std::chrono::nanoseconds(interval).count();
}

void DashboardReader::operate(const std::vector<Event> &events) {
    for (const Event &event : events) {
        // Of a program that takes no input for long, the newest is lost; what belongs to a replay or a change is not.
        const std::size_t room = is_of_operator(event.kind) || in_replay_ ? most_waiting : 0;
        const bool put = dashboard_ && waiting_.empty() && dashboard_->input.put(event);
        if (dashboard_ && !put && waiting_.size() < room)
            waiting_.push_back(event);
        if (event.kind == Event::Kind::replay)
            in_replay_ =
                event.a == static_cast<int>(Replaying::begin) || event.a == static_cast<int>(Replaying::instant);
    }
}

void DashboardReader::look_at_rings() {
    while (!waiting_.empty() && dashboard_->input.put(waiting_.front()))
        waiting_.pop_front();
    std::string lines;
    Recorded one;
    for (std::size_t count = 0; count < dashboard_->recorded.things.size() && dashboard_->recorded.pop(one); ++count)
        lines += line_of(one) + "\n";
    if (!lines.empty())
        listener_.recorded(lines);
    if (std::string menu; dashboard_->read_menu(menu))
        listener_.menu(menu);
}

void DashboardReader::send_figures() {
    Figures figures;
    const std::int64_t now = now_ns();
    const auto [activity, since] = dashboard_->doing(now);
    figures.activity = static_cast<std::int64_t>(activity);
    figures.for_ms = since > 0 && since < now ? (now - since) / 1'000'000 : 0;
    figures.tick = dashboard_->tick;
    figures.frames = dashboard_->frames;
    figures.divergences = dashboard_->divergences;
    figures.times = dashboard_->own_times();
    figures.times.cpu_ns = processor_time_of(pid_);
    figures.skew_ns = median_and_p99_ns(*dashboard_);
    if (!figures.skew_ns.empty())
        figures.lag_ns = lags_ns(*dashboard_);
    figures.replayed = dashboard_->replayed;
    listener_.figures(figures);
    figures_timer_ = loop_.after(between_figures, [this] { send_figures(); });
}

void DashboardReader::look_for_pictures() {
    look_at_rings();
    const bool busy = listener_.busy();
    for (std::size_t i = 0; i < live_slots && !busy; ++i) {
        PictureSlot &slot = dashboard_->live[i];
        std::uint32_t expected = PictureSlot::filled;
        if (!slot.state.compare_exchange_strong(expected, PictureSlot::reading))
            continue;
        const PictureFacts facts = slot.facts;
        std::string jpeg;
        if (sound(facts, live_bytes))
            jpeg = encode_jpeg({dashboard_->live_pixels(i), live_bytes}, facts.columns, facts.rows);
        slot.state = PictureSlot::free;
        if (!jpeg.empty())
            send(facts, std::move(jpeg));
    }
    std::uint32_t expected = PictureSlot::filled;
    if (dashboard_->still.state.compare_exchange_strong(expected, PictureSlot::reading)) {
        const PictureFacts facts = dashboard_->still.facts;
        std::string png;
        if (sound(facts, still_bytes_))
            png = encode_png({dashboard_->still_pixels(), still_bytes_}, facts.columns, facts.rows);
        forget_still(*dashboard_, still_bytes_);
        dashboard_->still.state = PictureSlot::free;
        send(facts, std::move(png));
    }
    picture_timer_ = loop_.after(between_looks, [this] { look_for_pictures(); });
}

void DashboardReader::send(const PictureFacts &facts, std::string bytes) {
    PictureOfTile piece;
    piece.facts = facts;
    for (std::size_t at = 0; at == 0 || at < bytes.size(); at += longest_piece) {
        piece.bytes = bytes.substr(at, longest_piece);
        piece.more = at + longest_piece < bytes.size();
        listener_.picture(piece);
    }
}

} // namespace mpiglut::launcher
