// A program with ranks that part ways: while it draws its fifth frame, rank 1 alone does what the argument says; with
// "wait0" it is rank 0.
#define GL_GLEXT_PROTOTYPES
#include <GL/freeglut.h>

#include <GL/glext.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::string how;
int drawn;

bool this_one() {
    for (const char *name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *rank = std::getenv(name))
            return std::string(rank) == (how == "wait0" ? "0" : "1");
    return false;
}

void wait_for_the_clock() {
    for (const int start = glutGet(GLUT_ELAPSED_TIME); glutGet(GLUT_ELAPSED_TIME) < start + 20;)
        glFinish();
}

void part_ways() {
#ifdef __x86_64__
    asm volatile("jmp 1f; .byte 0x0f, 0xc7, 0xf0; 1:"); // rdrand, which this never comes to
#endif
    if (how == "viewport")
        glViewport(5, 6, 70, 80);
    else if (how == "redisplay")
        glutPostWindowRedisplay(1), glutPostWindowRedisplay(1);
    else if (how == "clock")
        glutGet(GLUT_ELAPSED_TIME);
    else if (how == "wait" || how == "wait0")
        wait_for_the_clock();
    else if (how == "window")
        glutCreateSubWindow(1, 10, 10, 50, 50), glutDisplayFunc([] {});
    else if (how == "read") {
        GLubyte pixel[4];
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    }
}

/// Values by way of memory that a buffer has: mapped for a moment, in part, or for good.
void draw_mapped(float half) {
    const GLsizeiptr bytes = how == "map" ? 512 : 4096;
    constexpr GLbitfield for_good = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    static GLuint buffer = 0;
    static void *memory = nullptr;
    if (!buffer)
        glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    if (how == "persistent" && !memory) {
        glBufferStorage(GL_ARRAY_BUFFER, bytes, nullptr, for_good);
        memory = glMapBufferRange(GL_ARRAY_BUFFER, 0, bytes, for_good);
    } else if (how == "map" || drawn == 1) {
        glBufferData(GL_ARRAY_BUFFER, bytes, nullptr, GL_STREAM_DRAW);
    }
    if (how == "map")
        memory = glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY);
    else if (how != "persistent")
        memory = glMapBufferRange(GL_ARRAY_BUFFER, 512, 512,
                                  GL_MAP_WRITE_BIT |
                                      (how == "flush" ? GL_MAP_FLUSH_EXPLICIT_BIT : GL_MAP_INVALIDATE_RANGE_BIT));
    static_cast<float *>(memory)[5] = half;
    if (how == "flush")
        glFlushMappedBufferRange(GL_ARRAY_BUFFER, 16, 16);
    if (how != "persistent")
        glUnmapBuffer(GL_ARRAY_BUFFER);
    glEnableVertexAttribArray(3);
    glVertexAttribPointer(3, 2, GL_FLOAT, GL_FALSE, 0, reinterpret_cast<void *>(how == "persistent" ? 16 : 0));
    glDrawArrays(GL_POINTS, 0, 1);
    glDisableVertexAttribArray(3);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/// Memory that the program maps and leaves as it is has anything in it, on each rank something else.
void map_in_vain() {
    const float other = this_one() ? 1.5f : 2.5f;
    const auto write = [](GLbitfield access) {
        std::memcpy(glMapBufferRange(GL_ARRAY_BUFFER, 1000, 3000, GL_MAP_WRITE_BIT | access), "the same", 8);
        glUnmapBuffer(GL_ARRAY_BUFFER);
    };
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 40'000, nullptr, GL_STREAM_DRAW);
    glClearBufferData(GL_ARRAY_BUFFER, GL_R32F, GL_RED, GL_FLOAT, &other); // which is not visible
    write(0);
    write(GL_MAP_INVALIDATE_RANGE_BIT);
    write(0);
    std::memcpy(glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY), "the same", 8);
    glUnmapBuffer(GL_ARRAY_BUFFER);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glDeleteBuffers(1, &buffer);
}

/// Places what it draws at attribute 0. Mesa 25.0 crashes if that is in the program's memory and no shader reads it.
void use_corners() {
    static const GLuint program = [] {
        const char *text = "#version 130\nin vec2 corner; void main() { gl_Position = vec4(corner, 0, 1); }";
        return glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &text);
    }();
    glUseProgram(program);
}

