#include "codec/lz4_stream.h"

#include "codec/planes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <lz4.h>
#include <vector>

namespace pixmpi {
namespace {

/// Smaller blocks cost ratio, larger ones leave cores idle.
constexpr std::size_t least_block = std::size_t{64} << 10;

const char *chars(const std::byte *bytes) { return reinterpret_cast<const char *>(bytes); }
char *chars(std::byte *bytes) { return reinterpret_cast<char *>(bytes); }

constexpr std::uint64_t quotient_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

// ---- which filter

/// A sample is a small picture: a few rows of some pixels each; or a run where there are no rows.
struct Samples {
    std::size_t count, columns, rows;
    std::size_t pixels() const { return columns * rows; }
};

Samples plan_samples(const PackedPixels &pixels, std::size_t pixel_bytes) {
    constexpr std::size_t most_bytes = 32 << 10, rows = 8;
    const std::uint64_t all = pixels.pixels * pixel_bytes;
    const std::size_t bytes = std::clamp<std::uint64_t>(all / 16, 256, most_bytes);
    const std::size_t count = std::clamp<std::uint64_t>(all >> 21, 1, 4);
    if (pixels.width && pixels.pixels / pixels.width >= rows)
        return {count, std::min<std::size_t>(pixels.width, std::max<std::size_t>(1, bytes / rows / pixel_bytes)), rows};
    return {count, std::min<std::size_t>(pixels.pixels, std::max<std::size_t>(1, bytes / pixel_bytes)), 1};
}

void copy_sample(const PackedPixels &pixels, std::size_t pixel_bytes, const Samples &samples, std::size_t k,
                 std::byte *out) {
    const std::uint64_t width = samples.rows > 1 ? pixels.width : pixels.pixels;
    const std::uint64_t rows = samples.rows > 1 ? pixels.pixels / width : 1;
    // Spread over the height in order, over the width in another order.
    const std::uint64_t down = 2 * k + 1, across = samples.count == 1 ? 1 : 2 * (k * 3 % samples.count) + 1;
    const std::uint64_t y = (rows - samples.rows) * down / (2 * samples.count);
    const std::uint64_t x = (width - samples.columns) * (samples.rows > 1 ? across : down) / (2 * samples.count);
    for (std::size_t row = 0; row < samples.rows; ++row)
        std::memcpy(out + row * samples.columns * pixel_bytes, pixels.data + ((y + row) * width + x) * pixel_bytes,
                    samples.columns * pixel_bytes);
}

/// The one that makes samples smallest; `plain`, the fastest, unless another one is better by a sixteenth.
Filter choose_filter(Workers &workers, const PackedPixels &pixels, const Numerals &numerals, std::size_t pixel_bytes) {
    const Samples samples = plan_samples(pixels, pixel_bytes);
    const int some = samples.rows > 1 ? filters : static_cast<int>(Filter::before) + 1;
    const std::size_t bytes = samples.pixels() * pixel_bytes;
    const int room = LZ4_compressBound(static_cast<int>(bytes));
    std::array<std::atomic<std::uint64_t>, filters> sizes{};
    workers.for_all(samples.count, [&](std::size_t k, Scratch &scratch) {
        std::byte *const sample = scratch.get(2 * bytes + static_cast<std::size_t>(room));
        std::byte *const filtered = sample + bytes, *const compressed = filtered + bytes;
        copy_sample(pixels, pixel_bytes, samples, k, sample);
        for (int f = 0; f < some; ++f) {
            apply(static_cast<Filter>(f), numerals, sample, samples.pixels(), samples.columns, filtered);
            sizes[static_cast<std::size_t>(f)] += static_cast<std::uint64_t>(
                LZ4_compress_default(chars(filtered), chars(compressed), static_cast<int>(bytes), room));
        }
    });
    sizes[0] -= sizes[0] / 16;
    return static_cast<Filter>(std::min_element(sizes.begin(), sizes.begin() + some) - sizes.begin());
}

// ---- blocks

/// How a stream is cut: block k has count(k) pixels, from k * block_pixels on.
struct Cut {
    std::uint64_t pixels;
    std::size_t block_pixels, pixel_bytes;

