// What our calls change of the program's state, put back at the end of a scope. Each thing is asked for and saved when
// it is first changed, so that a call pays only for what it touches.
#pragma once

#include "context/gl.h"
#include "device/device.h"
#include "object/framebuffers.h"

namespace glmpi {

class GlDevice;

class SavedState {
  public:
    explicit SavedState(GlDevice &device);
    /// Puts everything back, the last change first.
    ~SavedState();
    SavedState(const SavedState &) = delete;
    SavedState &operator=(const SavedState &) = delete;

    /// Pixels lie without gaps and are not changed on the way; `buffer` is bound as pixel pack or unpack buffer.
    void pixels(pixmpi::Direction direction, GLuint buffer);
    void bind_buffer(GLenum target, GLuint buffer);
    /// GL_READ_FRAMEBUFFER or GL_DRAW_FRAMEBUFFER.
    void bind_framebuffer(GLenum target, GLuint framebuffer);
    /// Of the framebuffer that is bound for reading; and all of the one for drawing.
    void read_buffer(GLenum buffer);
    void draw_buffer(GLenum buffer);
    void bind_renderbuffer(GLuint renderbuffer);
    /// On the active unit.
    void bind_texture(GLenum target, GLuint texture);
    /// On the active unit; returns its number.
    GLuint bind_sampled(GLuint texture_2d, GLuint sampler);
    /// Reads are not clamped to [0, 1].
    void unclamped_reads();
    /// Blits reach every pixel and change none of their bits.
    void plain_blits();
    /// Draws reach every pixel of the viewport, in a framebuffer that has depths alone, and write what depth the shader
    /// says. From OpenGL 4.1 on.
    void plain_depths();
    /// For draws without vertices' data.
    void bind_vertex_array(GLuint array);
    /// The first viewport.
    void viewport(const pixMPI_Rect &rect);
    void use_program(GLuint program);
    void storage_buffer(GLuint index, GLuint buffer, GLintptr offset, GLsizeiptr size);
    /// Bytes [begin, end) of the buffer, in whole words: the least range that OpenGL allows. Returns how many bytes of
    /// the range are before them.
    std::size_t storage_words(GLuint index, GLuint buffer, std::size_t begin, std::size_t end);
    static constexpr std::size_t storage_grain = 256; ///< as far as GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT ever goes
    /// All of the buffer.
    void storage_buffer(GLuint index, GLuint buffer);
    void image(GLuint unit, const Image &image, GLenum access, GLenum format);

  private:
    enum class What : unsigned char {
        store,
        transfer_int,
        transfer_float,
        buffer,
        framebuffer,
        read_buffer,
        draw_buffer,
        draw_buffers,
        renderbuffer,
        texture,
        sampler,
        clamp,
        enable,
        disable,
        enable_first,
        depth_mask,
        depth_func,
        polygon_mode,
        vertex_array,
        viewport,
        program,
        storage,
        image
    };
    struct Item {
        What what;
        GLenum name;
        GLint value;
        GLfloat number;
    };
    struct ImageUnit {
        GLint name, level, layered, layer, access, format;
    };
    struct StorageBinding {
        GLuint index;
        GLint bound;
        GLint64 start, size;
    };
    // Each thing is saved once: pixel stores of both directions, transfers, buffers, framebuffers, textures and a
    // sampler, what is switched on or off, the read and draw buffers, renderbuffer, clamping and program, and what draws
    // of depths change.
    static constexpr int units = 4, bindings = 16;
    static constexpr int most = 16 + 14 + 5 + 2 + 11 + 24 + 2 + 3 + 6 + units + bindings;

    bool saved(What what, GLenum name) const;
    void save_storage(GLuint index);
    void save(What what, GLenum name, GLint value, GLfloat number = 0);
    void restore(const Item &item);
    void store(GLenum name, GLint wanted);
    void switch_off(GLenum capability);
    void plain_polygons();

    GlDevice &device_;
    const Gl &gl_;
    Item items_[most];
    int count_ = 0;
    GLint draw_buffers_[16];
    GLfloat viewport_[4];
    ImageUnit images_[units];
    StorageBinding storages_[bindings];
    int storage_count_ = 0;
};

/// Whether OpenGL drops draws, blits and dispatches, perhaps: conditional rendering is on.
bool conditional_rendering(const GlDevice &device);

} // namespace glmpi
