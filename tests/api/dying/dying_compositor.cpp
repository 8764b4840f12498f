// What dies is a rank in the middle of frames of a compositor, which follow one another.
#include "dying/dying.h"

#include <pixmpi_compositor.h>
#include <vector>

namespace {

class Frames final : public dying::Together {
  public:
    ~Frames() override { pixMPI_Compositor_free(&compositor_); }
    int replace(int, int) override {
        if (compositor_ == PIXMPI_COMPOSITOR_NULL)
            if (const int error = pixMPI_Compositor_create(PIXMPI_MAX, PIXMPI_RESULT_ALL, comm, &compositor_))
                return error;
        if (const int error = pixMPI_Compositor_set_strategy(
                compositor_, turn_++ % 2 ? PIXMPI_STRATEGY_DIRECT : PIXMPI_STRATEGY_SWAP, 0))
            return error;
        const pixMPI_Surface drawn = pixMPI_Memory(drawn_.data(), PIXMPI_R8, dying::width, dying::height);
        const pixMPI_Surface picture = pixMPI_Memory(picture_.data(), PIXMPI_R8, dying::width, dying::height);
        return pixMPI_Composite(drawn, PIXMPI_WHOLE, picture, compositor_);
    }

  private:
    static constexpr std::size_t bytes = std::size_t{dying::width} * dying::height;
    std::vector<unsigned char> drawn_ = std::vector<unsigned char>(bytes, 1), picture_ = drawn_;
    pixMPI_Compositor compositor_ = PIXMPI_COMPOSITOR_NULL;
    unsigned turn_ = 0;
};

} // namespace

std::unique_ptr<dying::Ends> dying::make_ends(int) { return std::make_unique<Frames>(); }