    std::uint64_t blocks() const { return quotient_up(pixels, block_pixels); }
    std::uint64_t first(std::uint64_t k) const { return k * block_pixels; }
    std::size_t count(std::uint64_t k) const { return std::min<std::uint64_t>(block_pixels, pixels - first(k)); }
    std::size_t bytes(std::uint64_t k) const { return count(k) * pixel_bytes; }
    std::uint64_t offset(std::uint64_t k) const { return first(k) * pixel_bytes; }
};

/// To `out`, which has room for the block as it is.
Lz4Block compress(const std::byte *pixels, std::size_t count, std::size_t bytes, Filter filter,
                  const Numerals &numerals, std::size_t width, Scratch &scratch, std::byte *out) {
    const std::byte *source = pixels;
    if (filter != Filter::plain) {
        std::byte *const filtered = scratch.get(bytes);
        apply(filter, numerals, pixels, count, width, filtered);
        source = filtered;
    }
    const int smaller =
        LZ4_compress_default(chars(source), chars(out), static_cast<int>(bytes), static_cast<int>(bytes - 1));
    if (smaller <= 0)
        std::memcpy(out, pixels, bytes);
    const std::size_t size = smaller > 0 ? static_cast<std::size_t>(smaller) : bytes;
    return {static_cast<std::uint32_t>(size), checksum({out, size})};
}

bool expand(std::span<const std::byte> block, std::size_t count, std::size_t bytes, Filter filter,
            const Numerals &numerals, std::size_t width, Scratch &scratch, std::byte *out) {
    if (block.size() == bytes) {
        std::memcpy(out, block.data(), bytes);
        return true;
    }
    std::byte *const filtered = filter == Filter::plain ? out : scratch.get(bytes);
    const int got = LZ4_decompress_safe(chars(block.data()), chars(filtered), static_cast<int>(block.size()),
                                        static_cast<int>(bytes));
    if (got < 0 || static_cast<std::size_t>(got) != bytes)
        return false;
    if (filter != Filter::plain)
        undo(filter, numerals, filtered, count, width, out);
    return true;
}

std::uint32_t check_of_table(std::span<const std::byte> stream, std::uint64_t blocks) {
    constexpr std::size_t from = offsetof(Lz4Header, pixels);
    return checksum(stream.subspan(from, sizeof(Lz4Header) - from + blocks * sizeof(Lz4Block)));
}

// ---- what a stream says

/// A stream's own words, once all of them have been checked.
struct Plan {
    Filter filter;
    Numerals numerals;
    std::size_t width;
    Cut cut;
    std::vector<Lz4Block> blocks;
    std::vector<std::uint64_t> offsets; ///< in the stream
};

Status read_header(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels, Plan &plan) {
    const auto pixel_bytes = static_cast<unsigned>(format_info(format).bytes);
    Lz4Header header;
    if (stream.size() < sizeof header)
        return fail(PIXMPI_ERR_CODEC, "LZ4: a stream of %zu bytes, expected a header of %zu", stream.size(),
                    sizeof header);
    std::memcpy(&header, stream.data(), sizeof header);
    if (header.magic != lz4_magic || header.filter >= filters || header.block_pixels == 0 ||
        header.format == PIXMPI_FORMAT_NONE || header.format >= PIXMPI_FORMAT_END || header.width > header.block_pixels)
        return fail(PIXMPI_ERR_CODEC, "LZ4: the stream's header is damaged");
    const auto its_format = static_cast<pixMPI_Format>(header.format);
    if (header.pixels != pixels || format_info(its_format).bytes != static_cast<int>(pixel_bytes))
        return fail(PIXMPI_ERR_CODEC, "LZ4: the stream has %llu pixels of %d bytes, expected %llu of %u",
                    static_cast<unsigned long long>(header.pixels), format_info(its_format).bytes,
                    static_cast<unsigned long long>(pixels), pixel_bytes);
    if (header.block_pixels > lz4_most_block / pixel_bytes)
        return fail(PIXMPI_ERR_CODEC, "LZ4: the stream has blocks of %u pixels, expected %zu at most",
                    header.block_pixels, lz4_most_block / pixel_bytes);
    plan = {static_cast<Filter>(header.filter),
            numerals_of(its_format),
            header.width,
            {pixels, header.block_pixels, pixel_bytes},
            {},
            {}};
    if (plan.cut.blocks() > (stream.size() - sizeof header) / sizeof(Lz4Block))
        return fail(PIXMPI_ERR_CODEC, "LZ4: the stream ends within its table of blocks");
    if (check_of_table(stream, plan.cut.blocks()) != header.check)
        return fail(PIXMPI_ERR_CODEC, "LZ4: the stream's table of blocks is damaged");
    return PIXMPI_SUCCESS;
}

Status read_table(std::span<const std::byte> stream, Plan &plan) {
    const std::uint64_t blocks = plan.cut.blocks();
    plan.blocks.resize(blocks);
    plan.offsets.resize(blocks);
    if (blocks)
        std::memcpy(plan.blocks.data(), stream.data() + sizeof(Lz4Header), blocks * sizeof(Lz4Block));
    std::uint64_t offset = sizeof(Lz4Header) + blocks * sizeof(Lz4Block);
    for (std::uint64_t k = 0; k < blocks; ++k) {
        const std::uint64_t bytes = plan.blocks[k].bytes;
        if (bytes == 0 || bytes > plan.cut.bytes(k))
            return fail(PIXMPI_ERR_CODEC, "LZ4: block %llu has %llu bytes, expected 1 to %zu",
                        static_cast<unsigned long long>(k), static_cast<unsigned long long>(bytes), plan.cut.bytes(k));
        plan.offsets[k] = offset;
        offset += bytes;
    }
    if (offset != stream.size())
        return fail(PIXMPI_ERR_CODEC, "LZ4: a stream of %zu bytes, expected %llu", stream.size(),
                    static_cast<unsigned long long>(offset));
    return PIXMPI_SUCCESS;
}

} // namespace

std::uint32_t checksum(std::span<const std::byte> bytes) {
    // Four chains, since each waits for its multiplications.
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    std::uint64_t chains[4] = {1, 2, 3, 4}, word;
    const std::byte *at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= sizeof chains; left -= sizeof chains)
        for (std::uint64_t &chain : chains) {
            std::memcpy(&word, at, sizeof word);
            at += sizeof word;
            chain = (chain ^ word) * odd;
            chain ^= chain >> 32;
        }
    for (std::size_t i = 0; left > 0; i = (i + 1) % 4) {
        const std::size_t some = std::min(left, sizeof word);
        word = some;
        std::memcpy(&word, at, some);
        at += some;
        left -= some;
        chains[i] = (chains[i] ^ word) * odd;
        chains[i] ^= chains[i] >> 32;
    }
    std::uint64_t all = bytes.size();
    for (const std::uint64_t chain : chains)
        all = ((all ^ chain) * odd) ^ (all >> 29);
    return static_cast<std::uint32_t>(all >> 32);
}

