// Copies between two surfaces of one GPU: from list to list by one kernel, without memory in between.
#include "rig/cuda_stand_in.h"

#include <cuda_rig_memory.h>
#include <cudampi.h>

#include <algorithm>

using namespace api;

namespace {

/// With kernels, on the stand-in, which makes functions fail and counts calls.
class Faults {
  public:
    static bool there() { return stand_in<FakeCudaFail>("fakeCudaFail") && has_kernels(); }
    Faults() = default;
    ~Faults() { heal(); }
    Faults(const Faults &) = delete;
    Faults &operator=(const Faults &) = delete;
    void fail(const char *function, int result, int after, int times) const {
        stand_in<FakeCudaFail>("fakeCudaFail")(function, result, after, times);
    }
    void heal() const { stand_in<FakeCudaHeal>("fakeCudaHeal")(); }
    int calls(const char *function) const { return stand_in<FakeCudaCalls>("fakeCudaCalls")(function); }
};
constexpr int out_of_memory = 2, unknown = 999;

pixMPI_Stats stats() {
    pixMPI_Stats now = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&now));
    return now;
}

/// Memory of the first GPU, at any address and with any gaps.
class Picture {
  public:
    Picture(pixMPI_Format format, int width, int height, std::size_t before, std::size_t between)
        : width_(width), pixel_(pixMPI_Format_bytes(format)), before_(before),
          row_(static_cast<std::size_t>(width * pixel_)), pitch_(row_ + between),
          content_(before + pitch_ * static_cast<std::size_t>(height), 0x5a),
          memory_(0, cuda_rig::Kind::device, content_.size()), stream_(0) {
        surface = cudaMPI_On_stream(
            cudaMPI_Memory(static_cast<std::byte *>(memory_.address()) + before, format, width, height),
            static_cast<CUstream_st *>(stream_.name()));
        surface.row_bytes = static_cast<std::ptrdiff_t>(pitch_);
    }
    /// Pixels, and the gaps stay as they are; still under way when it returns.
    Bytes fill(std::uint64_t seed) {
        const Bytes pixels = pattern(row_ * rows(), seed);
        for (std::size_t y = 0; y < rows(); ++y)
            std::copy_n(pixels.data() + y * row_, row_, content_.data() + before_ + y * pitch_);
        memory_.write(std::as_bytes(std::span(content_)), stream_.name());
        return pixels;
    }
    /// All of it, the gaps included.
    void check(const Bytes &pixels) {
        Bytes expected(content_.size(), 0x5a), seen(content_.size());
        for (std::size_t y = 0; y < rows(); ++y)
            std::copy_n(pixels.data() + y * row_, row_, expected.data() + before_ + y * pitch_);
        memory_.read(std::as_writable_bytes(std::span(seen)), stream_.name());
        CHECK_PIXELS(seen, expected, static_cast<int>(seen.size()), 1);
    }
    int width() const { return width_; }
    int pixel() const { return pixel_; }
    pixMPI_Surface surface{};

  private:
    std::size_t rows() const { return (content_.size() - before_) / pitch_; }
    const int width_, pixel_;
    const std::size_t before_, row_, pitch_;
    Bytes content_;
    cuda_rig::Memory memory_;
    const cuda_rig::Stream stream_;
};

/// And the way of the pixels.
void copy(Picture &from, const Shape &from_shape, Picture &to, const Shape &to_shape, pixMPI_Way way) {
    const Bytes pixels = from.fill(seed_of(1, from_shape.pixels()));
    Bytes expected = to.fill(2);
    unpack(expected, to.width(), to.pixel(), to_shape, pack(pixels, from.width(), from.pixel(), from_shape));
    const pixMPI_Stats before = stats();
    NEED_OK(pixMPI_Copy(from.surface, from_shape, to.surface, to_shape));
    CHECK_EQ(stats().bytes_by_way[way] - before.bytes_by_way[way],
             from_shape.pixels() * static_cast<std::size_t>(from.pixel()));
    to.check(expected);
    from.check(pixels);
}

pixMPI_Way straight() { return has_kernels() ? PIXMPI_WAY_STRAIGHT : PIXMPI_WAY_DEVICE; }

} // namespace

