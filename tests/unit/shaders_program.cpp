// Draws with gl_FragCoord and with positions that it computes, by every way there is to hand shaders over, and prints a
// hash of the picture after each, and what GL says of the shaders. On a wall, every rank has to print what one window
// does.
#define GL_GLEXT_PROTOTYPES
#include <GL/freeglut.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

constexpr int width = 803, height = 151; // wide: the projection fallback leaves a broad margin around a tile

/// Colours of single pixels, different wherever the window's coordinates are.
const std::string pattern = "vec4 pattern(vec4 p) { vec2 c = floor(p.xy); return vec4(fract(c / 17.0 + 0.013), "
                            "mod(c.x + c.y, 2.0), 1.0); }\n";
const std::string fragment_120 =
    "#version 120\n#define HERE gl_FragCoord\n" + pattern + "void main() { gl_FragColor = pattern(HERE); }\n";
const std::string vertex_120 = "#version 120\nvoid main() { gl_Position = gl_Vertex; }\n";

void picture(const char *what, int w = width, int h = height) {
    std::vector<unsigned char> pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 4);
    glReadPixels(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const unsigned char byte : pixels)
        hash = (hash ^ byte) * 0x100000001b3ull;
    std::printf("%-32s %016llx error %x\n", what, static_cast<unsigned long long>(hash), glGetError());
}

GLuint shader(GLenum kind, std::initializer_list<const char *> strings) {
    const GLuint id = glCreateShader(kind);
    glShaderSource(id, static_cast<GLsizei>(strings.size()), strings.begin(), nullptr);
    glCompileShader(id);
    GLint good = 0;
    glGetShaderiv(id, GL_COMPILE_STATUS, &good);
    if (!good) {
        char log[1000] = "";
        glGetShaderInfoLog(id, sizeof log, nullptr, log);
        std::printf("does not compile: %s\n", log);
    }
    return id;
}

GLuint program(std::initializer_list<GLuint> shaders) {
    const GLuint id = glCreateProgram();
    for (const GLuint one : shaders)
        glAttachShader(id, one);
    glLinkProgram(id);
    GLint good = 0;
    glGetProgramiv(id, GL_LINK_STATUS, &good);
    if (!good)
        std::printf("does not link\n");
    return id;
}

void draw(const char *what, GLuint id) {
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(id);
    glRectf(-1, -1, 1, 1);
    glUseProgram(0);
    picture(what);
}

void uniforms_of(GLuint id) {
    GLint count = 0;
    glGetProgramiv(id, GL_ACTIVE_UNIFORMS, &count);
    std::printf("%d uniforms\n", count);
    for (GLint i = 0; i < count; ++i) {
        char name[100] = "", again[100] = "";
        GLint size = 0, type_again = 0;
        GLenum type = 0;
        glGetActiveUniform(id, static_cast<GLuint>(i), sizeof name, nullptr, &size, &type, name);
        glGetActiveUniformName(id, static_cast<GLuint>(i), sizeof again, nullptr, again);
        const GLuint index = static_cast<GLuint>(i);
        glGetActiveUniformsiv(id, 1, &index, GL_UNIFORM_TYPE, &type_again);
        const GLchar *const names[] = {name};
        GLuint found = 0;
        glGetUniformIndices(id, 1, names, &found);
        std::printf("uniform %s %s %x %x at %u and %u\n", name, again, type, static_cast<GLenum>(type_again), found,
                    glGetProgramResourceIndex(id, GL_UNIFORM, name));
    }
    GLint resources = 0;
    glGetProgramInterfaceiv(id, GL_UNIFORM, GL_ACTIVE_RESOURCES, &resources);
    std::printf("%d resources, error %x\n", resources, glGetError());
}

void longest_names_of(GLuint id) {
    GLint longest = 0, of_resources = 0;
    glGetProgramiv(id, GL_ACTIVE_UNIFORM_MAX_LENGTH, &longest);
    glGetProgramInterfaceiv(id, GL_UNIFORM, GL_MAX_NAME_LENGTH, &of_resources);
    std::printf("longest names %d and %d\n", longest, of_resources);
}

