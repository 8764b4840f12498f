// Draws its picture in passes, as engines do, into framebuffer objects of the window's size, and of half of it.
//   passes WAY
// bloom, deferred, occlusion: look at their neighbourhood alone. reader: draws by a pixel that it reads from the
// first object. meter: by what it has read from the object of half the size, and from a copy, from frame 14 on.
// counter: by the samples that it has counted in the first object, from frame 14 on. mirror, average, history: look
// far away, at all pixels, and at those of the frame before. later: draws by what it has read of each frame before,
// and is as mirror from frame 30 on. The program ends with 3 where GL does not tell it the scissor that it has set.
#define GL_GLEXT_PROTOTYPES
#include "../programs/shader.h"

#include <GL/freeglut.h>

#include <string>
#include <vector>

namespace {

int width = 480, height = 360;
std::string way;
int frame = 0;

struct Pass {
    GLuint framebuffer = 0, colours = 0, depths = 0;
    int columns, rows;
    Pass(int w, int h) : columns(w), rows(h) {
        colours = texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
        depths = texture(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT);
        glGenFramebuffers(1, &framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colours, 0);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depths, 0);
    }
    GLuint texture(GLint internal, GLenum format, GLenum type) const {
        GLuint name = 0;
        glGenTextures(1, &name);
        glBindTexture(GL_TEXTURE_2D, name);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                        way == "average" && format == GL_RGBA ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        glTexImage2D(GL_TEXTURE_2D, 0, internal, columns, rows, 0, format, type, nullptr);
        return name;
    }
    void bind() const {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glViewport(0, 0, columns, rows);
    }
};

const char *const vertex = "#version 130\nvoid main() { gl_Position = gl_Vertex; }\n";

/// A pass over all pixels: `text` has the colour of one, from `at`, its place from 0 to 1.
GLuint full_pass(const std::string &text) {
    const std::string all = "#version 130\nuniform sampler2D a, b; uniform vec2 pixel;\n"
                            "void main() { vec2 at = gl_FragCoord.xy * pixel; vec4 sum = vec4(0.0);\n" +
                            text + "\ngl_FragColor = sum; }\n";
    return shader::link(vertex, all.c_str());
}

void run_pass(GLuint program, int w, int h, GLuint a, GLuint b) {
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "a"), 0);
    glUniform1i(glGetUniformLocation(program, "b"), 1);
    glUniform2f(glGetUniformLocation(program, "pixel"), 1.0f / static_cast<float>(w), 1.0f / static_cast<float>(h));
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, b);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, a);
    glDisable(GL_DEPTH_TEST);
    glRectf(-1, -1, 1, 1);
    glUseProgram(0);
}

/// What the program has set of the scissor is what GL tells it.
void expect_scissor(bool on, const std::vector<GLint> &box) {
    std::vector<GLint> told(4);
    glGetIntegerv(GL_SCISSOR_BOX, told.data());
    GLboolean test = GL_FALSE;
    glGetBooleanv(GL_SCISSOR_TEST, &test);
    if (told != box || (glIsEnabled(GL_SCISSOR_TEST) == GL_TRUE) != on || (test == GL_TRUE) != on)
        std::exit(3);
}