RANK_CASE(cuda_copies, lists_of_rectangles, 1) {
    for (const pixMPI_Format format :
         {PIXMPI_R8, PIXMPI_RG16, PIXMPI_RGB8, PIXMPI_RGBA16F, PIXMPI_RGB32F, PIXMPI_RGBA32F}) {
        const auto pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format));
        const std::vector<Shape> shapes = all_shapes();
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            // The next one with as many pixels, so that each meets another one.
            std::size_t k = (i + 1) % shapes.size();
            while (shapes[k].pixels() != shapes[i].pixels())
                k = (k + 1) % shapes.size();
            const bool odd = i % 2;
            note("format %d: %s to %s", format, shapes[i].name.c_str(), shapes[k].name.c_str());
            Picture from(format, 64, 64, odd ? 3 * pixel : 0, i % 3 * pixel), to(format, 64, 64, 0, odd ? 5 : 48);
            copy(from, shapes[i], to, shapes[k], straight());
        }
    }
}

RANK_CASE(cuda_copies, odd_sizes, 1) {
    Picture wide(PIXMPI_RGBA8, 1021, 37, 0, 12), high(PIXMPI_RGBA8, 37, 1021, 4, 0),
        line(PIXMPI_RGBA8, 37 * 1021, 1, 0, 0);
    const Shape of_wide = rectangle(0, 0, 1021, 37), of_high = rectangle(0, 0, 37, 1021),
                of_line = rectangle(0, 0, 37 * 1021, 1), lying = rows(0, 1021, 0, 37, 1),
                upright = columns(0, 1021, 0, 37, 1);
    copy(wide, of_wide, high, of_high, straight());
    copy(wide, of_wide, high, upright, straight());
    copy(high, upright, line, of_line, straight());
    copy(line, of_line, wide, lying, straight());
}

// Parts of one picture that lie side by side share rows, not pixels; where pixels are shared, as though all were read
// before the first is written.
RANK_CASE(cuda_copies, within_one_picture, 1) {
    Picture picture(PIXMPI_RGBA8, 100, 60, 0, 16);
    const auto within = [&](const Shape &from, const Shape &to, pixMPI_Way way) {
        Bytes expected = picture.fill(3);
        unpack(expected, 100, 4, to, pack(expected, 100, 4, from));
        const pixMPI_Stats before = stats();
        NEED_OK(pixMPI_Copy(picture.surface, from, picture.surface, to));
        CHECK_EQ(stats().bytes_by_way[way] - before.bytes_by_way[way], from.pixels() * 4);
        picture.check(expected);
    };
    within(rectangle(0, 5, 40, 50), rectangle(60, 5, 40, 50), straight());
    within(rectangle(0, 5, 40, 50), rectangle(3, 7, 40, 50), PIXMPI_WAY_DEVICE);
    within(rectangle(3, 7, 40, 50), rectangle(0, 5, 40, 50), PIXMPI_WAY_DEVICE);
}

