// Copies between two textures of one context, by glCopyImageSubData: no memory in between, and one fence.
#include "transfer/texture_copy.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

namespace {

constexpr std::size_t most_rects = 8;      // a GPU takes a microsecond or more for each
constexpr std::size_t most_bytes = 2 << 20; // of more, shaders copy as fast, by way of memory (H200, driver 580.159)

bool of_one_shape(const Region &a, const Region &b) {
    return std::equal(a.rects.begin(), a.rects.end(), b.rects.begin(), b.rects.end(),
                      [](const pixMPI_Rect &one, const pixMPI_Rect &other) {
                          return one.width == other.width && one.height == other.height;
                      });
}

class TextureCopy final : public StraightCopy {
  public:
    TextureCopy(std::shared_ptr<GlSurface> from, std::shared_ptr<GlSurface> to, const CopiesStraight::Ends &ends)
        : from_(std::move(from)), to_(std::move(to)), regions_{ends.from.region, ends.to.region},
          device_(to_->gl_device) {}
    ~TextureCopy() override {
        if (fence_ && !over_ && device_.usable())
            device_.ring.ask(fence_, 1);
        if (fence_)
            device_.delete_fence(fence_);
    }
    TextureCopy(const TextureCopy &) = delete;
    TextureCopy &operator=(const TextureCopy &) = delete;

    bool is_possible() {
        const std::size_t bytes = regions_[0]->pixels * static_cast<std::size_t>(from_->pixel_bytes);
        return regions_[0]->rects.size() <= most_rects && bytes <= most_bytes &&
               of_one_shape(*regions_[0], *regions_[1]) && !from_->watch && !to_->watch && from_->image(images_[0]) &&
               to_->image(images_[1]) && images_[0].name != images_[1].name &&
               images_[0].internal == images_[1].internal && device_.shader_packer.may_run();
    }
    /// False where OpenGL does not copy them.
    bool begin() {
        GlAttempt errors(device_.gl);
        {
            SavedState state(device_);
            for (const Image &image : images_)
                if (!device_.shader_packer.can_copy(state, image))
                    return false;
        }
        // What the program's shaders have stored, whatever barrier it made.
        device_.gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
        device_.finish_drawing();
        const Image &from = images_[0], &to = images_[1];
        for (std::size_t i = 0; i < regions_[0]->rects.size(); ++i) {
            const pixMPI_Rect &here = regions_[0]->rects[i], &there = regions_[1]->rects[i];
            device_.gl.CopyImageSubData(from.name, from.target, from.level, here.x, here.y, from.layer, to.name,
                                        to.target, to.level, there.x, there.y, to.layer, here.width, here.height, 1);
        }
        if (errors.any())
            return false;
        fence_ = device_.ring.fence();
        return true;
    }
    Status advance(bool &moved, bool &over) override {
        const Fence fence = over_ ? Fence::passed : device_.ring.ask(fence_, 0);
        if (fence == Fence::failed)
            return fail(PIXMPI_ERR_DEVICE, "OpenGL: a fence cannot be waited for, expected that it can");
        over_ = over = fence == Fence::passed;
        moved = moved || over;
        return PIXMPI_SUCCESS;
    }
    // A fence that cannot be waited for is of a context that does nothing more.
    bool settled() override { return over_ || device_.ring.ask(fence_, 0) != Fence::ahead; }
    bool is_queued() const override { return true; }

  private:
    const std::shared_ptr<GlSurface> from_, to_;
    const std::shared_ptr<const Region> regions_[2];
    GlDevice &device_; ///< that the surfaces hold
    Image images_[2];
    GLsync fence_ = nullptr;
    bool over_ = false;
};

} // namespace

void make_texture_copy(std::span<const CopiesStraight::Ends> planes, std::unique_ptr<StraightCopy> &copy) {
    const CopiesStraight::Ends &ends = planes.front();
    auto from = std::dynamic_pointer_cast<GlSurface>(ends.from.surface),
         to = std::dynamic_pointer_cast<GlSurface>(ends.to.surface);
    if (planes.size() != 1 || !from || !to)
        return;
    auto made = std::make_unique<TextureCopy>(std::move(from), std::move(to), ends);
    if (made->is_possible() && made->begin())
        copy = std::move(made);
}

} // namespace glmpi
