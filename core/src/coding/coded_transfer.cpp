#include "coding/coded_transfer.h"

#include <algorithm>

namespace pixmpi {
namespace {

// One band is copied, one is in the codec, and one waits for it.
constexpr std::size_t most_at_work = 3;

} // namespace

CodedTransfer::~CodedTransfer() {
    for (const PendingBand &band : bands_)
        if (band.job)
            thread_.wait(*band.job);
}

std::size_t CodedTransfer::bytes_of(const PendingBand &band) const {
    return static_cast<std::size_t>(band.count) * static_cast<std::size_t>(format_info(format_).bytes);
}

void CodedTransfer::start() {
    bands_.clear();
    lengths_.clear();
    stream_bytes_ = 0;
    seconds_ = 0;
    given_up_ = false;
}

Status CodedTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) {
    const std::size_t room = stage.bytes - offset;
    const std::size_t bytes = direction_ == Direction::pack ? Codec::bound(format_, count) : expected_;
    if (bytes > room)
        return fail(PIXMPI_ERR_PEER, "a band's stream has %zu bytes, expected %zu at most", bytes, room);
    const bool in_turn = bands_.size() < most_at_work && (bands_.empty() || bands_.back().step != Step::waiting);
    bands_.push_back({last_ + 1, first, count, {stage.host + offset, bytes}});
    if (in_turn)
        if (const Status error = begin_band(bands_.back())) { // it may be tried again
            bands_.pop_back();
            return error;
        }
    ticket = ++last_;
    return PIXMPI_SUCCESS;
}

Status CodedTransfer::poll(Ticket ticket, bool &over) {
    if (given_up_) {
        over = jobs_over();
        return PIXMPI_SUCCESS;
    }
    while (!bands_.empty()) {
        if (const Status error = advance_all())
            return error;
        if (!finish_first())
            break;
    }
    over = bands_.empty() || ticket < bands_.front().ticket;
    return PIXMPI_SUCCESS;
}

std::size_t CodedTransfer::pop_length() {
    if (lengths_.empty())
        return 0;
    const std::size_t bytes = lengths_.front();
    lengths_.pop_front();
    return bytes;
}

// From the first to the last: transfers copy bands in order, and so does the thread.
Status CodedTransfer::advance_all() {
    std::size_t before = 0;
    for (PendingBand &band : bands_) {
        if (band.step != Step::waiting) {
            if (const Status error = advance(band))
                return error;
        } else if (before == most_at_work) {
            break;
        } else if (const Status error = begin_band(band)) {
            if (error == PIXMPI_ERR_MEMORY && before > 0)
                break; // the bands before give some back
            return error;
        }
        ++before;
    }
    return PIXMPI_SUCCESS;
}

/// Whether the first band was over.
bool CodedTransfer::finish_first() {
    PendingBand &first = bands_.front();
    if (first.step != Step::over)
        return false;
    stream_bytes_ += first.bytes;
    seconds_ += first.seconds;
    if (kept_) {
        kept_->band_pixels = std::max(kept_->band_pixels, first.count);
        kept_->bands.push_back(std::move(first.kept));
    }
    if (direction_ == Direction::pack)
        lengths_.push_back(first.bytes);
    if (first.coder)
        unused_coders_.push_back(std::move(first.coder));
    unused_.push_back(std::move(first.own));
    bands_.pop_front();
    return true;
}

Status CodedTransfer::advance(PendingBand &band) {
    if (band.step == Step::encoding || band.step == Step::decoding)
        if (band.job->over.load(std::memory_order_acquire))
            if (const Status error = job_over(band))
                return error;
    if (band.step == Step::shading) {
        bool over = false;
        if (const Status error = band.coder->poll(band.part, over); error || !over)
            return error;
        if (const Status error = shading_over(band))
            return error;
    }
    if (band.step == Step::packing || band.step == Step::unpacking) {
        bool over = band.part == done;
        if (!over)
            if (const Status error = pixels_.poll(band.part, over))
                return error;
        if (!over)
            return PIXMPI_SUCCESS;
        if (band.step == Step::packing)
            return shaders_ ? shade(band) : order(band);
        band.step = Step::over;
    }
    return PIXMPI_SUCCESS;
}

Status CodedTransfer::job_over(PendingBand &band) {
    CodingJob &job = *band.job;
    band.bytes = job.bytes;
    band.seconds += job.seconds;
    if (job.error.code)
        return repeat(job.error);
    if (job.kind == CodingKind::encode) {
        band.step = Step::over;
        return PIXMPI_SUCCESS;
    }
    if (job.kind == CodingKind::coefficients) {
        bool accepted = false;
        if (const Status error = band.coder->decode(job.steps, band.count, *band.own, 0, band.part, accepted))
            return error;
        if (!accepted)
            return order(band);
        band.step = Step::shading;
        return PIXMPI_SUCCESS;
    }
    band.step = Step::unpacking;
    return pixels_.copy(band.first, band.count, *band.own, 0, band.part);
}

/// The pixels are packed: the device encodes them, or else the thread does.
Status CodedTransfer::shade(PendingBand &band) {
    bool accepted = false;
    if (const Status error = need_coder(band))
        return error;
    const JpegTask task{format_, band.count, rows_.width, choice_.quality, choice_.subsampling, rows_.apart};
    // A stream that is no smaller is none; LZ4 may do better.
    const std::size_t most = std::min(bytes_of(band) - 1, band.slot.size());
    if (band.coder)
        if (const Status error = band.coder->encode(task, *band.own, 0, most, band.part, accepted))
            return error;
    if (!accepted)
        return order(band);
    band.shading = Wait();
    band.step = Step::shading;
    return PIXMPI_SUCCESS;
}

