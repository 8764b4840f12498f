#include "coding/jpeg_coder.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace pixmpi {
namespace {

// What seen_ begins with: what goes to tables_. Encoding: then the number of the stream's bytes behind its header, the
// header, which ends at the end of a word, and these bytes. Decoding: then the coefficients.
constexpr std::size_t steps_bytes = 128 * 4, tables_bytes = steps_bytes + (64 + 2 * 16 + 2 * 256) * 4;
constexpr std::size_t count_at = tables_bytes, header_at = count_at + 16;
constexpr std::uint32_t max_groups = 65535; ///< in a row

std::uint32_t u32(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t rounded_up(std::uint64_t value, std::uint64_t by) { return u32((value + by - 1) / by); }

/// Where a stream's coefficients lie in a block, in their order.
std::array<std::uint32_t, 64> zigzag() {
    std::array<std::uint32_t, 64> order{};
    std::size_t next = 0;
    for (unsigned diagonal = 0; diagonal < 15; ++diagonal)
        for (unsigned k = diagonal < 8 ? 0 : diagonal - 7; k <= std::min(diagonal, 7u); ++k) {
            const unsigned x = diagonal % 2 ? diagonal - k : k, y = diagonal - x;
            order[next++] = 8 * y + x;
        }
    return order;
}

template <class Word, std::size_t n> void append(std::vector<std::byte> &bytes, const std::array<Word, n> &all) {
    static_assert(sizeof all % 4 == 0);
    const auto *const first = reinterpret_cast<const std::byte *>(all.data());
    bytes.insert(bytes.end(), first, first + sizeof all);
}

/// As the shaders have them.
std::vector<std::byte> steps_as_words(const JpegSteps &steps) {
    std::array<std::uint32_t, 128> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = steps[i / 64][i % 64];
    std::vector<std::byte> bytes;
    append(bytes, words);
    return bytes;
}

std::vector<std::byte> tables_as_words(int quality) {
    static const std::array<std::uint32_t, 64> order = zigzag();
    static const JpegCodes codes = jpeg_codes();
    std::vector<std::byte> bytes = steps_as_words(jpeg_steps(quality));
    append(bytes, order);
    append(bytes, codes.means);
    append(bytes, codes.coefficients);
    return bytes;
}

} // namespace

/// How a picture is cut into restart intervals: so many that a GPU has enough to do at once, large enough for their
/// markers not to count.
struct JpegCoder::Intervals {
    explicit Intervals(const JpegGrid &grid) {
        // A block takes 24 bytes where pictures are full of detail and quality is high. Who needs more than four times
        // that has no use for JPEG.
        constexpr unsigned blocks = 24, block_bytes = 96;
        units = blocks / (grid.component(0).across * grid.component(0).down + grid.components() - 1);
        count = rounded_up(std::uint64_t{grid.units_across()} * grid.units_down(), units);
        part_words = blocks * block_bytes / 4;
        parts_at = rounded_up(std::uint64_t{count} + 1, 4) * 4;
    }
    std::size_t bytes() const { return (std::size_t{parts_at} + std::size_t{count} * part_words) * 4; }

