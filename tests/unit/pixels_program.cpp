// Reads and copies its window in every way there is, and prints a hash of what it got for each. A plain GLUT program:
// on a wall, every rank has to print the same as one window does.
#define GL_GLEXT_PROTOTYPES
#include <GL/freeglut.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int width = 203, height = 151;

std::uint64_t hash_of(const void *data, std::size_t size) {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (std::size_t i = 0; i < size; ++i)
        hash = (hash ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3ull;
    return hash;
}

void say(const std::string &what, const std::vector<unsigned char> &bytes) {
    std::printf("%-40s %016llx error %x\n", what.c_str(),
                static_cast<unsigned long long>(hash_of(bytes.data(), bytes.size())), glGetError());
}

/// Every pixel has its own colour, depth and stencil value, whichever tile it is on.
void scene() {
    glViewport(0, 0, width, height);
    glClearStencil(3);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    for (int y = 0; y < height; y += 3)
        for (int x = 0; x < width; x += 5) {
            const unsigned n = static_cast<unsigned>(y * 1009 + x * 31) * 2654435761u;
            glScissor(x, y, 5, 3);
            glClearColor(static_cast<float>(n >> 24) / 255, static_cast<float>(n >> 16 & 255) / 255,
                         static_cast<float>(n >> 8 & 255) / 255, 1);
            glClearDepth((n >> 8 & 0xffff) / 65535.0);
            glClearStencil(static_cast<int>(n >> 20 & 255));
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        }
    glDisable(GL_SCISSOR_TEST);
}

struct Pack {
    const char *name;
    int alignment, row_length, skip_rows, skip_pixels, swap, lsb, invert;
    void set() const {
        glPixelStorei(GL_PACK_ALIGNMENT, alignment);
        glPixelStorei(GL_PACK_ROW_LENGTH, row_length);
        glPixelStorei(GL_PACK_SKIP_ROWS, skip_rows);
        glPixelStorei(GL_PACK_SKIP_PIXELS, skip_pixels);
        glPixelStorei(GL_PACK_SWAP_BYTES, swap);
        glPixelStorei(GL_PACK_LSB_FIRST, lsb);
        glPixelStorei(GL_PACK_INVERT_MESA, invert);
    }
};
constexpr Pack plain_pack{"plain", 4, 0, 0, 0, 0, 0, 0};
constexpr Pack packs[] = {
    plain_pack,
    {"tight", 1, 0, 0, 0, 0, 0, 0},
    {"skips", 8, 240, 3, 7, 0, 0, 0},
    {"swapped", 2, 211, 1, 5, 1, 1, 0},
    {"inverted", 4, 0, 0, 3, 0, 0, 1}};

struct Kind {
    const char *name;
    GLenum format, type;
};
constexpr Kind kinds[] = {
    {"rgba ubyte", GL_RGBA, GL_UNSIGNED_BYTE},
    {"bgr ubyte", GL_BGR, GL_UNSIGNED_BYTE},
    {"red short", GL_RED, GL_SHORT},
    {"rgba float", GL_RGBA, GL_FLOAT},
    {"rgb half", GL_RGB, GL_HALF_FLOAT},
    {"luminance alpha", GL_LUMINANCE_ALPHA, GL_UNSIGNED_SHORT},
    {"bgra 8888 rev", GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV},
    {"rgb 565", GL_RGB, GL_UNSIGNED_SHORT_5_6_5},
    {"rgb 332", GL_RGB, GL_UNSIGNED_BYTE_3_3_2},
    {"rgba 2101010", GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
    {"depth float", GL_DEPTH_COMPONENT, GL_FLOAT},
    {"depth ushort", GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT},
    {"stencil ubyte", GL_STENCIL_INDEX, GL_UNSIGNED_BYTE},
    {"depth stencil", GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8},
    {"depth stencil 64", GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV},
    {"index (an error)", GL_COLOR_INDEX, GL_UNSIGNED_BYTE},
    {"no such format", GL_TEXTURE_2D, GL_UNSIGNED_BYTE},
    {"no such type", GL_RGBA, GL_TEXTURE_2D},
    {"no such pair", GL_RGBA, GL_UNSIGNED_SHORT_5_6_5},
};

void reads() {
    constexpr std::size_t room = 300000 * 8;
    for (const Kind &kind : kinds)
        for (const Pack &pack : packs) {
            if (pack.swap && kind.type == GL_FLOAT_32_UNSIGNED_INT_24_8_REV)
                continue; // Mesa swaps half of each row
            std::vector<unsigned char> memory(room, 0xEE);
            pack.set();
            glReadPixels(0, 0, width, height, kind.format, kind.type, memory.data());
            plain_pack.set();
            say(std::string(kind.name) + ", " + pack.name, memory);
        }
    const int rects[][4] = {{100, 75, 1, 1},      {-20, -10, 60, 40}, {180, 130, 60, 50}, {95, 70, 20, 11},
                            {-50, -50, 500, 400}, {500, 500, 10, 10}, {10, 10, 0, 5},     {10, 10, -1, 5}};
    for (const auto &r : rects) {
        std::vector<unsigned char> memory(500 * 400 * 4, 0xEE);
        glReadPixels(r[0], r[1], r[2], r[3], GL_RGBA, GL_UNSIGNED_BYTE, memory.data());
        say("rectangle at " + std::to_string(r[0]) + "," + std::to_string(r[1]), memory);
    }
    std::vector<unsigned char> memory(100 * 100 * 4, 0xEE);
    glReadnPixels(50, 50, 100, 100, GL_RGBA, GL_UNSIGNED_BYTE, 100 * 100 * 4, memory.data());
    say("room enough", memory);
    glReadnPixels(50, 50, 100, 100, GL_BGRA, GL_UNSIGNED_BYTE, 100 * 100 * 4 - 1, memory.data());
    say("too little room", memory);
    glPixelTransferf(GL_RED_SCALE, 0.5f);
    glPixelTransferf(GL_GREEN_BIAS, 0.25f);
    glReadPixels(50, 50, 100, 100, GL_RGBA, GL_UNSIGNED_BYTE, memory.data());
    glPixelTransferf(GL_RED_SCALE, 1);
    glPixelTransferf(GL_GREEN_BIAS, 0);
    say("scale and bias", memory);
    glEnable(GL_TEXTURE_2D + 0x4000); // an error of the program, before
    glReadPixels(50, 50, 100, 100, GL_RGBA, GL_UNSIGNED_BYTE, memory.data());
    say("after an error", memory);
}

void buffers() {
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    const std::vector<unsigned char> fill(width * height * 4 + 1000, 0xEE);
    const auto size = static_cast<GLsizeiptr>(fill.size());
    const auto contents = [&](const char *what) {
        std::vector<unsigned char> bytes(fill.size());
        glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, size, bytes.data());
        say(what, bytes);
    };
    glBufferData(GL_PIXEL_PACK_BUFFER, size, fill.data(), GL_STREAM_READ);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, reinterpret_cast<void *>(100));
    contents("buffer");
    glPixelStorei(GL_PACK_ROW_LENGTH, 207);
    glReadPixels(3, 3, 100, 100, GL_RGB, GL_UNSIGNED_BYTE, reinterpret_cast<void *>(4));
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    contents("buffer with rows kept");
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, reinterpret_cast<void *>(1001));
    contents("buffer too small");
    glMapBuffer(GL_PIXEL_PACK_BUFFER, GL_READ_ONLY);
    glReadPixels(0, 0, 100, 100, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    contents("mapped buffer");
    glDeleteBuffers(1, &buffer);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    constexpr GLbitfield access = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    glBufferStorage(GL_PIXEL_PACK_BUFFER, size, fill.data(), access);
    const void *mapped = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, size, access);
    glReadPixels(60, 50, 100, 90, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glFinish();
    const auto *bytes = static_cast<const unsigned char *>(mapped);
    say("buffer mapped for good", std::vector<unsigned char>(bytes, bytes + size));
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glDeleteBuffers(1, &buffer);
}