// A kernel copies between an array and memory; two arrays need memory in between.
RANK_CASE(cuda_copies, arrays, 1) {
    const cuda_rig::Current current(0);
    constexpr int side = 64;
    constexpr std::size_t row = side * 4;
    const cuda_rig::Stream stream(0);
    for (const auto kind : {cuda_rig::ArrayKind::plain, cuda_rig::ArrayKind::flat, cuda_rig::ArrayKind::solid}) {
        cuda_rig::Array one(0, side, side, 1, 4, kind), other(0, side, side, 1, 4, kind);
        const auto named = [&](const cuda_rig::Array &array) {
            return cudaMPI_On_stream(cudaMPI_Array(array.name(), PIXMPI_FORMAT_NONE, static_cast<int>(array.layer())),
                                     static_cast<CUstream_st *>(stream.name()));
        };
        Picture picture(PIXMPI_RGBA8, side, side, 0, 8);
        const Shape tiles = blocks({1, 2, 6, 7}, 6, 6, 8, 9), lines = rows(4, 28, 5, 54, 1);
        NEED(tiles.pixels() == lines.pixels());
        const Bytes first = pattern(row * side, 4);
        Bytes array = first, there = first, memory = picture.fill(5);
        one.write(std::as_bytes(std::span(array)), row, stream.name());
        other.write(std::as_bytes(std::span(there)), row, stream.name());
        const pixMPI_Stats before = stats();
        CHECK_OK(pixMPI_Copy(picture.surface, tiles, named(one), lines));
        unpack(array, side, 4, lines, pack(memory, side, 4, tiles));
        CHECK_OK(pixMPI_Copy(named(one), tiles, picture.surface, lines));
        unpack(memory, side, 4, lines, pack(array, side, 4, tiles));
        CHECK_OK(pixMPI_Copy(named(one), lines, named(other), tiles));
        unpack(there, side, 4, tiles, pack(array, side, 4, lines));
        const std::uint64_t bytes = tiles.pixels() * 4,
                            by_kernel = straight() == PIXMPI_WAY_STRAIGHT && kind != cuda_rig::ArrayKind::plain ? 2 : 0;
        const pixMPI_Stats after = stats();
        CHECK_EQ(after.bytes_by_way[PIXMPI_WAY_STRAIGHT] - before.bytes_by_way[PIXMPI_WAY_STRAIGHT], by_kernel * bytes);
        CHECK_EQ(after.bytes_by_way[PIXMPI_WAY_DEVICE] - before.bytes_by_way[PIXMPI_WAY_DEVICE],
                 (3 - by_kernel) * bytes);
        picture.check(memory);
        for (const auto &[object, expected] : {std::pair(&one, &array), std::pair(&other, &there)}) {
            Bytes seen(row * side);
            object->read(std::as_writable_bytes(std::span(seen)), row, stream.name());
            CHECK_PIXELS(seen, *expected, side, 4);
        }
    }
}

RANK_CASE(cuda_copies, persistent_and_cancelled, 1) {
    Picture from(PIXMPI_RGBA8, 300, 200, 0, 0), to(PIXMPI_RGBA8, 300, 200, 0, 4);
    const Shape part = rectangle(10, 10, 101, 99);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(pixMPI_Copy_init(from.surface, part, to.surface, part, &request));
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
        const Bytes pixels = from.fill(turn);
        Bytes expected = to.fill(9);
        unpack(expected, 300, 4, part, pack(pixels, 300, 4, part));
        NEED_OK(pixMPI_Start(&request));
        if (turn == 1)
            CHECK_OK(pixMPI_Cancel(&request)); // which comes too late
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        to.check(expected);
    }
    CHECK_OK(pixMPI_Request_free(&request));
}

// Nor does it wait for the program's stream, which may wait for a message.
RANK_CASE(cuda_copies, a_driver_that_fails, 1) {
    if (!Faults::there())
        return leave_out("the stand-in and kernels are wanted");
    const Faults faults;
    Picture from(PIXMPI_RGBA8, 90, 80, 0, 0), to(PIXMPI_RGBA8, 90, 80, 0, 4);
    const Shape part = rectangle(5, 5, 61, 59);
    for (const char *function : {"cuLaunchKernel", "cuEventRecord", "cuEventQuery"}) {
        note("%s", function);
        copy(from, part, to, part, PIXMPI_WAY_STRAIGHT);
        from.fill(6); // under way
        const int waits = faults.calls("cuStreamSynchronize");
        faults.fail(function, unknown, 0, 1);
        CHECK_FAILS(pixMPI_Copy(from.surface, part, to.surface, part), PIXMPI_ERR_DEVICE, function);
        CHECK_EQ(faults.calls("cuStreamSynchronize"), waits);
        faults.heal();
    }
    copy(from, part, to, part, PIXMPI_WAY_STRAIGHT);
}

