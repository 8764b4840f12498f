// The OpenGL part of pixels sent by hand: framebuffers are made beforehand, the layout is the one that this driver
// moves fastest, and a rectangle takes one call. See naive.cpp for the MPI part.

#include "object/gl_object.h"

void GlObject::read(pixMPI_Rect rect, void *memory) {
    if (buffer_) {
        glBindBuffer(GL_COPY_READ_BUFFER, buffer_);
        for_each_row(rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            glGetBufferSubData(GL_COPY_READ_BUFFER, static_cast<GLintptr>(at), static_cast<GLsizeiptr>(length),
                               static_cast<std::byte *>(memory) + packed);
        });
    } else if (framebuffer_) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
        glReadPixels(rect.x, rect.y, rect.width, rect.height, layout_.format, layout_.type, memory);
    } else { // a format that framebuffers do not have
        glGetTextureSubImage(texture_, 0, rect.x, rect.y, 0, rect.width, rect.height, 1, layout_.format, layout_.type,
                             rect.width * rect.height * pixel_bytes, memory);
    }
}

void GlObject::write(pixMPI_Rect rect, const void *memory) {
    if (buffer_) {
        glBindBuffer(GL_COPY_WRITE_BUFFER, buffer_);
        for_each_row(rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            glBufferSubData(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(at), static_cast<GLsizeiptr>(length),
                            static_cast<const std::byte *>(memory) + packed);
        });
    } else {
        glBindTexture(GL_TEXTURE_2D, texture_);
        glTexSubImage2D(GL_TEXTURE_2D, 0, rect.x, rect.y, rect.width, rect.height, layout_.format, layout_.type,
                        memory);
    }
}
