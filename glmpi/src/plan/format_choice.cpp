#include "plan/format_choice.h"

#include "device/gl_device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace glmpi {

using namespace pixmpi;

namespace {

using Clock = std::chrono::steady_clock;

// Other names for the same bytes: drivers may know one of them better.
std::vector<PixelTypes> names_of(pixMPI_Format format, Direction direction) {
    const PixelTypes natural = gl_format(format).natural;
    std::vector<PixelTypes> names{natural};
    if (natural.type == GL_UNSIGNED_BYTE && (natural.format == GL_RGBA || natural.format == GL_RGBA_INTEGER))
        names.push_back({natural.format, GL_UNSIGNED_INT_8_8_8_8_REV});
    if (format == PIXMPI_DEPTH24 && direction == Direction::unpack)
        names.push_back({GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8});
    return names;
}

// Any bits that a texture of that format can hold: depths lie between 0 and 1, and NaNs need not keep their payload.
std::vector<std::byte> pattern(pixMPI_Format format, std::size_t pixels) {
    const FormatInfo &info = format_info(format);
    std::vector<std::byte> bytes(pixels * static_cast<std::size_t>(info.bytes));
    std::mt19937 random(4711);
    for (std::byte &b : bytes)
        b = static_cast<std::byte>(random());
    const auto place_float = [&](std::size_t stride) {
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += stride) {
            const float value = static_cast<float>(random() & 0xffffff) / static_cast<float>(0xffffff);
            std::memcpy(&bytes[at], &value, 4);
        }
    };
    if (format == PIXMPI_DEPTH32F || format == PIXMPI_DEPTH32F_STENCIL8)
        place_float(static_cast<std::size_t>(info.bytes));
    return bytes;
}

// The bytes of a pixel that mean something.
bool same(pixMPI_Format format, const std::vector<std::byte> &a, const std::vector<std::byte> &b) {
    const std::byte *p = a.data(), *q = b.data();
    if (format != PIXMPI_DEPTH24 && format != PIXMPI_DEPTH32F_STENCIL8)
        return std::memcmp(p, q, a.size()) == 0;
    for (std::size_t i = 0; i < a.size(); i += 4) {
        std::uint32_t x, y;
        std::memcpy(&x, p + i, 4);
        std::memcpy(&y, q + i, 4);
        const std::uint32_t mask = format == PIXMPI_DEPTH24 ? 0xffffff00u : i % 8 == 4 ? 0xffu : 0xffffffffu;
        if ((x ^ y) & mask)
            return false;
    }
    return true;
}

struct Candidate {
    FormatChoice choice;
    double seconds = 0, call_seconds = 0;
};

// One texture, and what is read from and written to it by the ways under test.
class Bench {
  public:
    Bench(GlDevice &device, pixMPI_Format format)
        : device_(device), gl_(device.gl), format_(format),
          bytes_(static_cast<std::size_t>(side) * side * static_cast<std::size_t>(format_info(format).bytes)),
          state_(device), sent_(pattern(format, static_cast<std::size_t>(side) * side)), arrived_(bytes_) {
        texture_ = make_texture(device, state_, gl_format(format).internal, gl_format(format).natural, {side, side});
        image_ = {GL_TEXTURE_2D, texture_, 0, 0};
        if (!device.direct())
            make_buffers();
    }
    ~Bench() {
        gl_.Finish();
        device_.framebuffers.release(state_, serial_);
        gl_.DeleteTextures(1, &texture_);
        if (buffers_[0])
            gl_.DeleteBuffers(2, buffers_);
    }

