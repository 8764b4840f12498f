// Surfaces that are images: textures of every kind, renderbuffers, attachments. Pixels get in and out by calls that the
// library does not use, where there are such.
#define GL_GLEXT_PROTOTYPES
#include "gl_rig_contexts.h"
#include "suite.h"

#include "base/format.h"
#include "context/pixel_formats.h"

#include <gtest/gtest.h>
#include <map>

using namespace gl_rig;
using namespace device_suite;
using pixmpi::Direction;
using pixmpi::Extent;

namespace {

enum class Kind {
    texture,
    rectangle,
    array,
    slices,
    cube,
    level,
    renderbuffer,
    attachment,
    depth_part,  ///< the depth of depth-stencil pixels, at the attachment point for depth
    stencil_part ///< and their stencil
};

struct Object {
    GLuint texture = 0, renderbuffer = 0, framebuffer = 0;
    GLenum target = GL_TEXTURE_2D;
    GLint level = 0, layer = 0;
    pixMPI_Format stored = PIXMPI_FORMAT_NONE;
    Extent extent;
};

glmpi::PixelTypes upload_types(pixMPI_Format format) {
    // As GL_UNSIGNED_INT, drivers may round the upper 24 bits.
    if (format == PIXMPI_DEPTH24)
        return {GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8};
    return glmpi::gl_format(format).natural;
}

GLenum attachment_point(pixMPI_Format format) {
    switch (glmpi::aspect_of(format)) {
    case glmpi::Aspect::depth:
        return GL_DEPTH_ATTACHMENT;
    case glmpi::Aspect::stencil:
        return GL_STENCIL_ATTACHMENT;
    case glmpi::Aspect::depth_stencil:
        return GL_DEPTH_STENCIL_ATTACHMENT;
    default:
        return GL_COLOR_ATTACHMENT0;
    }
}

class ImageRig : public DeviceRig {
  public:
    ImageRig(Path path, Kind kind) : path_(path), kind_(kind), device_(use(path)) {}
    ~ImageRig() override {
        for (auto &[surface, object] : objects_)
            destroy(object);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }

    pixmpi::Device &device() override { return *device_; }
    bool has_passes() const override { return gl_rig::has_passes(path_); }

    std::vector<pixMPI_Format> formats(Direction) const override {
        if (kind_ == Kind::depth_part)
            return {PIXMPI_DEPTH24, PIXMPI_DEPTH32F};
        if (kind_ == Kind::stencil_part)
            return {PIXMPI_STENCIL8};
        std::vector<pixMPI_Format> all;
        for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
            const auto format = static_cast<pixMPI_Format>(i);
            const bool color = glmpi::aspect_of(format) == glmpi::Aspect::color;
            const bool plain_3d = kind_ == Kind::slices && !color; // depth has no third dimension
            if (glmpi::gl_format(format).internal != 0 && !plain_3d && drawable(format))
                all.push_back(format);
        }
        return all;
    }

    void tame(pixMPI_Format format, Bytes &pixels) const override {
        if (glmpi::aspect_of(format) != glmpi::Aspect::color)
            make_plain(format, pixels);
        if (format == PIXMPI_RGB16F) // drivers that widen it to four channels may change what a NaN carries
            for (std::size_t at = 1; at < pixels.size(); at += 2)
                if ((pixels[at] & std::byte{0x7c}) == std::byte{0x7c})
                    pixels[at] ^= std::byte{0x04};
    }