void texture_is(const char *what, GLenum target, GLenum format, GLenum type, std::size_t bytes) {
    std::vector<unsigned char> memory(bytes, 0xEE);
    glGetTexImage(target, 0, format, type, memory.data());
    say(what, memory);
}

void textures() {
    GLuint texture[3] = {};
    glGenTextures(3, texture);
    glBindTexture(GL_TEXTURE_2D, texture[0]);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 70, 50, 64, 64, 0);
    texture_is("copied texture", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 5, 6, 120, 100, 40, 30);
    texture_is("copied part", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, -10, -10, 30, 30);
    texture_is("copied from outside", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 190, 140, 40, 40);
    texture_is("copied from the far outside", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 50, 50, 10, 10, 40, 40);
    texture_is("copied too much", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_TEXTURE_2D, 0, 0, 64, 64, 0);
    texture_is("no such format", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCopyTextureSubImage2D(texture[0], 0, 1, 2, 80, 60, 40, 30);
    texture_is("copied by name", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    const GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 9, 9, 90, 70, 20, 20);
    glEndList();
    texture_is("not yet copied by a list", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCallList(list);
    texture_is("copied by a list", GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64 * 64 * 4);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 70, 50, 64, 64, 0);
    texture_is("depth texture", GL_TEXTURE_2D, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 64 * 64 * 2);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 5, 6, 120, 100, 40, 30);
    texture_is("part of a depth texture", GL_TEXTURE_2D, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 64 * 64 * 2);
    glBindTexture(GL_TEXTURE_1D, texture[1]);
    glCopyTexImage1D(GL_TEXTURE_1D, 0, GL_RGB, 70, 75, 128, 0);
    texture_is("1D texture", GL_TEXTURE_1D, GL_RGB, GL_UNSIGNED_BYTE, 128 * 3);
    glCopyTexSubImage1D(GL_TEXTURE_1D, 0, 10, 20, 140, 100);
    texture_is("part of a 1D texture", GL_TEXTURE_1D, GL_RGB, GL_UNSIGNED_BYTE, 128 * 3);
    glBindTexture(GL_TEXTURE_3D, texture[2]);
    const std::vector<unsigned char> fill(32 * 32 * 4 * 4, 0xEE);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 32, 32, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, fill.data());
    glCopyTexSubImage3D(GL_TEXTURE_3D, 0, 1, 2, 3, 95, 70, 30, 30);
    texture_is("3D texture", GL_TEXTURE_3D, GL_RGBA, GL_UNSIGNED_BYTE, fill.size());
    glDeleteTextures(3, texture);
    glDeleteLists(list, 1);
}

