// A texture, a framebuffer's attachment or a buffer of OpenGL. Reading and writing it by hand is in naive_gl.cpp.
#pragma once

#include "glmpi.h"
#include "object/gl_format.h"
#include "object/object.h"

#include <string>

class GlObject final : public Object {
  public:
    GlObject(const std::string &kind, const Shape2D &shape);
    ~GlObject() override;
    /// What is wrong, or nothing.
    std::string make();

    void read(pixMPI_Rect rect, void *memory) override;
    void write(pixMPI_Rect rect, const void *memory) override;
    int layouts() const override { return buffer_ ? 1 : static_cast<int>(gl_layouts(format).size()); }
    void use_layout(int layout) override {
        if (!buffer_)
            layout_ = gl_layouts(format)[static_cast<std::size_t>(layout)];
    }
    bool make_own_memory(std::size_t size) override;
    void read_to_own(pixMPI_Rect rect, std::size_t at) override;
    void write_from_own(pixMPI_Rect rect, std::size_t at) override;
    bool straight() const override { return true; }
    bool by_pointer() const override { return buffer_ != 0; }
    void finish() override { glFinish(); }
    void touch(int frame) override;
    End end() override;
    std::unique_ptr<Fill> make_fill(int steps, std::string &problem) override {
        return make_gl_fill(*this, texture_, buffer_, steps, problem);
    }
    pixMPI_Surface surface() const;

  private:
    std::string make_texture();
    void copy(GLuint from, std::size_t from_at, GLuint to, std::size_t to_at, pixMPI_Rect rows) const;

    const std::string kind_; ///< "texture", "framebuffer" or "buffer"
    Layout layout_;
    GLuint texture_ = 0;
    GLuint framebuffer_ = 0; ///< with the texture; 0 when the driver cannot draw to this format
    GLuint buffer_ = 0;
    GLuint pixel_buffer_ = 0; ///< memory of OpenGL's own
};
