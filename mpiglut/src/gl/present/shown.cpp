#include "gl/present/shown.h"

#include "base/real.h"
#include "base/state.h"
#include "gl/context/context.h"
#include "gl/present/strips.h"
#include "run/capture.h"
#include "run/report.h"
#include "sync/ship.h"

namespace mpiglut::gl {
namespace {

GLint integer(GLenum name) {
    GLint value = 0;
    REAL(glGetIntegerv)(name, &value);
    return value;
}

// What of the picture a point of the real window shows, both in pixels with y down, corners at integers.
void picture_point(const Window &window, int fx, int fy, float &u, float &v) {
    const pixmpi::Tile &tile = tile_of(window);
    int x0, y0, x1, y1, x2, y2;
    pixmpi::from_framebuffer(tile, 0, 0, x0, y0);
    pixmpi::from_framebuffer(tile, 1, 0, x1, y1);
    pixmpi::from_framebuffer(tile, 0, 1, x2, y2);
    const float ax = static_cast<float>(fx + window.on_screen.x) - 0.5f;
    const float ay = static_cast<float>(fy + window.on_screen.y) - 0.5f;
    u = static_cast<float>(x0) + 0.5f + ax * static_cast<float>(x1 - x0) + ay * static_cast<float>(x2 - x0);
    v = static_cast<float>(y0) + 0.5f + ax * static_cast<float>(y1 - y0) + ay * static_cast<float>(y2 - y0);
    u -= static_cast<float>(window.clip.x - tile.rect.x);
    v -= static_cast<float>(window.clip.y - tile.rect.y);
}

/// Of the textures, to lose nothing of what the window has. The context's window is current.
GLenum format_of(const Window &window) {
    if (integer(GL_STEREO))
        report_once(Report::note, "the window has pictures for two eyes, and what is shown of a window that is turned, "
                                  "reaches behind bezels or has its work shared out is the left one");
    const GLenum format = lossless_format();
    if (!window.shared || format == GL_RGBA8)
        return format;
    report_once(Report::note, "--balance: of the window's colours 8 bits a channel are kept");
    return GL_RGBA8; // what all ranks can exchange, whatever their windows have
}

/// Binds the texture. True where it has another size than before.
bool fit(const Window &window, Texture &texture, const pixmpi::Rect &wanted) {
    if (!texture.name) {
        glGenTextures(1, &texture.name);
        glBindTexture(GL_TEXTURE_2D, texture.name);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    }
    glBindTexture(GL_TEXTURE_2D, texture.name);
    if (texture.width == wanted.width && texture.height == wanted.height)
        return false;
    texture.width = wanted.width;
    texture.height = wanted.height;
    REAL(glTexImage2D)
    (GL_TEXTURE_2D, 0, static_cast<GLint>(format_of(window)), wanted.width, wanted.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
     nullptr);
    return true;
}

/// Copies what this rank has rendered of what shows here.
void copy_own(const Window &window) {
    const pixmpi::Rect &shown = window.clip, &rendered = window.rendered, own = intersect(shown, rendered);
    if (!own.empty())
        REAL(glCopyTexSubImage2D)
    (GL_TEXTURE_2D, 0, own.x - shown.x, shown.bottom() - own.bottom(), own.x - rendered.x,
     rendered.bottom() - own.bottom(), own.width, own.height);
}

} // namespace

GLenum lossless_format() {
    const GLint red = integer(GL_RED_BITS);
    return red <= 8 ? GL_RGBA8 : red <= 10 ? GL_RGB10_A2 : GL_RGBA16;
}

void set_aside(const Window &window, Shown &shown, bool front) {
    glReadBuffer(front ? GL_FRONT : GL_BACK);
    bool resized = fit(window, shown.picture, window.clip);
    if (window.shared) {
        resized = fit(window, shown.own, window.rendered) || resized;
        keep_strips(window, shown.own.name);
        shown.rendered_by = window.rendered_by;
    }
    if (resized) {
        const Untranslated untranslated;
        ship::forget_strips();
    }
    glBindTexture(GL_TEXTURE_2D, shown.picture.name);
    copy_own(window);
}

void draw_picture(const Window &window, const Shown &shown) {
    const int width = window.on_screen.width, height = window.on_screen.height;
    REAL(glViewport)(0, 0, width, height);
    glEnable(GL_TEXTURE_2D);
    glBegin(GL_QUADS);
    for (auto [fx, fy] : {std::pair{0, 0}, {width, 0}, {width, height}, {0, height}}) {
        float u, v;
        picture_point(window, fx, fy, u, v);
        glTexCoord2f(u / static_cast<float>(shown.picture.width), 1 - v / static_cast<float>(shown.picture.height));
        glVertex2f(2.0f * static_cast<float>(fx) / static_cast<float>(width) - 1,
                   1 - 2.0f * static_cast<float>(fy) / static_cast<float>(height));
    }
    glEnd();
}

void read_picture(const Shown &shown, Picture &picture) {
    picture = Picture(shown.picture.width, shown.picture.height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    REAL(glGetTexImage)(GL_TEXTURE_2D, 0, GL_RGB, GL_UNSIGNED_BYTE, picture.rgb.data());
    turn_upside_down(picture);
}

} // namespace mpiglut::gl
