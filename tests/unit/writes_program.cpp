// Fragments of the window write to buffers, by every kind of change that a shader can make, and the program reads these
// buffers, by every way there is. On a wall, every rank has to print what one window does.
#define GL_GLEXT_PROTOTYPES
#include <GL/freeglut.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

constexpr int width = 256, height = 128; // llvmpipe loses some changes where it draws a part of 64x64 pixels
constexpr GLsizeiptr words = 6, bytes = 4 * words + 2; // no whole number of words
using Words = std::array<GLuint, words + 1>;

GLuint compile(GLenum kind, const std::string &text) {
    const GLuint id = glCreateShader(kind);
    const char *const string = text.c_str();
    glShaderSource(id, 1, &string, nullptr);
    glCompileShader(id);
    GLint good = 0;
    glGetShaderiv(id, GL_COMPILE_STATUS, &good);
    if (!good)
        std::printf("does not compile: %s\n", text.c_str());
    return id;
}

const std::string head = "#version 430 compatibility\n";
const std::string storage = "layout(std430, binding = 1) buffer Block { uint w[]; };\n";

GLuint program(const std::string &declared, const std::string &statements) {
    const GLuint id = glCreateProgram();
    const GLuint shader = compile(GL_FRAGMENT_SHADER, head + declared + "void main() { ivec2 at = ivec2(gl_FragCoord.xy); " +
                                                          statements + " gl_FragColor = vec4(1); }\n");
    glAttachShader(id, shader);
    glLinkProgram(id);
    glDetachShader(id, shader);
    glDeleteShader(shader);
    return id;
}

void fill(GLuint first) {
    Words all{};
    for (GLuint i = 0; i < words; ++i)
        all[i] = first + i;
    glBufferData(GL_SHADER_STORAGE_BUFFER, bytes, all.data(), GL_DYNAMIC_COPY);
}

void draw(GLuint id) {
    glUseProgram(id);
    glRectf(-1, -1, 1, 1);
    glUseProgram(0);
}

void print(const char *what, const GLuint *all) {
    std::printf("%-24s", what);
    for (GLuint i = 0; i < words; ++i)
        std::printf(" %u", all[i]);
    std::printf(" error %x\n", glGetError());
}

void read(const char *what) {
    Words all{};
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, bytes, all.data());
    print(what, all.data());
}

void kinds_of_changes() {
    const struct {
        const char *what, *declared, *statements;
    } all[] = {
        {"added", storage.c_str(), "atomicAdd(w[0], 1u); atomicAdd(w[at.x % 3 + 1], uint(at.y));"},
        {"picked", storage.c_str(), "if (at == ivec2(150, 20)) { w[2] = 77u; } if (at == ivec2(40, 100)) w[5] = 5u;"},
        {"assigned alike", storage.c_str(), "w[1] = 4u; w[3] = 1000u;"},
        {"least", storage.c_str(), "atomicMin(w[4], uint(at.x) / 40u); atomicMin(w[5], uint(at.y) + 4000000000u);"},
        {"greatest", storage.c_str(), "atomicMax(w[0], uint(at.x)); atomicMax(w[1], uint(at.y) + 4000000000u);"},
        {"least, signed", "layout(std430, binding = 1) buffer Block { int w[]; };", "atomicMin(w[0], at.x - 100);"},
        {"greatest, signed", "layout(std430, binding = 1) buffer Block { int w[6]; } b;",
         "atomicMax(b.w[1], at.y - 30); atomicMax(b.w[0], -at.x);"},
        {"anded", storage.c_str(), "atomicAnd(w[5], ~(1u << uint(at.x / 8 % 5)));"},
        {"ored", storage.c_str(), "atomicOr(w[2], 1u << uint(at.x / 8)); w.length();"},
        {"xored", storage.c_str(), "if (at != ivec2(77, 9)) { atomicXor(w[3], uint(at.x * at.y) * 2654435761u); }"},
        {"two blocks",
         "layout(std430, binding = 1) buffer Block { uint w[2]; } first;\n"
         "layout(std430, binding = 2) restrict buffer Other { uint sum; } second;\n",
         "atomicMax(first.w[1], uint(at.x)); atomicAdd(second.sum, 2u);"},
        {"a block of several", "layout(std430, binding = 1) buffer Block { uint w[2]; } b[2];\n",
         "atomicAdd(b[0].w[1], 1u); atomicAdd(b[1].w[0], 3u);"},
    };
    GLuint other = 0;
    glGenBuffers(1, &other);
    for (const auto &one : all) {
        const GLuint id = program(one.declared, one.statements);
        fill(3);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, other);
        fill(100);
        GLuint first = 0;
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, 1, reinterpret_cast<GLint *>(&first));
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, first);
        draw(id);
        draw(id);
        read(one.what);
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, other);
        read("  the other");
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, first);
        glDeleteProgram(id);
    }
    glDeleteBuffers(1, &other);
}