    unsigned units;
    std::uint32_t count, part_words, parts_at; ///< in front of the parts: a number for each interval, and one more
};

Status JpegCoder::make(std::shared_ptr<Device> device, std::unique_ptr<JpegCoder> &coder) {
    std::unique_ptr<Passes> passes;
    if (const Status status = device->make_passes(passes))
        return status;
    if (passes)
        coder.reset(new JpegCoder(std::move(device), std::move(passes)));
    return PIXMPI_SUCCESS;
}

bool JpegCoder::fit(std::initializer_list<std::size_t> bytes) const { return std::max(bytes) <= passes_->most_bytes(); }

Status JpegCoder::need(std::unique_ptr<Stage> &stage, StageKind kind, std::size_t bytes) {
    if (stage && stage->bytes >= bytes)
        return PIXMPI_SUCCESS;
    stage.reset();
    return device_->make_stage(kind, nullptr, (bytes + 15) / 16 * 16, stage);
}

/// As jpeg_forward.comp and jpeg_inverse.comp have them, except the work groups in a row.
std::array<std::uint32_t, 12> JpegCoder::sizes(std::uint64_t pixels, std::size_t offset) const {
    const JpegGrid::Component luma = grid_.component(0);
    const JpegGrid::Component cb = grid_.grey ? JpegGrid::Component{} : grid_.component(1);
    const JpegGrid::Component cr = grid_.grey ? JpegGrid::Component{} : grid_.component(2);
    return {grid_.size.width, grid_.size.height, u32(pixels),   u32(offset / 4), luma.columns,        luma.rows,
            cb.columns,       cb.rows,           u32(cb.first), u32(cr.first),   u32(grid_.blocks()), 0};
}

Pass JpegCoder::pass(PassKind kind, std::array<Stage *, 3> stages) const {
    const FormatInfo &info = format_info(format_);
    const bool halved = grid_.unit_width() == 16;
    Pass made{kind, stages};
    made.constants = {static_cast<std::uint32_t>(info.bytes), halved ? 2u : 1u, grid_.unit_height() == 16 ? 2u : 1u,
                      info.bgr ? 1u : 0u};
    return made;
}

Status JpegCoder::encode(const JpegTask &task, Stage &pixels, std::size_t offset, std::size_t most, Ticket &ticket,
                         bool &accepted) {
    return without_throwing([&]() -> Status {
        accepted = false;
        stream_at_ = 0;
        const PackedPixels packed{nullptr, task.format, task.pixels, task.width, task.apart};
        const JpegSize size = jpeg_size(packed);
        if (!jpeg_supports(task.format) || !size)
            return PIXMPI_SUCCESS;
        const JpegGrid grid = jpeg_grid(packed, task.subsampling);
        const Intervals intervals(grid);
        if (quality_ != task.quality || grid_ != grid) {
            quality_ = 0;
            table_words_ = tables_as_words(task.quality);
            if (const Status status = jpeg_header(grid, task.quality, intervals.units, header_))
                return status;
        }
        quality_ = task.quality;
        grid_ = grid;
        format_ = task.format;
        if (most <= header_.size())
            return PIXMPI_SUCCESS; // accepted is false
        const std::size_t data_at = header_at + (header_.size() + 3) / 4 * 4, data_most = most - header_.size();
        const std::size_t coefficients = grid.blocks() * 128, seen = data_at + (data_most + 3) / 4 * 4;
        const std::uint32_t entropy_groups = rounded_up(intervals.count, 32);
        if (!fit({pixels.bytes, coefficients, intervals.bytes(), seen}) || entropy_groups > max_groups)
            return PIXMPI_SUCCESS;
        for (const Status status :
             {need(seen_, StageKind::mapped, seen), need(tables_, StageKind::local, tables_bytes),
              need(coefficients_, StageKind::local, coefficients), need(work_, StageKind::local, intervals.bytes())})
            if (status)
                return status;
        std::copy(table_words_.begin(), table_words_.end(), seen_->host);
        std::copy(header_.begin(), header_.end(), seen_->host + data_at - header_.size());

        Pass tables = pass(PassKind::copy, {seen_.get(), tables_.get()});
        tables.sizes = {0, 0, tables_bytes};
        Pass forward = pass(PassKind::jpeg_forward, {&pixels, coefficients_.get(), tables_.get()});
        forward.sizes = sizes(task.pixels, offset);
        forward.across = rounded_up(size.width, 16);
        forward.down = rounded_up(size.height, 16);
        Pass entropy = pass(PassKind::jpeg_entropy, {coefficients_.get(), work_.get(), tables_.get()});
        const auto &s = forward.sizes;
        entropy.sizes = {rounded_up(size.width, 8),
                         rounded_up(size.height, 8),
                         s[4],
                         s[6],
                         s[8],
                         s[9],
                         intervals.parts_at,
                         intervals.part_words,
                         grid.units_across(),
                         grid.units_across() * grid.units_down(),
                         intervals.units};
        entropy.across = entropy_groups;
        entropy.down = 1;
        Pass begins = pass(PassKind::jpeg_begins, {work_.get(), seen_.get()});
        begins.sizes = {intervals.count,   intervals.parts_at, intervals.part_words, 0,
                        u32(count_at / 4), u32(data_at / 4),   u32(data_most)};
        begins.across = begins.down = 1;
        Pass join = pass(PassKind::jpeg_join, begins.stages);
        join.sizes = begins.sizes;
        join.across = std::min<std::uint32_t>(1024, rounded_up(data_most, 256));
        join.down = 1;
        const Pass all[] = {tables, forward, entropy, begins, join};
        if (const Status status = passes_->run(all, ticket, accepted))
            return status;
        stream_at_ = accepted ? data_at - header_.size() : 0;
        return PIXMPI_SUCCESS;
    });
}

std::span<const std::byte> JpegCoder::stream() const {
    std::uint32_t bytes = 0;
    if (stream_at_)
        std::memcpy(&bytes, seen_->host + count_at, sizeof bytes);
    if (bytes == 0)
        return {};
    return {seen_->host + stream_at_, header_.size() + bytes};
}

Status JpegCoder::make_room(const JpegGrid &grid, pixMPI_Format format, std::int16_t *&coefficients, bool &accepted) {
    return without_throwing([&]() -> Status {
        accepted = false;
        stream_at_ = 0;
        quality_ = 0;
        const std::size_t bytes = grid.blocks() * 128;
        if (!jpeg_supports(format) || !fit({steps_bytes + bytes}))
            return PIXMPI_SUCCESS;
        if (const Status status = need(seen_, StageKind::mapped, steps_bytes + bytes))
            return status;
        grid_ = grid;
        format_ = format;
        coefficients = reinterpret_cast<std::int16_t *>(seen_->host + steps_bytes);
        accepted = true;
        return PIXMPI_SUCCESS;
    });
}

Status JpegCoder::decode(const JpegSteps &steps, std::uint64_t pixels, Stage &stage, std::size_t offset, Ticket &ticket,
                         bool &accepted) {
    return without_throwing([&]() -> Status {
        accepted = false;
        const std::size_t bytes = grid_.blocks() * 128;
        if (!fit({stage.bytes}))
            return PIXMPI_SUCCESS;
        for (const Status status :
             {need(tables_, StageKind::local, tables_bytes), need(coefficients_, StageKind::local, bytes),
              need(work_, StageKind::local, bytes / 2)})
            if (status)
                return status;
        const std::vector<std::byte> words = steps_as_words(steps);
        std::copy(words.begin(), words.end(), seen_->host);

        Pass tables = pass(PassKind::copy, {seen_.get(), tables_.get()});
        tables.sizes = {0, 0, steps_bytes};
        Pass upload = pass(PassKind::copy, {seen_.get(), coefficients_.get()});
        upload.sizes = {steps_bytes, 0, u32(bytes)};
        const auto spread = [&](Pass &one, std::uint64_t groups) {
            one.sizes = sizes(pixels, offset);
            one.across = one.sizes[11] = u32(std::min<std::uint64_t>(groups, max_groups));
            one.down = rounded_up(groups, one.across);
        };
        Pass samples = pass(PassKind::jpeg_samples, {coefficients_.get(), work_.get(), tables_.get()});
        spread(samples, rounded_up(grid_.blocks(), 8));
        Pass colours = pass(PassKind::jpeg_pixels, {work_.get(), &stage});
        spread(colours, rounded_up(pixels, 256));
        const Pass all[] = {tables, upload, samples, colours};
        return passes_->run(all, ticket, accepted);
    });
}

} // namespace pixmpi