void draw_in_one_call(float half) {
    const float corners[] = {0, 0, 1, 0, 1, half, 0, 1};
    const GLuint moved = half > 0.5f ? 1 : 0;
    if (how == "attribute")
        glVertexAttrib3f(5, 1, half, 0);
    use_corners();
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    if (how == "instanced") {
        glVertexAttribDivisor(0, 1);
        glDrawArraysInstanced(GL_POINTS, 0, 1, 4);
        glVertexAttribDivisor(0, 0);
    } else if (how == "multi") {
        const GLint firsts[] = {0, 2};
        const GLsizei counts[] = {2, 2 - static_cast<GLsizei>(moved)};
        glMultiDrawArrays(GL_LINES, firsts, counts, 2);
    } else if (how == "indirect") {
        const GLuint command[] = {3, 1, moved, 0};
        glDrawArraysIndirect(GL_TRIANGLES, command);
    } else if (how == "elements") {
        const GLubyte indices[] = {0, 1, 2};
        glDrawElementsInstancedBaseVertex(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, indices, 1, 0);
    }
    glDisableVertexAttribArray(0);
    glUseProgram(0);
}

void upload_image(bool other) {
    std::vector<GLubyte> bytes(4096, 7);
    bytes[1000] = other ? 8 : 7;
    GLuint texture = 0;
    glGenTextures(1, &texture);
    if (how == "volume") {
        glBindTexture(GL_TEXTURE_3D, texture);
        glTexImage3D(GL_TEXTURE_3D, 0, GL_R8, 16, 16, 16, 0, GL_RED, GL_UNSIGNED_BYTE, bytes.data());
    } else {
        glBindTexture(GL_TEXTURE_2D, texture);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RED_RGTC1, 64, 128, 0, 4096, bytes.data());
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    glDeleteTextures(1, &texture);
}

/// What every rank hands to GL, but that one float of one rank's comes from a sum in another order.
void draw(bool other) {
    const float half = other ? std::nextafter(0.5f, 1.0f) : 0.5f;
    if (how == "matrix") {
        for (int i = 0; i < 40; ++i)
            glLoadIdentity();
        glTranslatef(half, 0.25f, 0);
    } else if (how == "uniform") {
        static const GLuint program = [] {
            const char *text = "uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }";
            return glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &text);
        }();
        glUseProgram(program);
        glUniform3f(glGetUniformLocation(program, "colour"), 1, half, 0);
        glUseProgram(0);
    } else if (how == "upload") {
        std::vector<float> values(5000, 0.125f);
        values[3333] = half;
        glBindBuffer(GL_ARRAY_BUFFER, 1);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(values.size() * sizeof(float)), values.data(),
                     GL_STREAM_DRAW);
        glBindBuffer(GL_ARRAY_BUFFER, 0);
    } else if (how == "array") {
        const float corners[] = {0, 0, 1, 0, 1, half, 0, 1};
        glEnableClientState(GL_VERTEX_ARRAY);
        glVertexPointer(2, GL_FLOAT, 0, corners);
        glDrawArrays(GL_QUADS, 0, 4);
        glDisableClientState(GL_VERTEX_ARRAY);
    } else if (how == "map" || how == "invalidate" || how == "flush" || how == "persistent") {
        draw_mapped(half);
    } else if (how == "attribute" || how == "instanced" || how == "multi" || how == "indirect" || how == "elements") {
        draw_in_one_call(half);
    } else if (how == "volume" || how == "compressed") {
        upload_image(other);
    } else if (how == "garbage") {
        map_in_vain();
    }
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
    const bool now = ++drawn == 5 && this_one();
    draw(now);
    if (now)
        part_ways();
    glutSetWindow(1);
    if (!now || how != "swap")
        glutSwapBuffers();
}

void timer(int) { glutPostWindowRedisplay(1); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    how = argc > 1 ? argv[1] : "";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(203, 151);
    glutCreateWindow("diverging");
    glutDisplayFunc(display);
    glutIdleFunc([] {
        if (how == "timer" && drawn == 5 && this_one())
            glutTimerFunc(0, timer, 7);
        glutPostWindowRedisplay(1);
    });
    glutMainLoop();
    return 0;
}