void ways_to_read(GLuint buffer) {
    const GLuint id = program(storage + "#define COUNT(i) atomicAdd(w[i], 1u)\n", "COUNT(0); COUNT(3);");
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer); // a buffer that is deleted may take the binding with it
    fill(5);
    draw(id);
    print("mapped", static_cast<const GLuint *>(glMapBuffer(GL_SHADER_STORAGE_BUFFER, GL_READ_ONLY)));
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    draw(id);
    print("mapped in part",
          static_cast<const GLuint *>(glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, 4 * words, GL_MAP_READ_BIT)));
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    draw(id);
    Words all{};
    glGetNamedBufferSubData(buffer, 0, bytes, all.data());
    print("by name", all.data());
    draw(id);
    GLuint copy = 0;
    glGenBuffers(1, &copy);
    glBindBuffer(GL_COPY_WRITE_BUFFER, copy);
    glBufferData(GL_COPY_WRITE_BUFFER, bytes, nullptr, GL_STREAM_READ);
    glCopyBufferSubData(GL_SHADER_STORAGE_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, bytes);
    glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, bytes, all.data());
    print("a copy", all.data());
    glDeleteBuffers(1, &copy);
    draw(id);
    const GLuint seven = 7;
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, 4, &seven);
    draw(id);
    read("changed in part");
    draw(id);
    glClearBufferSubData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, 12, 4, GL_RED_INTEGER, GL_UNSIGNED_INT, &seven);
    read("cleared in part");
    draw(id);
    fill(9);
    read("given anew");
    draw(id);
    auto *const mapped = static_cast<GLuint *>(glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 4, 4, GL_MAP_WRITE_BIT));
    *mapped = 11;
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    draw(id);
    read("written by the program");
    glDeleteProgram(id);
}

void objects_and_window() {
    GLuint object = 0, picture = 0;
    glGenFramebuffers(1, &object);
    glGenRenderbuffers(1, &picture);
    glBindRenderbuffer(GL_RENDERBUFFER, picture);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    const GLuint id = program(storage, "atomicAdd(w[1], 1u);");
    fill(0);
    for (int i = 0; i < 3; ++i) {
        draw(id);
        glBindFramebuffer(GL_FRAMEBUFFER, object);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, picture);
        draw(id);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
    }
    read("objects and window");
    glDeleteProgram(id);
    glDeleteFramebuffers(1, &object);
    glDeleteRenderbuffers(1, &picture);
}

void draw_list(const char *what, GLuint id) {
    fill(0);
    glUseProgram(id);
    glCallList(1);
    glUseProgram(0);
    read(what);
}

void lists() {
    const GLuint id = program(storage, "atomicAdd(w[4], 1u);");
    glNewList(1, GL_COMPILE);
    glRectf(-1, -1, 1, 1);
    glEndList();
    draw_list("a display list", id);
    glNewList(1, GL_COMPILE);
    glLoadIdentity(); // a wall takes the list apart here
    glViewport(0, 0, width, height);
    glRectf(-1, -1, 1, 1);
    glEndList();
    draw_list("a list in parts", id);
    glDeleteLists(1, 1);
    glDeleteProgram(id);
}

void counters() {
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, buffer);
    const GLuint first[2] = {10, 1000000};
    glBufferData(GL_ATOMIC_COUNTER_BUFFER, sizeof first, first, GL_DYNAMIC_COPY);
    const GLuint id = program("layout(binding = 0, offset = 0) uniform atomic_uint up;\n"
                              "layout(binding = 0, offset = 4) uniform atomic_uint down;\n",
                              "atomicCounterIncrement(up); if (at.x > 60) atomicCounterDecrement(down);");
    draw(id);
    GLuint now[2] = {};
    glGetBufferSubData(GL_ATOMIC_COUNTER_BUFFER, 0, sizeof now, now);
    std::printf("counters %u %u error %x\n", now[0], now[1], glGetError());
    glDeleteBuffers(1, &buffer);
    glDeleteProgram(id);
}

void pipeline() {
    const std::string text = "#version 430\n" + storage +
                             "out vec4 colour;\nvoid main() { atomicAdd(w[2], 1u); colour = vec4(1); }\n";
    const std::string vertex = "#version 430\nout gl_PerVertex { vec4 gl_Position; };\nvoid main() { gl_Position = "
                               "vec4(gl_VertexID % 2 * 2 - 1, gl_VertexID / 2 * 2 - 1, 0, 1); }\n";
    const char *const strings[] = {text.c_str(), vertex.c_str()};
    const GLuint fragments = glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &strings[0]);
    const GLuint vertices = glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &strings[1]);
    GLuint id = 0;
    glGenProgramPipelines(1, &id);
    glUseProgramStages(id, GL_FRAGMENT_SHADER_BIT, fragments);
    glUseProgramStages(id, GL_VERTEX_SHADER_BIT, vertices);
    glBindProgramPipeline(id);
    fill(0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glBindProgramPipeline(0);
    read("a pipeline");
    glDeleteProgramPipelines(1, &id);
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, buffer);
    kinds_of_changes();
    ways_to_read(buffer);
    objects_and_window();
    lists();
    counters();
    pipeline();
    const GLuint id = program(storage, "if (at == ivec2(3, 3) || at == ivec2(190, 120)) w[0] = uint(at.x);");
    fill(0);
    draw(id);
    Words all{};
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, bytes, all.data());
    std::printf("one of two values: %d\n", all[0] == 3 || all[0] == 190);
    std::fflush(stdout);
    glutSwapBuffers();
    glutLeaveMainLoop();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(width, height);
    glutCreateWindow("writes");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
