// The polygon stipple's pattern lies in window coordinates: the driver gets it turned by the origin, modulo 32.

#include "base/export.h"
#include "base/real.h"
#include "gl/context/error.h"
#include "gl/coordinates/coordinates.h"
#include "gl/pixel/pixel_store.h"

#include <bit>
#include <cstdint>

namespace mpiglut::gl {

namespace {

std::uint32_t row(const Pattern &pattern, int y) {
    const GLubyte *bytes = &pattern[4 * (y & 31)];
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// The pattern as a drawable sees it that begins at the window's pixel `origin`.
Pattern turned(const Pattern &whole, Origin origin) {
    Pattern real;
    for (int y = 0; y < 32; ++y) {
        const std::uint32_t bits = std::rotl(row(whole, y + (origin.y & 31)), origin.x & 31);
        for (int i = 0; i < 4; ++i)
            real[4 * y + i] = static_cast<GLubyte>(bits >> (24 - 8 * i));
    }
    return real;
}

void upload(const Pattern &pattern) {
    ErrorScope errors;
    const PlainPixels store(PlainPixels::unpack);
    REAL(glPolygonStipple)(pattern.data());
}

Pattern download() {
    Pattern pattern;
    ErrorScope errors;
    const PlainPixels store(PlainPixels::pack | PlainPixels::pack_order);
    REAL(glGetPolygonStipple)(pattern.data());
    return pattern;
}

/// The program's pattern, read by the driver with whatever pixel store and buffer is set. One that it cannot read
/// leaves the pattern as it was.
Pattern read_pattern(Context &c, const GLubyte *mask) {
    const Unrecorded unrecorded(c);
    upload(c.stipple);
    REAL(glPolygonStipple)(mask);
    const Pattern pattern = download();
    apply_stipple(c);
    return pattern;
}

/// Runs `get` while the driver has the program's own pattern.
template <class F> void get_pattern(F get) {
    Context *c = current();
    if (!c || !c->limits.fixed_function || !c->stippled) {
        get();
        return;
    }
    const Unrecorded unrecorded(*c);
    upload(c->stipple);
    get();
    apply_stipple(*c);
}

} // namespace

void pull_stipple(Context &c) {
    c.stipple = download();
    Pattern all;
    all.fill(0xff);
    c.stippled = c.stipple != all;
}

void apply_stipple(Context &c) {
    if (c.stippled)
        upload(turned(c.stipple, draw_origin(c)));
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glPolygonStipple(const GLubyte *mask) {
    Context *c = current();
    if (!c || !c->limits.fixed_function) {
        REAL(glPolygonStipple)(mask);
        return;
    }
    c->stippled = true;
    perform(*c, [pattern = read_pattern(*c, mask)](Context &now) {
        now.stipple = pattern;
        now.stippled = true;
        apply_stipple(now);
    });
}

MPIGLUT_EXPORT void glGetPolygonStipple(GLubyte *mask) {
    get_pattern([mask] { REAL(glGetPolygonStipple)(mask); });
}
MPIGLUT_EXPORT void glGetnPolygonStipple(GLsizei size, GLubyte *mask) {
    get_pattern([size, mask] { REAL(glGetnPolygonStipple)(size, mask); });
}
MPIGLUT_EXPORT void glGetnPolygonStippleARB(GLsizei size, GLubyte *mask) {
    get_pattern([size, mask] { REAL(glGetnPolygonStippleARB)(size, mask); });
}
