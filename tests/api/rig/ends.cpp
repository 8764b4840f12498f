#include "rig/ends.h"

#include <cstdlib>
#include <cstring>

namespace api {

const char *subject = nullptr;

namespace {

const Verbs<pixMPI_Surface> verbs{pixMPI_Send,
                                  pixMPI_Recv,
                                  pixMPI_Isend,
                                  pixMPI_Irecv,
                                  pixMPI_Send_init,
                                  pixMPI_Recv_init,
                                  pixMPI_Sendrecv,
                                  pixMPI_Sendrecv_replace,
                                  [](const pixMPI_Surface &s) { return s; }};

/// Rows one after another, or with gaps between them and the last one first.
class Memory : public VerbEnd<pixMPI_Surface> {
  public:
    Memory(pixMPI_Format format_, int width_, int height_, bool upside_down)
        : VerbEnd(verbs, format_, width_, height_), row_(static_cast<std::size_t>(width_ * pixel_bytes)),
          pitch_(row_ + (upside_down ? 24 : 0)), upside_down_(upside_down),
          memory_(pitch_ * static_cast<std::size_t>(height_), gap) {
        surface = pixMPI_Memory(at(0), format, width, height);
        surface.row_bytes = upside_down ? -static_cast<std::ptrdiff_t>(pitch_) : static_cast<std::ptrdiff_t>(pitch_);
    }
    void write(const Bytes &pixels) override {
        NEED(pixels.size() == bytes());
        for (int y = 0; y < height; ++y)
            std::memcpy(at(y), pixels.data() + static_cast<std::size_t>(y) * row_, row_);
    }
    Bytes read() override {
        Bytes pixels(bytes());
        for (int y = 0; y < height; ++y)
            std::memcpy(pixels.data() + static_cast<std::size_t>(y) * row_, at(y), row_);
        return pixels;
    }
    void check_surroundings() override {
        for (int y = 0; y < height; ++y)
            for (std::size_t x = row_; x < pitch_; ++x)
                CHECK_EQ(at(y)[x], gap);
    }

  private:
    static constexpr std::uint8_t gap = 0xa5;
    std::uint8_t *at(int y) {
        return memory_.data() + pitch_ * static_cast<std::size_t>(upside_down_ ? height - 1 - y : y);
    }
    const std::size_t row_, pitch_;
    const bool upside_down_;
    Bytes memory_;
};

std::vector<EndKind> &kinds() {
    static std::vector<EndKind> list{
        {"host", "memory", make_memory, true},
        {"host", "memory upside down",
         [](pixMPI_Format f, int w, int h) -> std::unique_ptr<End> { return std::make_unique<Memory>(f, w, h, true); },
         true}};
    return list;
}

} // namespace

std::unique_ptr<End> make_memory(pixMPI_Format format, int width, int height) {
    return std::make_unique<Memory>(format, width, height, false);
}

const std::vector<EndKind> &end_kinds() { return kinds(); }
void add_end_kind(const EndKind &kind) { kinds().push_back(kind); }

const std::vector<pixMPI_Format> &formats_of_all() {
    static const std::vector<pixMPI_Format> list{PIXMPI_RGBA8, PIXMPI_R8UI, PIXMPI_RG16UI, PIXMPI_RGBA32UI};
    return list;
}

void check_status(const char *file, int line, const MPI_Status &status, int source, int tag, std::size_t pixels,
                  pixMPI_Format format) {
    int bytes = -1;
    std::int64_t count = -1;
    check_equal(file, line, "MPI_SOURCE", status.MPI_SOURCE, source);
    check_equal(file, line, "MPI_TAG", status.MPI_TAG, tag);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    check_equal(file, line, "MPI_Get_count", static_cast<std::size_t>(bytes),
                pixels * static_cast<std::size_t>(pixMPI_Format_bytes(format)));
    check_code(file, line, "pixMPI_Get_count", pixMPI_Get_count(&status, format, &count), PIXMPI_SUCCESS);
    check_equal(file, line, "pixMPI_Get_count's pixels", static_cast<std::size_t>(count), pixels);
    int cancelled = 1;
    MPI_Test_cancelled(&status, &cancelled);
    check_equal(file, line, "MPI_Test_cancelled", cancelled, 0);
}

} // namespace api