std::size_t lz4_bound(pixMPI_Format format, std::uint64_t pixels) {
    const auto pixel_bytes = static_cast<std::size_t>(format_info(format).bytes);
    return sizeof(Lz4Header) + pixels * pixel_bytes + quotient_up(pixels, least_block / pixel_bytes) * sizeof(Lz4Block);
}

bool is_lz4(std::span<const std::byte> stream) {
    return stream.size() >= sizeof lz4_magic && std::memcmp(stream.data(), &lz4_magic, sizeof lz4_magic) == 0;
}

Status lz4_encode(Workers &workers, const PackedPixels &pixels, std::span<std::byte> out, std::size_t &bytes) {
    return without_throwing([&]() -> Status {
        const auto pixel_bytes = static_cast<std::size_t>(format_info(pixels.format).bytes);
        const Numerals numerals = numerals_of(pixels.format);
        const std::uint64_t share = quotient_up(pixels.pixels * pixel_bytes, std::uint64_t{2} * workers.count());
        const std::size_t block_bytes = std::clamp<std::uint64_t>(share, least_block, lz4_most_block);
        const Cut cut{pixels.pixels, block_bytes / pixel_bytes, pixel_bytes};
        const std::size_t width = pixels.width <= cut.block_pixels ? pixels.width : 0;
        const Filter filter = pixels.pixels ? choose_filter(workers, pixels, numerals, pixel_bytes) : Filter::plain;
        std::vector<Lz4Block> blocks(cut.blocks());
        const std::size_t ahead = sizeof(Lz4Header) + blocks.size() * sizeof(Lz4Block);
        // Each where it would be if all were stored; then they close up.
        workers.for_all(blocks.size(), [&](std::size_t k, Scratch &scratch) {
            blocks[k] = compress(pixels.data + cut.offset(k), cut.count(k), cut.bytes(k), filter, numerals, width,
                                 scratch, out.data() + ahead + cut.offset(k));
        });
        bytes = ahead;
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            std::memmove(out.data() + bytes, out.data() + ahead + cut.offset(k), blocks[k].bytes);
            bytes += blocks[k].bytes;
        }
        Lz4Header header{lz4_magic,
                         0,
                         pixels.pixels,
                         static_cast<std::uint32_t>(cut.block_pixels),
                         static_cast<std::uint32_t>(width),
                         static_cast<std::uint16_t>(pixels.format),
                         static_cast<std::uint8_t>(filter),
                         {}};
        std::memcpy(out.data(), &header, sizeof header);
        if (!blocks.empty())
            std::memcpy(out.data() + sizeof header, blocks.data(), blocks.size() * sizeof(Lz4Block));
        header.check = check_of_table(out, blocks.size());
        std::memcpy(out.data(), &header, sizeof header);
        return PIXMPI_SUCCESS;
    });
}

Status lz4_decode(Workers &workers, std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels,
                  std::byte *out) {
    return without_throwing([&]() -> Status {
        Plan plan;
        if (const Status status = read_header(stream, format, pixels, plan))
            return status;
        if (const Status status = read_table(stream, plan))
            return status;
        constexpr std::size_t none = SIZE_MAX;
        std::atomic<std::size_t> damaged{none};
        workers.for_all(plan.blocks.size(), [&](std::size_t k, Scratch &scratch) {
            const auto block = stream.subspan(plan.offsets[k], plan.blocks[k].bytes);
            if (checksum(block) != plan.blocks[k].check ||
                !expand(block, plan.cut.count(k), plan.cut.bytes(k), plan.filter, plan.numerals, plan.width, scratch,
                        out + plan.cut.offset(k)))
                damaged = k;
        });
        if (damaged != none)
            return fail(PIXMPI_ERR_CODEC, "LZ4: block %zu of the stream is damaged", damaged.load());
        return PIXMPI_SUCCESS;
    });
}

} // namespace pixmpi