/// Depth in 16 bits, which is what `scene` gave it: a plain copy by Mesa may round the last of 24.
void depth_and_stencil(int w, int h, unsigned char *memory) {
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, w, h, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, memory);
    glReadPixels(0, 0, w, h, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, memory + w * h * 2);
    plain_pack.set();
}

void window_is(const char *what, bool depth = false) {
    std::vector<unsigned char> memory(width * height * 8, 0xEE);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, memory.data());
    if (depth)
        depth_and_stencil(width, height, memory.data() + width * height * 4);
    say(what, memory);
}

void copies() {
    scene();
    glWindowPos2i(30, 20);
    glCopyPixels(90, 60, 50, 40, GL_COLOR);
    window_is("copied pixels");
    glPixelZoom(2, -1);
    glWindowPos2i(20, 120);
    glCopyPixels(0, 0, 70, 80, GL_COLOR);
    glPixelZoom(1, 1);
    window_is("zoomed pixels");
    glPixelTransferf(GL_RED_BIAS, 0.5f);
    glWindowPos2i(130, 20);
    glCopyPixels(0, 0, 70, 80, GL_COLOR);
    glPixelTransferf(GL_RED_BIAS, 0);
    window_is("pixels with a bias");
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glColorMask(0, 0, 0, 0);
    glWindowPos2i(70, 20);
    glCopyPixels(100, 30, 70, 80, GL_DEPTH);
    glDisable(GL_DEPTH_TEST);
    window_is("copied depth", true);
    glWindowPos2i(10, 60);
    glCopyPixels(80, 10, 70, 80, GL_STENCIL);
    glColorMask(1, 1, 1, 1);
    window_is("copied stencil", true);
    glCopyPixels(0, 0, 10, 10, GL_TEXTURE_2D);
    window_is("copied nonsense", true);
    glWindowPos2f(10.5f, 20.5f);
    glCopyPixels(80, 60, 110, 80, GL_COLOR);
    window_is("copied to a half position");
}