    bool write(const FormatChoice &how, int rows, const std::byte *pixels) {
        if (how.way == Way::by_name)
            gl_.TextureSubImage2D(texture_, 0, 0, 0, side, rows, how.types.format, how.types.type, pixels);
        else
            gl_.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, side, rows, how.types.format, how.types.type, pixels);
        return true;
    }
    void read(const FormatChoice &how, int rows, std::byte *pixels) {
        if (how.way == Way::by_name)
            gl_.GetTextureSubImage(texture_, 0, 0, 0, 0, side, rows, 1, how.types.format, how.types.type,
                                   static_cast<GLsizei>(bytes_), pixels);
        else if (how.way == Way::framebuffer)
            gl_.ReadPixels(0, 0, side, rows, how.types.format, how.types.type, pixels);
        else
            gl_.GetTexImage(GL_TEXTURE_2D, 0, how.types.format, how.types.type, pixels);
    }

    /// Writes the pattern one way and reads it the other way.
    bool arrives(GlErrors &errors, const FormatChoice &write_how, const FormatChoice &read_how) {
        std::vector<std::byte> other(bytes_, std::byte{0x5a});
        bind(Direction::unpack, 0);
        write({Way::binding, gl_format(format_).natural, false, {}}, side, other.data());
        write(write_how, side, sent_.data());
        bind(Direction::pack, 0);
        std::fill(arrived_.begin(), arrived_.end(), std::byte{0xa5});
        read(read_how, side, arrived_.data());
        return !errors.any() && same(format_, sent_, arrived_);
    }

    /// How long it takes, roughly: the least of what the calls of this have measured.
    void try_out(Candidate &candidate, Direction direction) {
        bind_other_end(direction);
        const double once = run(candidate, direction, side, 1);
        candidate.seconds = candidate.seconds > 0 ? std::min(candidate.seconds, once) : once;
    }

    /// What takes some drivers half a second, such as depths with stencils, is not repeated.
    static bool is_slow(const Candidate &candidate) {
        constexpr double slow = 10e-3;
        return candidate.seconds > slow;
    }

    /// After try_out().
    void time(Candidate &candidate, Direction direction) {
        const bool once = is_slow(candidate);
        bind_other_end(direction);
        if (!once)
            candidate.seconds = std::min(candidate.seconds, run(candidate, direction, side, 2));
        const double first = run(candidate, direction, 1, once ? 1 : 8);
        const double few = once ? first : std::min(first, run(candidate, direction, 1, 8));
        const double row = candidate.seconds / side;
        candidate.call_seconds = std::max(few - row, 0.05e-6);
        const double rest = std::max(candidate.seconds - candidate.call_seconds, candidate.seconds / 2);
        candidate.choice.rate = {candidate.call_seconds, static_cast<double>(bytes_) / rest};
    }

  private:
    // Half a mebibyte at four bytes a pixel: it stays in a CPU's cache, as the bands of a message do.
    static constexpr int side = 360;

    void bind_other_end(Direction direction) {
        bind(direction, device_.direct() ? 0 : buffers_[direction == Direction::pack ? 0 : 1]);
    }
    double run(const Candidate &candidate, Direction direction, int rows, int repeats) {
        std::byte *const base = device_.direct() ? arrived_.data() : nullptr;
        gl_.Finish();
        const auto start = Clock::now();
        for (int i = 0; i < repeats; ++i) {
            if (direction == Direction::pack)
                read(candidate.choice, rows, base);
            else
                write(candidate.choice, rows, base);
        }
        gl_.Finish();
        return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
    }

    void bind(Direction direction, GLuint buffer) {
        state_.pixels(direction, buffer);
        state_.bind_texture(GL_TEXTURE_2D, texture_);
        if (direction == Direction::pack) {
            state_.unclamped_reads();
            device_.framebuffers.bind(state_, Framebuffers::Use::read, aspect_of(format_), image_, serial_);
        }
    }
    void make_buffers() {
        gl_.GenBuffers(2, buffers_);
        for (int i = 0; i < 2; ++i) {
            const GLenum target = i == 0 ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER;
            state_.bind_buffer(target, buffers_[i]);
            gl_.BufferData(target, static_cast<GLsizeiptr>(bytes_), nullptr, i == 0 ? GL_STREAM_READ : GL_STREAM_DRAW);
        }
    }

    GlDevice &device_;
    const Gl &gl_;
    const pixMPI_Format format_;
    const std::size_t bytes_;
    SavedState state_;
    std::vector<std::byte> sent_, arrived_;
    GLuint texture_ = 0, buffers_[2] = {};
    Image image_;
    const std::uint64_t serial_ = Framebuffers::new_serial();
};