Status CodedTransfer::shading_over(PendingBand &band) {
    band.part = done;
    if (direction_ == Direction::unpack) {
        band.step = Step::unpacking;
        return pixels_.copy(band.first, band.count, *band.own, 0, band.part);
    }
    const std::span<const std::byte> stream = band.coder->stream();
    band.seconds += std::chrono::duration<double>(band.shading.waited()).count();
    if (stream.empty())
        return order(band);
    std::copy(stream.begin(), stream.end(), band.slot.begin());
    band.bytes = stream.size();
    band.step = Step::over;
    return PIXMPI_SUCCESS;
}

/// Stays null where the device has no shaders for it.
Status CodedTransfer::need_coder(PendingBand &band) {
    if (band.coder)
        return PIXMPI_SUCCESS;
    if (!unused_coders_.empty()) {
        band.coder = std::move(unused_coders_.back());
        unused_coders_.pop_back();
        return PIXMPI_SUCCESS;
    }
    if (const Status error = JpegCoder::make(device_, band.coder))
        return error;
    shaders_ = band.coder != nullptr;
    return PIXMPI_SUCCESS;
}

Status CodedTransfer::begin_band(PendingBand &band) {
    if (const Status error = need_stage(band))
        return error;
    if (direction_ == Direction::unpack)
        return order(band);
    if (const Status error = pixels_.copy(band.first, band.count, *band.own, 0, band.part))
        return error;
    band.step = Step::packing;
    return advance(band);
}

Status CodedTransfer::need_stage(PendingBand &band) {
    if (band.own)
        return PIXMPI_SUCCESS;
    const std::size_t bytes = bytes_of(band);
    while (!unused_.empty()) {
        std::unique_ptr<Stage> last = std::move(unused_.back());
        unused_.pop_back();
        if (last->bytes >= bytes) {
            band.own = std::move(last);
            return PIXMPI_SUCCESS;
        }
    }
    return device_->make_stage(StageKind::mapped, nullptr, (bytes + 15) / 16 * 16,
                               band.own); // shaders want whole words
}

Status CodedTransfer::order(PendingBand &band, std::unique_ptr<CodingJob> job, Step step) {
    if (band.job)
        band.seconds = 0; // of what has been in vain
    thread_.order(*job);
    band.job = std::move(job);
    band.step = step;
    return PIXMPI_SUCCESS;
}

Status CodedTransfer::order(PendingBand &band) {
    auto job = std::make_unique<CodingJob>();
    const bool encodes = direction_ == Direction::pack;
    if (!encodes && (kept_ || shaders_) && band.kept.empty())
        band.kept.assign(band.slot.begin(), band.slot.end());
    if (!encodes && shaders_ && !band.job) {
        bool accepted = false;
        if (const Status error = order_coefficients(band, accepted); error || accepted)
            return error;
    }
    job->kind = encodes ? CodingKind::encode : CodingKind::decode;
    job->choice = choice_;
    job->pixels = {encodes ? band.own->host : nullptr, format_, band.count, rows_.width, rows_.apart};
    job->stays = !band.kept.empty();
    job->stream = job->stays ? std::span(band.kept) : band.slot;
    job->out = encodes ? nullptr : band.own->host;
    return order(band, std::move(job), encodes ? Step::encoding : Step::decoding);
}

/// Of a JPEG, which is no other than those that devices decode.
Status CodedTransfer::order_coefficients(PendingBand &band, bool &accepted) {
    if (!is_jpeg(band.kept) || !jpeg_supports(format_))
        return PIXMPI_SUCCESS; // accepted is false
    auto job = std::make_unique<CodingJob>();
    job->kind = CodingKind::coefficients;
    job->stream = band.kept;
    if (const Status error = jpeg_read_grid(band.kept, format_, band.count, job->grid))
        return error;
    if (const Status error = need_coder(band); error || !band.coder)
        return error;
    if (const Status error = band.coder->make_room(job->grid, format_, job->coefficients, accepted); error || !accepted)
        return error;
    return order(band, std::move(job), Step::decoding);
}

void CodedTransfer::give_up() {
    given_up_ = true;
    pixels_.give_up();
}

bool CodedTransfer::jobs_over() const {
    return std::all_of(bands_.begin(), bands_.end(), [](const PendingBand &band) {
        return !band.job || band.job->over.load(std::memory_order_acquire);
    });
}

bool CodedTransfer::settled() { return pixels_.settled() && jobs_over(); }

Status ForwardingTransfer::copy(std::uint64_t, std::uint64_t, Stage &stage, std::size_t offset, Ticket &ticket) {
    const std::vector<std::byte> &stream = streams_.bands[copied_];
    if (stream.size() > stage.bytes - offset)
        return fail(PIXMPI_ERR_PEER, "a band's stream has %zu bytes, expected %zu at most", stream.size(),
                    stage.bytes - offset);
    std::copy(stream.begin(), stream.end(), stage.host + offset);
    stream_bytes_ += stream.size();
    ++copied_;
    ticket = done;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