void draw_scene(float shade) {
    glClearColor(0.1f, 0.1f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glPushAttrib(GL_SCISSOR_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(190, 40, 100, 300);
    expect_scissor(true, {190, 40, 100, 300});
    glClearColor(0.1f, shade, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glPopAttrib();
    expect_scissor(false, {0, 0, width, height});
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 24; ++i) {
        const float x = -0.95f + 0.08f * static_cast<float>((7 * i + frame) % 24);
        const float y = -0.9f + 0.075f * static_cast<float>(i), z = 0.08f * static_cast<float>((5 * i) % 24) - 0.9f;
        glColor3f(0.2f + 0.8f * static_cast<float>(i % 2), 0.04f * static_cast<float>(i), 0.9f);
        glBegin(GL_TRIANGLES);
        glVertex3f(x, y, z);
        glVertex3f(x + 0.3f, y + 0.05f, z);
        glVertex3f(x + 0.1f, y + 0.4f, z + 0.1f);
        glEnd();
    }
}

/// Whatever lies in some columns of the object that is bound: one number.
int read_much(int x, int rows) {
    std::vector<GLubyte> pixels(static_cast<std::size_t>(rows) * 8 * 4);
    glReadPixels(x, 0, 8, rows, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    int sum = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i)
        sum = (31 * sum + pixels[i]) % 9973;
    return sum;
}

const char *program_text() {
    if (way == "mirror" || way == "later")
        return "sum = texture2D(a, vec2(1.0 - at.x, at.y));";
    if (way == "average")
        return "sum = 0.5 * texture2D(a, at) + 0.5 * textureLod(a, vec2(0.5), 20.0);";
    if (way == "deferred")
        return "sum = texture2D(a, at) * (1.2 - texture2D(b, at).r);";
    if (way == "occlusion")
        return "float near = 0.0, mine = texture2D(b, at).r;\n"
               "for (int y = -9; y <= 9; y += 3) for (int x = -9; x <= 9; x += 3)\n"
               "    near += texture2D(b, at + vec2(x, y) * pixel).r < mine - 0.01 ? 1.0 : 0.0;\n"
               "sum = texture2D(a, at) * (1.0 - near / 60.0);";
    return "sum = texture2D(a, at) + 0.5 * texture2D(b, at);";
}

void display() {
    if (frame == 0) {
        width = glutGet(GLUT_WINDOW_WIDTH);
        height = glutGet(GLUT_WINDOW_HEIGHT);
    }
    static const Pass scene(width, height), half(width / 2, height / 2), other(width / 2, height / 2);
    static const Pass kept[2] = {{width, height}, {width, height}};
    static const GLuint last = full_pass(program_text()), copy = full_pass("sum = texture2D(a, at);"),
                        bright = full_pass("sum = max(texture2D(a, at) - 0.6, 0.0) * 2.5;"),
                        across = full_pass("for (int i = -4; i <= 4; ++i)\n"
                                           "    sum += texture2D(a, at + vec2(i, 0) * pixel) / 9.0;"),
                        along = full_pass("for (int i = -4; i <= 4; ++i)\n"
                                          "    sum += texture2D(a, at + vec2(0, i) * pixel) / 9.0;"),
                        trail = full_pass("sum = mix(texture2D(a, at), texture2D(b, at), 0.7);");
    ++frame;
    scene.bind();
    GLubyte read[4] = {0, 100, 0, 0};
    if (way == "reader" && frame > 1)
        glReadPixels(450, 330 - frame, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, read);
    static int known = 100;
    static GLuint query = 0;
    if (way == "later" && frame > 1)
        known = (known + read_much(440, height)) % 256;
    const bool counts = way == "counter" && frame >= 14;
    if (counts && query == 0)
        glGenQueries(1, &query);
    if (way == "later" || way == "meter" || way == "counter")
        read[1] = static_cast<GLubyte>(known);
    if (counts)
        glBeginQuery(GL_SAMPLES_PASSED, query);
    draw_scene(static_cast<float>(read[1]) / 255);
    if (counts) {
        GLuint samples = 0;
        glEndQuery(GL_SAMPLES_PASSED);
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
        known = static_cast<int>((static_cast<GLuint>(known) + samples) % 256);
    }
    GLuint second = scene.depths, first = scene.colours;
    if (way == "bloom" || way == "reader" || way == "meter") {
        half.bind();
        run_pass(bright, half.columns, half.rows, scene.colours, 0);
        other.bind();
        run_pass(across, half.columns, half.rows, half.colours, 0);
        half.bind();
        run_pass(along, half.columns, half.rows, other.colours, 0);
        if (way == "meter" && frame >= 14) {
            known += read_much(220, half.rows);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, scene.framebuffer);
            glBindFramebuffer(GL_DRAW_FRAMEBUFFER, kept[0].framebuffer);
            glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, kept[0].framebuffer);
            known = (known + read_much(440, height)) % 256;
        }
        second = half.colours;
    } else if (way == "history") {
        kept[frame % 2].bind();
        run_pass(trail, width, height, scene.colours, kept[(frame + 1) % 2].colours);
        second = first = kept[frame % 2].colours;
    } else if (way == "average") {
        glBindTexture(GL_TEXTURE_2D, scene.colours);
        glGenerateMipmap(GL_TEXTURE_2D);
    } else {
        kept[0].bind(); // what an engine does with it before the window
        run_pass(copy, width, height, scene.colours, 0);
        first = kept[0].colours;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width, height);
    run_pass(way == "later" && frame < 30 ? copy : last, width, height, first, second);
    glutSwapBuffers();
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInitWindowSize(width, height);
    glutInit(&argc, argv);
    way = argc > 1 ? argv[1] : "";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_DEPTH);
    glutCreateWindow("passes");
    glutDisplayFunc(display);
    glutMainLoop();
}