void blits() {
    scene();
    GLuint framebuffer = 0, color = 0, depth = 0;
    glGenFramebuffers(1, &framebuffer);
    glGenTextures(1, &color);
    glBindTexture(GL_TEXTURE_2D, color);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 100, 80, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, 100, 80);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    constexpr GLbitfield everything = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
    const auto object_is = [&](const char *what) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
        std::vector<unsigned char> memory(100 * 80 * 8);
        glReadPixels(0, 0, 100, 80, GL_RGBA, GL_UNSIGNED_BYTE, memory.data());
        depth_and_stencil(100, 80, memory.data() + 100 * 80 * 4);
        say(what, memory);
    };
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBlitFramebuffer(60, 40, 160, 120, 0, 0, 100, 80, everything, GL_NEAREST);
    object_is("window to object");
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBlitFramebuffer(160, 120, 80, 20, 10, 10, 90, 70, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    object_is("turned and stretched");
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBlitFramebuffer(80, 50, 120, 90, 0, 0, 80, 80, GL_COLOR_BUFFER_BIT, GL_LINEAR);
    object_is("smoothly");
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBlitFramebuffer(-20, -20, 80, 60, 0, 0, 100, 80, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    object_is("from outside");
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 100, 80, 0, 0, 50, 40, GL_DEPTH_BUFFER_BIT, GL_LINEAR);
    object_is("linear depth is an error");
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 100, 80, 55, 35, 155, 115, everything, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    window_is("object to window", true);
    glBlitNamedFramebuffer(framebuffer, 0, 0, 0, 100, 80, 5, 105, 105, 25, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    window_is("by name to the window", true);
    glBlitFramebuffer(0, 0, 100, 70, 100, 75, 200, 145, everything, GL_NEAREST);
    window_is("window to window", true);
    glBlitNamedFramebuffer(0, framebuffer, 100, 75, 200, 145, 0, 0, 100, 70, everything, GL_NEAREST);
    object_is("by name from the window");
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    std::printf("texture still bound: %d\n", bound == static_cast<GLint>(color));
    for (const GLenum name : {GL_READ_FRAMEBUFFER_BINDING, GL_DRAW_FRAMEBUFFER_BINDING, GL_PACK_ALIGNMENT,
                              GL_UNPACK_ALIGNMENT, GL_READ_BUFFER, GL_DRAW_BUFFER}) {
        GLint value = 0;
        glGetIntegerv(name, &value);
        std::printf("state %x is %x\n", name, value);
    }
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &depth);
    glDeleteTextures(1, &color);
}

void display() {
    scene();
    reads();
    buffers();
    textures();
    copies();
    blits();
    glutSwapBuffers();
    std::fflush(stdout);
    glutLeaveMainLoop();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH | GLUT_STENCIL);
    glutInitWindowSize(width, height);
    glutCreateWindow("pixels");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