std::vector<Candidate> candidates(const GlDevice &device, pixMPI_Format format, Direction direction) {
    std::vector<Candidate> list;
    for (const PixelTypes &types : names_of(format, direction)) {
        const auto add = [&](Way way) { list.push_back({{way, types, false, {}}, 0, 0}); };
        if (device.features.direct_state)
            add(Way::by_name);
        if (direction == Direction::pack)
            add(Way::framebuffer);
        else if (!device.features.direct_state)
            add(Way::binding);
        if (direction == Direction::pack && !device.features.direct_state)
            add(Way::whole_level);
    }
    return list;
}

} // namespace

const FormatChoice &FormatChoices::get(pixMPI_Format format, Direction direction) {
    Pair &pair = pairs_[format];
    if (!pair.measured)
        measure(format, pair);
    return direction == Direction::pack ? pair.pack : pair.unpack;
}

FormatChoice FormatChoices::general(pixMPI_Format travelling, Direction direction) const {
    const bool by_name = device_.features.direct_state;
    const Way way = by_name ? Way::by_name : direction == Direction::pack ? Way::framebuffer : Way::binding;
    return {way, gl_format(travelling).natural, false, {}};
}

void FormatChoices::measure(pixMPI_Format format, Pair &pair) {
    GlAttempt errors(device_.gl);
    Bench bench(device_, format);
    std::vector<Candidate> reads = candidates(device_, format, Direction::pack);
    std::vector<Candidate> writes = candidates(device_, format, Direction::unpack);
    errors.any();
    for (Candidate &w : writes)
        for (Candidate &r : reads)
            if (!(w.choice.exact && r.choice.exact) && bench.arrives(errors, w.choice, r.choice))
                w.choice.exact = r.choice.exact = true;

    const auto pick = [&](std::vector<Candidate> &list, Direction direction) {
        const bool any_exact = std::any_of(list.begin(), list.end(), [](const Candidate &c) { return c.choice.exact; });
        std::vector<Candidate *> able;
        // Those that work are able. By turns, since a driver may take a millisecond for the first calls of a kind.
        const auto try_out = [&](bool whole_levels) {
            for (Candidate &c : list)
                if (c.choice.exact == any_exact && (c.choice.way == Way::whole_level) == whole_levels)
                    able.push_back(&c);
            constexpr int rounds = 3;
            for (int round = 0; round < rounds; ++round)
                std::erase_if(able, [&](Candidate *c) {
                    if (round + 1 < rounds || !Bench::is_slow(*c))
                        bench.try_out(*c, direction);
                    return errors.any();
                });
        };
        try_out(false);
        if (able.empty())
            try_out(true); // for what cannot be read in parts
        double least = 1e9;
        for (const Candidate *c : able)
            least = std::min(least, c->seconds);
        // The plain way, the first, unless another is clearly faster. Times of a GPU vary, and where its driver keeps a
        // small texture in the CPU's memory, the plain way reads it there (NVIDIA 580.159).
        const double clearly = device_.direct() ? 0.9 : 0.6;
        const Candidate *best = nullptr;
        for (Candidate *c : able) {
            constexpr double hopeless = 4;
            if (c->seconds > hopeless * least)
                continue;
            bench.time(*c, direction);
            if (errors.any())
                continue;
            if (!best || c->seconds < clearly * best->seconds)
                best = c;
        }
        return best ? best->choice : FormatChoice{};
    };
    pair.pack = pick(reads, Direction::pack);
    pair.unpack = pick(writes, Direction::unpack);
    pair.measured = !errors.ran_out(); // else no way is given up for good: the next message measures again
    if (!pair.measured) {
        pair.pack = general(format, Direction::pack);
        pair.unpack = general(format, Direction::unpack);
    }
}

} // namespace glmpi
