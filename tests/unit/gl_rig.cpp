#include "gl_rig.h"

#include "base/real.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/context/context.h"
#include "gl/context/make_current.h"
#include "gl/coordinates/mirror.h"
#include "gl/draw/cut.h"
#include "gl/draw/habits.h"
#include "gl/present/present.h"
#include "gl/value/values.h"
#include "sync/digest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

// What the GL layer needs of the rest of the library.
namespace mpiglut {
bool active() { return true; }
bool gl::crop_possible(const gl::Context &) { return false; }
Digest &current_digest() {
    static Digest digest;
    return digest;
}
// No other thread draws than that of the ticks.
Role role() { return Role::ticks; }
bool someone_draws() { return false; }
namespace clock {
void hand_over() {}
Origin origin_of_call(const void *) { return Origin::program; }
} // namespace clock
namespace gl {
GLXDrawable substitute(Display *, GLXDrawable drawable, GLXContext) { return drawable; }
void fit_drawable() {}
Surface *seen_here(Surface *surface) { return surface; }
GLXDrawable stands_for(GLXDrawable drawable) { return drawable; }
void shaders_moved(Context &) {}
void look_at_target(Context &) {}
void leave_count_to_program() {}
std::optional<Scissors::Box> cut_box(const Context &) { return std::nullopt; }
void queries_moved(Context &) {}
bool common_timestamp(GLint64 &) { return false; }
Context *query_context() { return nullptr; }
int measured_numbers(GLenum) { return 0; }
std::int64_t least_of_ranks(std::int64_t mine) { return mine; }
void note_image(const content::Call &, GLsizei, GLsizei, GLsizei, GLenum, GLenum, const void *) {}
bool begin_covering(GLsizei) { return false; }
void end_covering() {}
void note_matrix(const content::Call &, const GLfloat *) {}
void note_matrix(const content::Call &, const GLdouble *) {}
} // namespace gl
} // namespace mpiglut

/// Asked by the leak sanitizer: Mesa's software driver forgets memory of contexts that used feedback.
extern "C" __attribute__((visibility("default"))) const char *__lsan_default_suppressions() {
    return "leak:swrast_dri.so\n";
}

// The program's calls that make contexts current, as the window system passes them on.
extern "C" {
Bool glXMakeContextCurrent(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context) {
    return mpiglut::gl::make_current(true, display, draw, read, context, [=](GLXDrawable to, GLXDrawable from) {
        return REAL(glXMakeContextCurrent)(display, to, from, context);
    });
}

Bool glXMakeCurrent(Display *display, GLXDrawable drawable, GLXContext context) {
    return glXMakeContextCurrent(display, drawable, drawable, context);
}

GLXContext glXCreateNewContext(Display *display, GLXFBConfig config, int type, GLXContext share, Bool direct) {
    return mpiglut::gl::created(true, REAL(glXCreateNewContext)(display, config, type, share, direct), share);
}

GLXContext glXCreateContextAttribsARB(Display *display, GLXFBConfig config, GLXContext share, Bool direct,
                                      const int *attributes) {
    return mpiglut::gl::created(true, REAL(glXCreateContextAttribsARB)(display, config, share, direct, attributes), share);
}

void glXDestroyContext(Display *display, GLXContext context) {
    mpiglut::gl::destroyed(context);
    REAL(glXDestroyContext)(display, context);
}
}