/// A program that sets its only uniform without asking where it is.
void location_0(GLuint vs) {
    for (const char *version : {"#version 120\n", "#if 1\n#extension GL_ARB_gpu_shader5 : enable\n#endif\n",
                                "#version 330 compatibility\n", "#version 430 compatibility\n"}) {
        const GLuint id = program({vs, shader(GL_FRAGMENT_SHADER, {version, pattern.c_str(), "uniform float t;\n",
                                                                   "void main() { gl_FragColor = pattern(gl_FragCoord) "
                                                                   "* t; }\n"})});
        glUseProgram(id);
        glUniform1f(0, 0.5f);
        std::printf("t at %d, ", glGetUniformLocation(id, "t"));
        longest_names_of(id);
        draw("with location 0", id);
    }
}

/// A program with the maximum number of uniforms: it links. (Mesa itself draws the last ones wrongly, in one window,
/// too.)
void all_uniforms(GLuint vs) {
    GLint components = 0;
    glGetIntegerv(GL_MAX_FRAGMENT_UNIFORM_COMPONENTS, &components);
    const std::string array = "uniform vec4 all[" + std::to_string(components / 4) + "];\n";
    program({vs, shader(GL_FRAGMENT_SHADER, {"#version 120\n", array.c_str(),
                                             "void main() { gl_FragColor = all[int(gl_FragCoord.x)]; }\n"})});
    std::printf("with all uniforms, error %x\n", glGetError());
}

/// What a program gets of itself as a binary, it may load again.
void binary(GLuint vs) {
    const GLuint id = program({vs, shader(GL_FRAGMENT_SHADER, {fragment_120.c_str()})});
    GLint size = 0, good = 0;
    glGetProgramiv(id, GL_PROGRAM_BINARY_LENGTH, &size);
    std::vector<char> bytes(static_cast<std::size_t>(size));
    GLsizei length = 0;
    GLenum format = 0;
    glGetProgramBinary(id, size - 1, nullptr, &format, bytes.data());
    std::printf("too little room: error %x\n", glGetError());
    glGetProgramBinary(id, size, &length, &format, bytes.data());
    const GLuint again = glCreateProgram();
    glProgramBinary(again, format, bytes.data(), length);
    glGetProgramiv(again, GL_LINK_STATUS, &good);
    std::printf("a binary of all the bytes: %d, good: %d\n", length == size, good);
    draw("from a binary", again);
}

/// A binary that an earlier run left in a file; where it is not taken, this run leaves one in another file.
void kept_binary(const char *file, const char *next) {
    std::vector<char> bytes(1 << 20);
    GLsizei length = 0;
    GLenum format = 0;
    GLint good = 0;
    const GLuint id = glCreateProgram();
    if (std::FILE *in = std::fopen(file, "rb")) {
        if (std::fread(&format, sizeof format, 1, in) == 1)
            length = static_cast<GLsizei>(std::fread(bytes.data(), 1, bytes.size(), in));
        std::fclose(in);
        glProgramBinary(id, format, bytes.data(), length);
        glGetProgramiv(id, GL_LINK_STATUS, &good);
        std::printf("%s\n", good ? "taken" : "refused");
    }
    if (!good) {
        glAttachShader(id, shader(GL_VERTEX_SHADER, {vertex_120.c_str()}));
        glAttachShader(id, shader(GL_FRAGMENT_SHADER, {fragment_120.c_str()}));
        glLinkProgram(id);
        glGetProgramBinary(id, static_cast<GLsizei>(bytes.size()), &length, &format, bytes.data());
        if (std::FILE *out = std::fopen(next, "wb")) {
            std::fwrite(&format, sizeof format, 1, out);
            std::fwrite(bytes.data(), 1, static_cast<std::size_t>(length), out);
            std::fclose(out);
        }
    }
    draw("the picture", id);
}

const char *binary_file = nullptr, *next_binary_file = nullptr;

void source_of(GLuint id, const std::string &given) {
    GLint length = 0;
    glGetShaderiv(id, GL_SHADER_SOURCE_LENGTH, &length);
    std::vector<char> text(static_cast<std::size_t>(length) + 10, 'x');
    GLsizei got = 0;
    glGetShaderSource(id, static_cast<GLsizei>(text.size()), &got, text.data());
    std::printf("source of %d, %d given back, the same: %d\n", length, got, given == text.data());
    glGetShaderSource(id, 12, &got, text.data());
    std::printf("the beginning, %d: %s\n", got,
                std::strncmp(text.data(), given.c_str(), 11) == 0 && text[11] == '\0' ? "good" : "bad");
}