RANK_CASE(cuda_copies, no_memory_for_a_list, 1) {
    if (!Faults::there())
        return leave_out("the stand-in and kernels are wanted");
    const Faults faults;
    const cuda_rig::Current current(0);
    CHECK_OK(cudaMPI_Context_release()); // which keeps neither lists nor memory
    Picture from(PIXMPI_RGBA8, 64, 64, 0, 0), to(PIXMPI_RGBA8, 64, 64, 0, 8);
    const Shape tiles = blocks({1, 2, 6, 7}, 6, 6, 8, 9), lines = rows(4, 28, 5, 54, 1);
    const Bytes pixels = from.fill(7);
    Bytes expected = to.fill(8);
    unpack(expected, 64, 4, lines, pack(pixels, 64, 4, tiles));
    const std::uint64_t before = stats().bytes_by_way[PIXMPI_WAY_DEVICE];
    const int waits = faults.calls("cuStreamSynchronize");
    faults.fail("cuMemHostAlloc", out_of_memory, 0, 1000);
    CHECK_OK(pixMPI_Copy(from.surface, tiles, to.surface, lines));
    CHECK_EQ(faults.calls("cuStreamSynchronize"), waits);
    faults.heal();
    CHECK_EQ(stats().bytes_by_way[PIXMPI_WAY_DEVICE] - before, tiles.pixels() * 4);
    to.check(expected);
}

// To load one may wait for the program's kernels, one of which may wait for the message.
RANK_CASE(cuda_copies, kernels_are_loaded_before_a_message, 1) {
    if (!Faults::there())
        return leave_out("the stand-in and kernels are wanted");
    const Faults faults;
    const cuda_rig::Current current(0);
    const cuda_rig::Stream stream(0);
    cuda_rig::Array array(0, 64, 64, 1, 4, cuda_rig::ArrayKind::flat);
    const pixMPI_Surface named = cudaMPI_On_stream(cudaMPI_Array(array.name(), PIXMPI_FORMAT_NONE, 0),
                                                   static_cast<CUstream_st *>(stream.name()));
    Picture picture(PIXMPI_RGBA8, 64, 64, 0, 8);
    const Shape part = rectangle(3, 4, 50, 51);
    for (const bool loads : {false, true}) {
        CHECK_OK(cudaMPI_Context_release());
        if (!loads)
            faults.fail("cuModuleLoadData", unknown, 1, 1);
        CHECK_OK(cudaMPI_Send(picture.surface, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world()));
        faults.heal();
        const int modules = faults.calls("cuModuleLoadData");
        Bytes pixels = picture.fill(10);
        const Bytes first = pattern(64 * 64 * 4, 11);
        array.write(std::as_bytes(std::span(first)), 64 * 4, stream.name());
        const pixMPI_Way way = loads ? PIXMPI_WAY_STRAIGHT : PIXMPI_WAY_DEVICE;
        const std::uint64_t before = stats().bytes_by_way[way];
        CHECK_OK(pixMPI_Copy(named, part, picture.surface, part));
        CHECK_EQ(stats().bytes_by_way[way] - before, part.pixels() * 4);
        CHECK_EQ(faults.calls("cuModuleLoadData"), modules);
        unpack(pixels, 64, 4, part, pack(first, 64, 4, part));
        picture.check(pixels);
    }
}

// Colours are written where depths are read: as though all were read first.
RANK_CASE(cuda_copies, planes_that_change_places, 1) {
    Picture color(PIXMPI_RGBA8, 100, 60, 0, 16), depth(PIXMPI_DEPTH32F, 100, 60, 0, 16);
    pixMPI_Surface as_color = depth.surface, as_depth = color.surface;
    std::swap(as_color.format, as_depth.format);
    const auto change = [&](const Shape &from, const Shape &to, pixMPI_Way way) {
        const Bytes colors = color.fill(12), depths = depth.fill(13);
        Bytes there = colors, here = depths;
        unpack(there, 100, 4, to, pack(depths, 100, 4, from));
        unpack(here, 100, 4, to, pack(colors, 100, 4, from));
        const pixMPI_Stats before = stats();
        NEED_OK(pixMPI_Copy(pixMPI_With_depth(&color.surface, &depth.surface), from,
                            pixMPI_With_depth(&as_color, &as_depth), to));
        CHECK_EQ(stats().bytes_by_way[way] - before.bytes_by_way[way], from.pixels() * 8);
        color.check(there);
        depth.check(here);
    };
    change(rectangle(0, 5, 40, 50), rectangle(60, 5, 40, 50), straight());
    change(rectangle(0, 5, 40, 50), rectangle(0, 5, 40, 50), PIXMPI_WAY_DEVICE);
    change(rectangle(0, 5, 40, 50), rectangle(3, 7, 40, 50), PIXMPI_WAY_DEVICE);
}
