#include "object/saved_state.h"

#include "context/gl_errors.h"
#include "device/gl_device.h"

namespace glmpi {

namespace {

// Of the compatibility profile; glcorearb.h does not have them.
constexpr GLenum map_color = 0x0D10, map_stencil = 0x0D11, index_shift = 0x0D12, index_offset = 0x0D13;
constexpr GLenum scales_and_biases[][2] = {{0x0D14, 0x0D15},
                                           {0x0D18, 0x0D19},
                                           {0x0D1A, 0x0D1B},
                                           {0x0D1C, 0x0D1D},
                                           {0x0D1E, 0x0D1F}}; // red, green, blue, alpha, depth
constexpr GLenum alpha_test = 0x0BC0, polygon_stipple = 0x0B42;
constexpr GLenum pack_invert = 0x8758;       // MESA_pack_invert
constexpr GLenum depth_bounds_test = 0x8890; // EXT_depth_bounds_test

GLenum buffer_binding(GLenum target) {
    switch (target) {
    case GL_PIXEL_PACK_BUFFER:
        return GL_PIXEL_PACK_BUFFER_BINDING;
    case GL_PIXEL_UNPACK_BUFFER:
        return GL_PIXEL_UNPACK_BUFFER_BINDING;
    case GL_COPY_READ_BUFFER:
        return GL_COPY_READ_BUFFER_BINDING;
    case GL_COPY_WRITE_BUFFER:
        return GL_COPY_WRITE_BUFFER_BINDING;
    default:
        return GL_SHADER_STORAGE_BUFFER_BINDING;
    }
}

GLenum texture_binding(GLenum target) {
    switch (target) {
    case GL_TEXTURE_1D:
        return GL_TEXTURE_BINDING_1D;
    case GL_TEXTURE_2D:
        return GL_TEXTURE_BINDING_2D;
    case GL_TEXTURE_3D:
        return GL_TEXTURE_BINDING_3D;
    case GL_TEXTURE_RECTANGLE:
        return GL_TEXTURE_BINDING_RECTANGLE;
    case GL_TEXTURE_1D_ARRAY:
        return GL_TEXTURE_BINDING_1D_ARRAY;
    case GL_TEXTURE_2D_ARRAY:
        return GL_TEXTURE_BINDING_2D_ARRAY;
    case GL_TEXTURE_CUBE_MAP_ARRAY:
        return GL_TEXTURE_BINDING_CUBE_MAP_ARRAY;
    case GL_TEXTURE_2D_MULTISAMPLE:
        return GL_TEXTURE_BINDING_2D_MULTISAMPLE;
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY:
        return GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY;
    default:
        return GL_TEXTURE_BINDING_CUBE_MAP;
    }
}

} // namespace

SavedState::SavedState(GlDevice &device) : device_(device), gl_(device.gl) {}

SavedState::~SavedState() {
    while (count_ > 0)
        restore(items_[--count_]);
}

bool SavedState::saved(What what, GLenum name) const {
    for (int i = 0; i < count_; ++i)
        if (items_[i].what == what && items_[i].name == name)
            return true;
    return false;
}

void SavedState::save(What what, GLenum name, GLint value, GLfloat number) {
    if (!saved(what, name))
        items_[count_++] = {what, name, value, number};
}

void SavedState::store(GLenum name, GLint wanted) {
    GLint value = wanted;
    gl_.GetIntegerv(name, &value);
    if (value == wanted)
        return;
    save(What::store, name, value);
    gl_.PixelStorei(name, wanted);
}

void SavedState::pixels(pixmpi::Direction direction, GLuint buffer) {
    const bool pack = direction == pixmpi::Direction::pack;
    bind_buffer(pack ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER, buffer);
    if (pack) {
        for (const GLenum name : {GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS, GL_PACK_SKIP_IMAGES,
                                  GL_PACK_IMAGE_HEIGHT, GL_PACK_SWAP_BYTES})
            store(name, 0);
        store(GL_PACK_ALIGNMENT, 1);
        if (device_.features.pack_invert)
            store(pack_invert, 0);
    } else {
        for (const GLenum name : {GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS,
                                  GL_UNPACK_SKIP_IMAGES, GL_UNPACK_IMAGE_HEIGHT, GL_UNPACK_SWAP_BYTES})
            store(name, 0);
        store(GL_UNPACK_ALIGNMENT, 1);
    }
    if (!device_.features.compatibility)
        return;
    const auto number = [&](GLenum name, GLfloat wanted) {
        GLfloat value = wanted;
        gl_.GetFloatv(name, &value);
        if (value == wanted)
            return;
        save(What::transfer_float, name, 0, value);
        device_.pixel_transferf(name, wanted);
    };
    for (const auto &pair : scales_and_biases) {
        number(pair[0], 1);
        number(pair[1], 0);
    }
    for (const GLenum name : {map_color, map_stencil, index_shift, index_offset}) {
        GLint value = 0;
        gl_.GetIntegerv(name, &value);
        if (value == 0)
            continue;
        save(What::transfer_int, name, value);
        device_.pixel_transferi(name, 0);
    }
}

void SavedState::bind_buffer(GLenum target, GLuint buffer) {
    GLint bound = 0;
    gl_.GetIntegerv(buffer_binding(target), &bound);
    if (static_cast<GLuint>(bound) == buffer)
        return;
    save(What::buffer, target, bound);
    gl_.BindBuffer(target, buffer);
}

void SavedState::bind_framebuffer(GLenum target, GLuint framebuffer) {
    GLint bound = 0;
    gl_.GetIntegerv(target == GL_READ_FRAMEBUFFER ? GL_READ_FRAMEBUFFER_BINDING : GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    if (static_cast<GLuint>(bound) == framebuffer)
        return;
    save(What::framebuffer, target, bound);
    gl_.BindFramebuffer(target, framebuffer);
}

void SavedState::read_buffer(GLenum buffer) {
    GLint selected = 0;
    gl_.GetIntegerv(GL_READ_BUFFER, &selected);
    if (static_cast<GLenum>(selected) == buffer)
        return;
    save(What::read_buffer, 0, selected);
    gl_.ReadBuffer(buffer);
}

void SavedState::draw_buffer(GLenum buffer) {
    if (saved(What::draw_buffer, 0) || saved(What::draw_buffers, 0))
        return gl_.DrawBuffer(buffer);
    GLint count = 0, used = 0;
    gl_.GetIntegerv(GL_MAX_DRAW_BUFFERS, &count);
    count = count < 16 ? count : 16;
    for (GLint i = 0; i < count; ++i) {
        gl_.GetIntegerv(GL_DRAW_BUFFER0 + static_cast<GLenum>(i), &draw_buffers_[i]);
        if (draw_buffers_[i] != GL_NONE)
            used = i + 1;
    }
    // glDrawBuffer knows names for two buffers at once, glDrawBuffers has several entries.
    if (used <= 1)
        save(What::draw_buffer, 0, draw_buffers_[0]);
    else
        save(What::draw_buffers, 0, used);
    gl_.DrawBuffer(buffer);
}

void SavedState::bind_renderbuffer(GLuint renderbuffer) {
    GLint bound = 0;
    gl_.GetIntegerv(GL_RENDERBUFFER_BINDING, &bound);
    if (static_cast<GLuint>(bound) == renderbuffer)
        return;
    save(What::renderbuffer, 0, bound);
    gl_.BindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
}

void SavedState::bind_texture(GLenum target, GLuint texture) {
    GLint bound = 0;
    gl_.GetIntegerv(texture_binding(target), &bound);
    if (static_cast<GLuint>(bound) == texture)
        return;
    save(What::texture, target, bound);
    gl_.BindTexture(target, texture);
}

GLuint SavedState::bind_sampled(GLuint texture_2d, GLuint sampler) {
    bind_texture(GL_TEXTURE_2D, texture_2d);
    GLint active = GL_TEXTURE0, bound = 0;
    gl_.GetIntegerv(GL_ACTIVE_TEXTURE, &active);
    gl_.GetIntegerv(GL_SAMPLER_BINDING, &bound);
    const GLuint unit = static_cast<GLuint>(active) - GL_TEXTURE0;
    save(What::sampler, unit, bound);
    gl_.BindSampler(unit, sampler);
    return unit;
}

void SavedState::unclamped_reads() {
    GLint value = GL_FALSE;
    gl_.GetIntegerv(GL_CLAMP_READ_COLOR, &value);
    if (value == GL_FALSE)
        return;
    save(What::clamp, 0, value);
    gl_.ClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
}

void SavedState::switch_off(GLenum capability) {
    if (!gl_.IsEnabled(capability))
        return;
    save(What::enable, capability, 1);
    gl_.Disable(capability);
}

void SavedState::plain_blits() {
    switch_off(GL_FRAMEBUFFER_SRGB);
    if (!device_.features.indexed_scissor) {
        switch_off(GL_SCISSOR_TEST);
    } else if (gl_.IsEnabledi(GL_SCISSOR_TEST, 0)) { // blits obey the first viewport's
        save(What::enable_first, GL_SCISSOR_TEST, 1);
        gl_.Disablei(GL_SCISSOR_TEST, 0);
    }
}

// The framebuffer has neither samples nor stencils, and no index is drawn; but NVIDIA's driver (580.159) draws nothing
// while some of the last six are on.
void SavedState::plain_depths() {
    plain_blits();
    for (const GLenum capability :
         {GL_RASTERIZER_DISCARD, GL_CULL_FACE, GL_DEPTH_CLAMP, GL_STENCIL_TEST, GL_SAMPLE_MASK, GL_SAMPLE_COVERAGE,
          GL_SAMPLE_ALPHA_TO_COVERAGE, GL_PRIMITIVE_RESTART, GL_PRIMITIVE_RESTART_FIXED_INDEX})
        switch_off(capability);
    for (GLenum i = 0; i < 8; ++i)
        switch_off(GL_CLIP_DISTANCE0 + i);
    if (device_.features.depth_bounds)
        switch_off(depth_bounds_test);
    if (device_.features.compatibility) {
        switch_off(alpha_test);
        switch_off(polygon_stipple);
    }
    if (!gl_.IsEnabled(GL_DEPTH_TEST)) {
        save(What::disable, GL_DEPTH_TEST, 0);
        gl_.Enable(GL_DEPTH_TEST);
    }
    GLint mask = GL_TRUE, function = GL_ALWAYS;
    gl_.GetIntegerv(GL_DEPTH_WRITEMASK, &mask);
    gl_.GetIntegerv(GL_DEPTH_FUNC, &function);
    if (mask != GL_TRUE) {
        save(What::depth_mask, 0, mask);
        gl_.DepthMask(GL_TRUE);
    }
    if (function != GL_ALWAYS) {
        save(What::depth_func, 0, function);
        gl_.DepthFunc(GL_ALWAYS);
    }
    plain_polygons();
}

// In the compatibility profile front and back have one each. In the core profile drivers tell one or two.
void SavedState::plain_polygons() {
    GLint modes[2] = {GL_FILL, GL_FILL};
    gl_.GetIntegerv(GL_POLYGON_MODE, modes);
    if (!device_.features.compatibility) {
        if (modes[0] != GL_FILL)
            save(What::polygon_mode, GL_FRONT_AND_BACK, modes[0]);
    } else {
        if (modes[0] != GL_FILL)
            save(What::polygon_mode, GL_FRONT, modes[0]);
        if (modes[1] != GL_FILL)
            save(What::polygon_mode, GL_BACK, modes[1]);
    }
    gl_.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

void SavedState::bind_vertex_array(GLuint array) {
    GLint bound = 0;
    gl_.GetIntegerv(GL_VERTEX_ARRAY_BINDING, &bound);
    save(What::vertex_array, 0, bound);
    gl_.BindVertexArray(array);
}

void SavedState::viewport(const pixMPI_Rect &rect) {
    if (!saved(What::viewport, 0)) {
        gl_.GetFloati_v(GL_VIEWPORT, 0, viewport_);
        save(What::viewport, 0, 0);
    }
    gl_.ViewportIndexedf(0, static_cast<GLfloat>(rect.x), static_cast<GLfloat>(rect.y),
                         static_cast<GLfloat>(rect.width), static_cast<GLfloat>(rect.height));
}

void SavedState::use_program(GLuint program) {
    GLint current = 0;
    gl_.GetIntegerv(GL_CURRENT_PROGRAM, &current);
    save(What::program, 0, current);
    gl_.UseProgram(program);
}

void SavedState::storage_buffer(GLuint index, GLuint buffer, GLintptr offset, GLsizeiptr size) {
    save_storage(index);
    gl_.BindBufferRange(GL_SHADER_STORAGE_BUFFER, index, buffer, offset, size);
}

std::size_t SavedState::storage_words(GLuint index, GLuint buffer, std::size_t begin, std::size_t end) {
    const std::size_t start = begin / storage_grain * storage_grain;
    storage_buffer(index, buffer, static_cast<GLintptr>(start), static_cast<GLsizeiptr>((end + 3) / 4 * 4 - start));
    return begin - start;
}

void SavedState::storage_buffer(GLuint index, GLuint buffer) {
    save_storage(index);
    gl_.BindBufferBase(GL_SHADER_STORAGE_BUFFER, index, buffer);
}

void SavedState::save_storage(GLuint index) {
    if (saved(What::storage, index))
        return;
    StorageBinding &old = storages_[storage_count_++];
    old.index = index;
    gl_.GetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, index, &old.bound);
    gl_.GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, index, &old.start);
    gl_.GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, index, &old.size);
    GLint generic = 0; // binding an index also binds the target itself
    gl_.GetIntegerv(GL_SHADER_STORAGE_BUFFER_BINDING, &generic);
    save(What::storage, index, generic);
}