void fragments() {
    const GLuint vs = shader(GL_VERTEX_SHADER, {vertex_120.c_str()});
    const GLuint fs = shader(GL_FRAGMENT_SHADER, {fragment_120.c_str()});
    source_of(fs, fragment_120);
    const GLuint plain = program({vs, fs});
    draw("120", plain);
    glUseProgram(plain);
    glLinkProgram(plain); // while it is current
    glRectf(-1, -1, 1, 1);
    glUseProgram(0);
    picture("linked while current");

    const GLuint upper =
        program({vs, shader(GL_FRAGMENT_SHADER,
                            {"#version 150 compatibility\n",
                             "layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;\n", pattern.c_str(),
                             "out vec4 c;\n"
                             "void main() { c = pattern(gl_FragCoord); }\n"})});
    draw("from the upper left", upper);

    const std::string pasted = "#version 130\n#define CAT(a, b) a##b\n" + pattern +
                               "void main() { gl_FragColor = pattern(CAT(gl_, FragCoord)) + 0.1 * fract(gl_Frag\\\n"
                               "Coord / 10.0); }\n";
    const GLuint joined = shader(GL_FRAGMENT_SHADER, {pasted.c_str()});
    source_of(joined, pasted);
    draw("from pieces of words", program({vs, joined}));

    const GLuint helper =
        shader(GL_FRAGMENT_SHADER, {(pattern + "vec4 shade() { return pattern(gl_FragCoord); }\n").c_str()});
    draw("two objects",
         program(
             {vs, helper,
              shader(GL_FRAGMENT_SHADER,
                     {"vec4 shade();\nvoid main() { gl_FragColor = gl_FragCoord.x > 80.0 ? shade() : vec4(1); }\n"})}));

    const GLuint many = program(
        {vs, shader(GL_FRAGMENT_SHADER, {"uniform vec4 first;\n", pattern.c_str(),
                                         "uniform float other[3];\n"
                                         "uniform sampler2D last;\nvoid main() { gl_FragColor = pattern(gl_FragCoord) "
                                         "* first * other[2] + texture2D(last, vec2(0)); }\n"})});
    uniforms_of(many);
    uniforms_of(upper);
    longest_names_of(many);
    longest_names_of(upper);
    location_0(vs);
    all_uniforms(vs);
    binary(vs);

    const GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glUseProgram(plain);
    glRectf(-0.5, -0.5, 1, 1);
    glUseProgram(0);
    glEndList();
    glClear(GL_COLOR_BUFFER_BIT);
    glCallList(list);
    picture("in a list");

    const GLhandleARB object = glCreateShaderObjectARB(GL_FRAGMENT_SHADER_ARB);
    const char *text = fragment_120.c_str();
    glShaderSourceARB(object, 1, &text, nullptr);
    glCompileShaderARB(object);
    const GLhandleARB linked = glCreateProgramObjectARB();
    glAttachObjectARB(linked, object);
    glLinkProgramARB(linked);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgramObjectARB(linked);
    glRectf(-1, -1, 1, 0.5);
    glUseProgramObjectARB(0);
    picture("by ARB_shader_objects");

    // The same program in the window, in an object with its own coordinates, and back.
    GLuint framebuffer = 0, texture = 0;
    glGenFramebuffers(1, &framebuffer);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glUseProgram(plain);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, 64, 64);
    glRectf(-1, -1, 1, 1);
    picture("in a framebuffer object", 64, 64);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width, height);
    glRectf(-1, -1, 1, 1);
    picture("back in the window");
    glUseProgram(0);
    glBindTexture(GL_TEXTURE_2D, 0);
}

void pipelines() {
    const char *vertex[] = {"#version 410 compatibility\nout gl_PerVertex { vec4 gl_Position; };\nvoid main() { "
                            "gl_Position = gl_Vertex; }\n"};
    const char *fragment[] = {"#version 410 compatibility\n", pattern.c_str(),
                              "out vec4 c;\nvoid main() { c = pattern(gl_FragCoord); }\n"};
    const GLuint vs = glCreateShaderProgramv(GL_VERTEX_SHADER, 1, vertex);
    const GLuint fs = glCreateShaderProgramv(GL_FRAGMENT_SHADER, 3, fragment);
    GLuint pipeline = 0;
    glGenProgramPipelines(1, &pipeline);
    glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, vs);
    glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, fs);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindProgramPipeline(pipeline);
    glRectf(-1, -1, 1, 1);
    picture("by a pipeline");
    glBindProgramPipeline(0);
    glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, 0);
    glBindProgramPipeline(pipeline);
    glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, fs);
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-1, -1, 1, 1);
    picture("by a pipeline in use");
    glBindProgramPipeline(0);
}