    std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, Extent extent, const Bytes &pixels) override {
        Object object;
        object.extent = extent;
        object.stored = kind_ == Kind::stencil_part ? PIXMPI_DEPTH24_STENCIL8
                        : kind_ != Kind::depth_part ? format
                        : format == PIXMPI_DEPTH24  ? PIXMPI_DEPTH24_STENCIL8
                                                    : PIXMPI_DEPTH32F_STENCIL8;
        make_texture(object, widened(object, pixels));
        pixMPI_Surface named = glMPI_Texture(object.target, object.texture, object.level, object.layer);
        if (kind_ == Kind::renderbuffer) {
            make_renderbuffer(object);
            named = glMPI_Renderbuffer(object.renderbuffer);
        } else if (kind_ == Kind::attachment || kind_ == Kind::depth_part || kind_ == Kind::stencil_part) {
            make_framebuffer(object);
            named = glMPI_Framebuffer(object.framebuffer, attachment_point(format));
        }
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << pixMPI_Format_name(format);
        const auto surface = resolved(*device_, named);
        if (!surface) {
            destroy(object);
            return nullptr;
        }
        EXPECT_EQ(surface->format, format);
        objects_[surface.get()] = object;
        return surface;
    }

    Bytes read(pixmpi::Surface &surface) override {
        Object &object = objects_.at(&surface);
        const pixMPI_Format format = static_cast<glmpi::GlSurface &>(surface).format;
        const auto &types = glmpi::gl_format(format).natural;
        const std::size_t row = static_cast<std::size_t>(object.extent.width * pixMPI_Format_bytes(format));
        Bytes pixels(row * static_cast<std::size_t>(object.extent.height));
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
        Object reader = object;
        reader.framebuffer = 0;
        make_framebuffer(reader);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, reader.framebuffer);
        if (glCheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
            glReadPixels(0, 0, object.extent.width, object.extent.height, types.format, types.type, pixels.data());
        else
            ADD_FAILURE() << "the test cannot read " << pixMPI_Format_name(format);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        glDeleteFramebuffers(1, &reader.framebuffer);
        drop_unused(format, pixels);
        return pixels;
    }

    void check(pixmpi::Surface &) override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

  private:
    // Renderbuffers and framebuffers are for what can be drawn to.
    bool drawable(pixMPI_Format format) const {
        if (kind_ != Kind::renderbuffer && kind_ != Kind::attachment)
            return true;
        const pixmpi::FormatInfo &info = pixmpi::format_info(format);
        return glmpi::aspect_of(format) != glmpi::Aspect::color || info.channels != 3 || info.channel_bytes == 0;
    }

    // Depth or stencil alone, with something else in the other part.
    static Bytes widened(const Object &object, const Bytes &pixels) {
        const std::size_t count =
            static_cast<std::size_t>(object.extent.width) * static_cast<std::size_t>(object.extent.height);
        const std::size_t size = static_cast<std::size_t>(pixMPI_Format_bytes(object.stored));
        const std::size_t given = count ? pixels.size() / count : size;
        if (given == size) // depth in 24 bits, among others: the lower eight are the stencil's
            return pixels;
        Bytes wide(count * size, std::byte{0});
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(&pixels[i * given], given, &wide[i * size]);
        return wide;
    }

    void make_texture(Object &object, const Bytes &pixels) const {
        const auto internal = static_cast<GLint>(glmpi::gl_format(object.stored).internal);
        const glmpi::PixelTypes types = upload_types(object.stored);
        const GLsizei width = object.extent.width, height = object.extent.height;
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glGenTextures(1, &object.texture);
        switch (kind_) {
        case Kind::rectangle:
            object.target = GL_TEXTURE_RECTANGLE;
            break;
        case Kind::array:
            object.target = GL_TEXTURE_2D_ARRAY;
            object.layer = 1;
            break;
        case Kind::slices:
            object.target = GL_TEXTURE_3D;
            object.layer = 2;
            break;
        case Kind::cube:
            object.target = GL_TEXTURE_CUBE_MAP;
            object.layer = 4;
            break;
        case Kind::level:
            object.level = 1;
            break;
        default:
            break;
        }
        glBindTexture(object.target, object.texture);
        switch (object.target) {
        case GL_TEXTURE_2D_ARRAY:
        case GL_TEXTURE_3D:
            glTexImage3D(object.target, 0, internal, width, height, 3, 0, types.format, types.type, nullptr);
            glTexSubImage3D(object.target, 0, 0, 0, object.layer, width, height, 1, types.format, types.type,
                            pixels.data());
            break;
        case GL_TEXTURE_CUBE_MAP: { // faces have to be square, all of one size
            const GLsizei side = std::max(width, height);
            object.extent = {width, height};
            for (GLenum face = 0; face < 6; ++face)
                glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, internal, side, side, 0, types.format,
                             types.type, nullptr);
            glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(object.layer), 0, 0, 0, width, height,
                            types.format, types.type, pixels.data());
            break;
        }
        default:
            if (object.level == 1)
                glTexImage2D(object.target, 0, internal, 2 * width, 2 * height, 0, types.format, types.type, nullptr);
            glTexImage2D(object.target, object.level, internal, width, height, 0, types.format, types.type,
                         pixels.data());
        }
        glTexParameteri(object.target, GL_TEXTURE_MAX_LEVEL, object.level);
        if (object.target != GL_TEXTURE_RECTANGLE)
            glTexParameteri(object.target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glBindTexture(object.target, 0);
    }

    // Renderbuffers take no uploads: the pixels are copied from the texture.
    static void make_renderbuffer(Object &object) {
        glGenRenderbuffers(1, &object.renderbuffer);
        glBindRenderbuffer(GL_RENDERBUFFER, object.renderbuffer);
        glRenderbufferStorage(GL_RENDERBUFFER, glmpi::gl_format(object.stored).internal, object.extent.width,
                              object.extent.height);
        glBindRenderbuffer(GL_RENDERBUFFER, 0);
        glCopyImageSubData(object.texture, object.target, 0, 0, 0, 0, object.renderbuffer, GL_RENDERBUFFER, 0, 0, 0, 0,
                           object.extent.width, object.extent.height, 1);
    }

    static void make_framebuffer(Object &object) {
        const GLenum point = attachment_point(object.stored);
        glGenFramebuffers(1, &object.framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, object.framebuffer);
        if (object.renderbuffer)
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, object.renderbuffer);
        else if (object.target == GL_TEXTURE_2D_ARRAY || object.target == GL_TEXTURE_3D)
            glFramebufferTextureLayer(GL_FRAMEBUFFER, point, object.texture, 0, object.layer);
        else if (object.target == GL_TEXTURE_CUBE_MAP)
            glFramebufferTexture2D(GL_FRAMEBUFFER, point,
                                   GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(object.layer), object.texture,
                                   0);
        else
            glFramebufferTexture2D(GL_FRAMEBUFFER, point, object.target, object.texture, object.level);
        if (point != GL_COLOR_ATTACHMENT0) {
            glDrawBuffer(GL_NONE);
            glReadBuffer(GL_NONE);
        }
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
    }

    static void destroy(Object &object) {
        glDeleteTextures(1, &object.texture);
        glDeleteRenderbuffers(1, &object.renderbuffer);
        glDeleteFramebuffers(1, &object.framebuffer);
    }

    const Path path_;
    const Kind kind_;
    const std::shared_ptr<glmpi::GlDevice> device_;
    std::map<const pixmpi::Surface *, Object> objects_;
};

const bool added = [] {
    const std::pair<Kind, const char *> kinds[] = {
        {Kind::texture, "texture"},       {Kind::rectangle, "rectangle"},   {Kind::array, "array"},
        {Kind::slices, "slices"},         {Kind::level, "level"},           {Kind::renderbuffer, "renderbuffer"},
        {Kind::attachment, "attachment"}, {Kind::depth_part, "depth_part"}, {Kind::stencil_part, "stencil_part"}};
    for (const Path path : paths)
        for (const auto &[kind, name] : kinds)
            add_rig((std::string(path_name(path)) + "_" + name).c_str(),
                    [path, kind = kind] { return std::make_unique<ImageRig>(path, kind); });
    return true;
}();

} // namespace