namespace rig {

namespace {

Display *display() {
    static Display *const connection = XOpenDisplay(nullptr);
    if (!connection) {
        ADD_FAILURE() << "no X server";
        std::exit(EXIT_FAILURE);
    }
    return connection;
}

GLXFBConfig config() {
    static const GLXFBConfig chosen = [] {
        const int wanted[] = {GLX_RENDER_TYPE, GLX_RGBA_BIT, GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT, GLX_DOUBLEBUFFER, True,
                              GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, GLX_DEPTH_SIZE, 24,
                              GLX_STENCIL_SIZE, 8, None};
        int count = 0;
        GLXFBConfig *configs = glXChooseFBConfig(display(), DefaultScreen(display()), wanted, &count);
        if (!configs || count == 0) {
            ADD_FAILURE() << "no framebuffer configuration";
            std::exit(EXIT_FAILURE);
        }
        const GLXFBConfig first = configs[0];
        XFree(configs);
        return first;
    }();
    return chosen;
}

void expect_no_error() { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

void expect_told(const Told &expected, const Told &got) {
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(expected[i], got[i], 1e-3 + 1e-5 * std::abs(expected[i])) << "number " << i;
}

std::string words(const mpiglut::gl::Part &p) {
    return std::to_string(p.width) + "x" + std::to_string(p.height) + "+" + std::to_string(p.x) + "+" +
           std::to_string(p.y);
}

} // namespace

Canvas::Canvas(int w, int h, const Canvas *shares_with, bool core_profile) {
    const GLXContext share = shares_with ? shares_with->context_ : nullptr;
    if (core_profile) {
        const int attributes[] = {GLX_CONTEXT_MAJOR_VERSION_ARB, 4, GLX_CONTEXT_MINOR_VERSION_ARB, 1,
                                  GLX_CONTEXT_PROFILE_MASK_ARB, GLX_CONTEXT_CORE_PROFILE_BIT_ARB, None};
        context_ = glXCreateContextAttribsARB(display(), config(), share, True, attributes);
    } else {
        context_ = glXCreateNewContext(display(), config(), GLX_RGBA_TYPE, share, True);
    }
    const int size[] = {GLX_PBUFFER_WIDTH, w, GLX_PBUFFER_HEIGHT, h, None};
    pbuffer_ = glXCreatePbuffer(display(), config(), size);
    EXPECT_NE(context_, nullptr);
}

Canvas::~Canvas() {
    if (glXGetCurrentContext() == context_)
        glXMakeContextCurrent(display(), None, None, nullptr);
    glXDestroyContext(display(), context_);
    glXDestroyPbuffer(display(), pbuffer_);
}

void Canvas::make_current() const { ASSERT_TRUE(glXMakeContextCurrent(display(), pbuffer_, pbuffer_, context_)); }

Tile::Tile(const mpiglut::gl::Part &part, bool core_profile)
    : drawable(part.width, part.height, nullptr, core_profile) {
    surface.part = part;
    surface.parts = {part};
    mpiglut::gl::attach(drawable.pbuffer(), &surface);
    drawable.make_current();
}

Tile::~Tile() { mpiglut::gl::detach(drawable.pbuffer()); }

mpiglut::gl::Part part(int x, int y, int w, int h) { return {x, y, w, h, width, height}; }

std::vector<std::vector<mpiglut::gl::Part>> cuts() {
    return {
        {part(0, 0, width, height)},
        {part(0, 0, 100, 75), part(100, 0, 100, 75), part(0, 75, 100, 75), part(100, 75, 100, 75)},
        {part(0, 0, 37, height), part(37, 0, 60, height), part(97, 0, 103, 41), part(97, 41, 103, height - 41)},
    };
}

Image pixels(int w, int h) {
    Image image(w, h);
    REAL(glFinish)();
    REAL(glPixelStorei)(GL_PACK_ALIGNMENT, 1);
    REAL(glReadPixels)(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
    return image;
}

void paste(Image &to, const Image &from, int x, int y) {
    for (int row = 0; row < from.height; ++row)
        std::copy_n(from.at(0, row), 4 * from.width, &to.rgba[4 * (static_cast<std::size_t>(y + row) * to.width + x)]);
}

std::string difference(const Image &expected, const Image &got) {
    int different = 0, first_x = -1, first_y = -1;
    for (int y = 0; y < expected.height; ++y)
        for (int x = 0; x < expected.width; ++x) {
            int most = 0;
            for (int i = 0; i < 3; ++i)
                most = std::max(most, std::abs(expected.at(x, y)[i] - got.at(x, y)[i]));
            if (most > 2 && different++ == 0)
                first_x = x, first_y = y;
        }
    if (different <= expected.width * expected.height / 2000)
        return {};
    const auto colour = [&](const Image &image) {
        const unsigned char *at = image.at(first_x, first_y);
        return std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]);
    };
    return std::to_string(different) + " pixels differ, the first at " + std::to_string(first_x) + "," +
           std::to_string(first_y) + ": " + colour(got) + " for " + colour(expected);
}

void expect_same(const Scene &scene, bool core_profile) {
    Told expected;
    Image whole(width, height);
    {
        const Canvas plain(width, height, nullptr, core_profile);
        plain.make_current();
        ASSERT_EQ(mpiglut::gl::current(), nullptr);
        scene(expected);
        expect_no_error();
        whole = pixels(width, height);
    }
    for (const auto &cut : cuts()) {
        Image together(width, height);
        std::string name;
        for (const auto &piece : cut) {
            SCOPED_TRACE(words(piece));
            name += words(piece) + " ";
            const Tile tile(piece, core_profile);
            ASSERT_NE(mpiglut::gl::current(), nullptr);
            Told told;
            scene(told);
            expect_no_error();
            expect_told(expected, told);
            paste(together, pixels(piece.width, piece.height), piece.x, piece.y);
        }
        EXPECT_EQ(difference(whole, together), "") << name;
    }
}

Told integers(GLenum name, int count) {
    std::vector<GLint> values(count);
    glGetIntegerv(name, values.data());
    return {values.begin(), values.end()};
}

Told floats(GLenum name, int count) {
    std::vector<GLfloat> values(count);
    glGetFloatv(name, values.data());
    return {values.begin(), values.end()};
}

void append(Told &to, const Told &more) { to.insert(to.end(), more.begin(), more.end()); }

void in_pixels() {
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, width, 0, height, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

void backdrop(unsigned seed) {
    in_pixels();
    for (int y = 0; y < height; y += 10)
        for (int x = 0; x < width; x += 10) {
            const unsigned hash = (static_cast<unsigned>(x) * 7919u + static_cast<unsigned>(y) * 104729u + seed) * 2654435761u;
            glColor3ub(static_cast<GLubyte>(hash >> 24), static_cast<GLubyte>(hash >> 16), static_cast<GLubyte>(hash >> 8));
            box(x, y, 10, 10);
        }
}

void box(int x, int y, int w, int h) { glRecti(x, y, x + w, y + h); }

} // namespace rig