void assembly() {
    for (const char *option : {"", "OPTION ARB_fragment_coord_origin_upper_left;\n"}) {
        const std::string text =
            std::string("!!ARBfp1.0\n") + option +
            "TEMP r;\nATTRIB p = fragment.position;\n"
            "MUL r, p, {0.004, 0.005, 0, 0};\nFRC r.z, fragment.position.x;\nMOV r.w, 1;\nMOV result.color, r;\nEND\n";
        glEnable(GL_FRAGMENT_PROGRAM_ARB);
        glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, static_cast<GLsizei>(text.size()),
                           text.c_str());
        glClear(GL_COLOR_BUFFER_BIT);
        glRectf(-1, -1, 1, 1);
        glDisable(GL_FRAGMENT_PROGRAM_ARB);
        picture(*option ? "assembly from the upper left" : "assembly");
    }
}

/// A geometry shader takes triangles and nothing else.
void rectangle(int x0, int y0, int x1, int y1) {
    const int corners[6][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y0}, {x1, y1}, {x0, y1}};
    glBegin(GL_TRIANGLES);
    for (const auto &corner : corners)
        glVertex2iv(corner);
    glEnd();
}

/// Rectangles with edges between pixels, so that they come out the same however positions are worked out.
void positions() {
    const std::string own = "#version 120\nuniform vec4 scale;\nvoid main() { gl_Position = vec4(gl_Vertex.xy * "
                            "scale.xy + scale.zw, 0.0, 1.0); }\n";
    const std::string fixed = "#version 120\nvoid main() { gl_Position = ftransform(); }\n";
    const std::string white = "#version 120\nvoid main() { gl_FragColor = vec4(1.0, 0.5, 0.25, 1.0); }\n";
    const GLuint fs = shader(GL_FRAGMENT_SHADER, {white.c_str()});
    const GLuint by_itself = program({shader(GL_VERTEX_SHADER, {own.c_str()}), fs});
    const GLuint by_matrix = program({shader(GL_VERTEX_SHADER, {fixed.c_str()}), fs});
    const GLuint by_geometry = program(
        {shader(GL_VERTEX_SHADER, {"#version 150 compatibility\nvoid main() { gl_Position = gl_Vertex; }\n"}), fs,
         shader(GL_GEOMETRY_SHADER,
                {"#version 150 compatibility\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n"
                 "uniform vec4 scale;\nvoid main() { for (int i = 0; i < 3; ++i) { gl_Position = "
                 "vec4(gl_in[i].gl_Position.xy * scale.xy + scale.zw, "
                 "0.0, 1.0); EmitVertex(); } EndPrimitive(); }\n"})});
    glClear(GL_COLOR_BUFFER_BIT);
    for (const GLuint id : {by_itself, by_geometry}) {
        glUseProgram(id);
        glUniform4f(glGetUniformLocation(id, "scale"), 2.0f / width, 2.0f / height, -1, -1);
        const int shift = id == by_itself ? 0 : 7;
        rectangle(3 + shift, 4, 150 + shift, 60 + shift);
        rectangle(95 + shift, 70, 700, 120 + shift);
        picture(shift ? "positions in a geometry shader" : "positions in a vertex shader");
    }
    glUseProgram(by_matrix);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, width, 0, height, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glRecti(20, 65, 180, 72);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glUseProgram(0);
    picture("positions by ftransform");
}

void display() {
    glViewport(0, 0, width, height);
    if (next_binary_file) {
        kept_binary(binary_file, next_binary_file);
    } else if (binary_file) { // "doubt"
        shader(GL_FRAGMENT_SHADER, {"#ifndef gl_FragCoord\n#define gl_FragCoord vec4(1)\n#endif\n",
                                    "void main() { gl_FragColor = gl_FragCoord; }\n"});
    } else {
        fragments();
        pipelines();
        assembly();
        positions();
    }
    glutSwapBuffers();
    std::fflush(stdout);
    glutLeaveMainLoop();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    binary_file = argc > 1 ? argv[1] : nullptr;
    next_binary_file = argc > 2 ? argv[2] : nullptr;
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(width, height);
    glutCreateWindow("shaders");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
