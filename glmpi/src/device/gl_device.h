// What the library keeps for one context.
#pragma once

#include "api/core.h"
#include "base/lock.h"
#include "context/gl.h"
#include "context/gl_errors.h"
#include "context/window_system.h"
#include "device/idle_buffers.h"
#include "host/straight_copy.h"
#include "object/flags.h"
#include "object/framebuffers.h"
#include "object/pixel_ring.h"
#include "object/saved_state.h"
#include "object/scratch.h"
#include "plan/format_choice.h"
#include "plan/plan_cache.h"
#include "shader/buffer_shaders.h"
#include "shader/depth_painter.h"
#include "shader/gl_passes.h"
#include "shader/shader_packer.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace glmpi {

using pixmpi::Direction;
using pixmpi::Status;

/// The library's own buffer object.
struct OwnBuffer {
    GLuint name = 0;
    std::size_t bytes = 0;
};
inline std::size_t bytes_of(const OwnBuffer &buffer) { return buffer.bytes; }

class SharedBuffer;

class GlDevice final : public pixmpi::Device,
                       public pixmpi::CopiesStraight,
                       public std::enable_shared_from_this<GlDevice> {
  public:
    /// For the context that is current. PIXMPI_ERR_CONTEXT when it is too old or no desktop OpenGL.
    static Status make(const CurrentContext &context, std::shared_ptr<GlDevice> &device);
    ~GlDevice() override;

    bool usable() const override;
    Status make_stage(pixmpi::StageKind kind, std::byte *memory, std::size_t bytes,
                      std::unique_ptr<pixmpi::Stage> &stage) override;
    Status make_transfer(Direction direction, std::shared_ptr<pixmpi::Surface> surface,
                         std::shared_ptr<const pixmpi::Region> region,
                         std::unique_ptr<pixmpi::Transfer> &transfer) override;
    Status make_scratch(pixMPI_Format format, pixmpi::Extent extent,
                        std::shared_ptr<pixmpi::Surface> &surface) override;
    Status make_straight_copy(std::span<const Ends> planes, std::unique_ptr<pixmpi::StraightCopy> &copy) override;
    std::shared_ptr<pixmpi::Surface> combine_onto(const std::shared_ptr<pixmpi::Surface> &room,
                                                  const std::shared_ptr<pixmpi::Surface> &base, int x, int y) override;

    Status make_passes(std::unique_ptr<pixmpi::Passes> &passes) override;

    void give_idle_memory() override;

    Status import_memory(int descriptor, std::size_t bytes, std::unique_ptr<pixmpi::DeviceMemory> &memory) override;

    /// Memory that copy engines or other processes have written is read anew by the commands that follow.
    void sees_what_others_wrote() const;
    /// Whether a dispatch sees what the CPU writes while it runs, in a SharedBuffer: tried once, on cards.
    bool shows_writes();

    /// Whether the current context is still the one that this was made for, or another at the same address.
    bool same_context() const;
    /// Deletes all that was made in the context, which has to be current; nothing works afterwards.
    void release();
    /// The context is gone, and took what was made in it along.
    void forget();
    bool lost() const { return lost_; }

    /// Memory of the CPU for one slab, the same each time; null when the stage memory is used up.
    std::byte *slab_memory(std::size_t bytes);
    /// Now, or when the context is current again.
    void delete_buffer(GLuint buffer);
    /// A buffer of so many bytes at least, for what is on its way within the device: one that was given back, or a new
    /// one. That there is no memory is OpenGL's error.
    OwnBuffer acquire_buffer(SavedState &state, std::size_t bytes);
    void give_back(const OwnBuffer &buffer);
    void delete_fence(GLsync fence);
    void delete_leftovers();
    /// Before a dispatch: llvmpipe does not wait for its own rasteriser's threads (Mesa 22.3).
    void finish_drawing() const {
        if (software)
            gl.Finish();
    }

    const CurrentContext context;
    const std::uint64_t number; ///< from 1, never used twice
    Gl gl;
    Features features;
    void (*pixel_transferi)(GLenum name, GLint value) = nullptr;   ///< compatibility profile
    void (*pixel_transferf)(GLenum name, GLfloat value) = nullptr; ///< compatibility profile
    bool software = false;                                         ///< it draws with the CPU
    bool small_by_pointer = true;                                  ///< a few pixels do without a pixel buffer
    GLint64 most_storage = 0;                                      ///< GL_MAX_SHADER_STORAGE_BLOCK_SIZE
    GLuint idle_query = 0; ///< with a result, for conditional rendering; 0: none

    Framebuffers framebuffers;
    Scratches scratches;
    FormatChoices choices;
    PlanCache plans;
    PixelRing ring;
    Flags flags;
    ShaderPacker shader_packer;
    PassPrograms pass_programs;
    BufferShaders buffer_shaders;
    DepthPainter depth_painter;

    using Windows = std::map<GLuint, std::shared_ptr<SharedBuffer>>;
    /// Of glMPI_Window_create.
    Windows &windows() {
        pixmpi::need_lock("a context's windows were used");
        return windows_;
    }
    int endpoints = 0; ///< that have not been freed

  private:
    explicit GlDevice(const CurrentContext &current);
    Status open();
    void probe_texture_target();
    void probe_hidden_levels();
    void make_idle_query();
    Status choose_path(const std::string &renderer);
    void find_gpu();
    void mark();

    Windows windows_;
    std::atomic<bool> lost_{false}; ///< usable() is asked without the lock, too
    std::optional<bool> shows_writes_;
    GLuint marker_ = 0; ///< a framebuffer object with our label: those are not shared between contexts
    std::string mark_;
    struct Free {
        void operator()(std::byte *memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, Free> slab_;
    std::size_t slab_bytes_ = 0;
    pixmpi::IdleBuffers<OwnBuffer> idle_buffers_;
    std::vector<GLuint> leftover_buffers_;
    std::vector<GLsync> leftover_fences_;
};

} // namespace glmpi