void SavedState::image(GLuint unit, const Image &image, GLenum access, GLenum format) {
    if (saved(What::image, unit))
        return gl_.BindImageTexture(unit, image.name, image.level, GL_FALSE, image.layer, access, format);
    ImageUnit &old = images_[unit];
    gl_.GetIntegeri_v(GL_IMAGE_BINDING_NAME, unit, &old.name);
    gl_.GetIntegeri_v(GL_IMAGE_BINDING_LEVEL, unit, &old.level);
    gl_.GetIntegeri_v(GL_IMAGE_BINDING_LAYERED, unit, &old.layered);
    gl_.GetIntegeri_v(GL_IMAGE_BINDING_LAYER, unit, &old.layer);
    gl_.GetIntegeri_v(GL_IMAGE_BINDING_ACCESS, unit, &old.access);
    gl_.GetIntegeri_v(GL_IMAGE_BINDING_FORMAT, unit, &old.format);
    save(What::image, unit, 0);
    gl_.BindImageTexture(unit, image.name, image.level, GL_FALSE, image.layer, access, format);
}

void SavedState::restore(const Item &item) {
    const auto value = static_cast<GLuint>(item.value);
    switch (item.what) {
    case What::store:
        return gl_.PixelStorei(item.name, item.value);
    case What::transfer_int:
        return device_.pixel_transferi(item.name, item.value);
    case What::transfer_float:
        return device_.pixel_transferf(item.name, item.number);
    case What::buffer:
        return gl_.BindBuffer(item.name, value);
    case What::framebuffer:
        return gl_.BindFramebuffer(item.name, value);
    case What::read_buffer:
        return gl_.ReadBuffer(value);
    case What::draw_buffer:
        return gl_.DrawBuffer(value);
    case What::draw_buffers: {
        GLenum list[16];
        for (GLint i = 0; i < item.value; ++i)
            list[i] = static_cast<GLenum>(draw_buffers_[i]);
        return gl_.DrawBuffers(item.value, list);
    }
    case What::renderbuffer:
        return gl_.BindRenderbuffer(GL_RENDERBUFFER, value);
    case What::texture:
        return gl_.BindTexture(item.name, value);
    case What::sampler:
        return gl_.BindSampler(item.name, value);
    case What::clamp:
        return gl_.ClampColor(GL_CLAMP_READ_COLOR, value);
    case What::enable:
        return gl_.Enable(item.name);
    case What::disable:
        return gl_.Disable(item.name);
    case What::depth_mask:
        return gl_.DepthMask(static_cast<GLboolean>(item.value));
    case What::depth_func:
        return gl_.DepthFunc(value);
    case What::polygon_mode:
        return gl_.PolygonMode(item.name, value);
    case What::vertex_array:
        return gl_.BindVertexArray(value);
    case What::viewport:
        return gl_.ViewportIndexedfv(0, viewport_);
    case What::enable_first:
        return gl_.Enablei(item.name, 0);
    case What::program:
        return gl_.UseProgram(value);
    case What::storage: {
        const StorageBinding &old = storages_[--storage_count_]; // the last one first
        if (old.size == 0)
            gl_.BindBufferBase(GL_SHADER_STORAGE_BUFFER, item.name, static_cast<GLuint>(old.bound));
        else
            gl_.BindBufferRange(GL_SHADER_STORAGE_BUFFER, item.name, static_cast<GLuint>(old.bound),
                                static_cast<GLintptr>(old.start), static_cast<GLsizeiptr>(old.size));
        return gl_.BindBuffer(GL_SHADER_STORAGE_BUFFER, value);
    }
    case What::image: {
        const ImageUnit &old = images_[item.name];
        return gl_.BindImageTexture(item.name, static_cast<GLuint>(old.name), old.level,
                                    old.layered ? GL_TRUE : GL_FALSE, old.layer, static_cast<GLenum>(old.access),
                                    static_cast<GLenum>(old.format));
    }
    }
}

// OpenGL does not tell, but it cannot be begun twice, which is an error when it is on. Where there are no queries that
// have a result without having been begun, one that does not exist serves, and the error says which it is.
bool conditional_rendering(const GlDevice &device) {
    if (device.features.no_errors)
        return false;
    const Gl &gl = device.gl;
    const GlAttempt errors(gl); // an older error would be taken for the answer
    constexpr GLuint no_query = 0xfffffff0u;
    gl.BeginConditionalRender(device.idle_query ? device.idle_query : no_query, GL_QUERY_NO_WAIT);
    const GLenum error = gl.GetError();
    if (error == GL_NO_ERROR)
        gl.EndConditionalRender();
    return error == GL_INVALID_OPERATION;
}

} // namespace glmpi
