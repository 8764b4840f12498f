// Translated shaders before a real compiler: they compile, their messages name the same lines, and they see the whole
// window's coordinates.
#include "gl/shader/glsl.h"
#include "gl_context.h"

#include <regex>
#include <string>
#include <vector>

using namespace mpiglut::gl;

namespace {

class GlslCompile : public GlContext {
  protected:
    /// The compiler's messages; empty when it is content.
    static std::string compile(GLenum kind, const std::string &source, GLuint *result = nullptr) {
        const GLuint shader = glCreateShader(kind);
        const char *text = source.c_str();
        glShaderSource(shader, 1, &text, nullptr);
        glCompileShader(shader);
        GLint good = 0;
        glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
        char log[2000] = "";
        glGetShaderInfoLog(shader, sizeof log, nullptr, log);
        if (result)
            *result = shader;
        else
            glDeleteShader(shader);
        return good ? "" : std::string("failed: ") + log;
    }

    static std::string translated(const std::string &source, int locations = 0) {
        const auto result = translate_fragment({source}, locations);
        EXPECT_TRUE(result) << source;
        return result ? result->front() : "";
    }

    /// The line of the first message, which looks like 0:12(3).
    static int error_line(const std::string &source) {
        const std::string log = compile(GL_FRAGMENT_SHADER, source);
        std::smatch match;
        return std::regex_search(log, match, std::regex("[0-9]+:([0-9]+)\\(")) ? std::stoi(match[1]) : -1;
    }

    static GLuint link(const std::string &vertex, const std::string &fragment) {
        GLuint vs = 0, fs = 0;
        EXPECT_EQ(compile(GL_VERTEX_SHADER, vertex, &vs), "");
        EXPECT_EQ(compile(GL_FRAGMENT_SHADER, fragment, &fs), "");
        const GLuint program = glCreateProgram();
        glAttachShader(program, vs);
        glAttachShader(program, fs);
        glLinkProgram(program);
        GLint good = 0;
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        EXPECT_TRUE(good);
        glDeleteShader(vs);
        glDeleteShader(fs);
        return program;
    }

    static std::vector<float> pixel(int x, int y) {
        std::vector<float> rgba(4);
        glReadPixels(x, y, 1, 1, GL_RGBA, GL_FLOAT, rgba.data());
        return rgba;
    }
};

const char *const plain_vertex = "#version 120\nvoid main() { gl_Position = gl_Vertex; }\n";

const char *const conditional = "#ifdef GL_ES\n#ifdef GL_FRAGMENT_PRECISION_HIGH\nprecision highp float;\n#else\n"
                                "precision mediump float;\n#endif\n#endif\n";

const char *const with_extension =
    "#ifdef GL_OES_standard_derivatives\n#extension GL_OES_standard_derivatives : enable\n"
    "float early;\n#elif 1\n#extension GL_ARB_draw_buffers : enable\nfloat other;\n#endif\n";

} // namespace

TEST_F(GlslCompile, EveryVersion) {
    int compiled = 0; // what this driver does not compile as it is proves nothing
    for (const char *version :
         {"", "#version 110\n", "#version 120\n", "#version 130\n", "#version 140\n", "#version 100\n"})
        for (const char *head : {"", conditional, with_extension, "// comment\n/* and\nanother */\n"}) {
            const std::string source = std::string(version) + head +
                                       "#define HERE gl_FragCoord.xy\n"
                                       "void main() { gl_FragColor = vec4(HERE, gl_FragCoord.z, 1); }\n";
            if (compile(GL_FRAGMENT_SHADER, source).empty()) {
                ++compiled;
                for (const int locations : {0, 1024})
                    EXPECT_EQ(compile(GL_FRAGMENT_SHADER, translated(source, locations)), "") << translated(source);
            }
        }
    for (const char *version : {"150", "330", "400 core", "430 compatibility", "450 core", "300 es", "310 es"})
        for (const char *head : {"", conditional, "layout(location = 3) uniform float near;\n"}) {
            const std::string source = "#version " + std::string(version) +
                                       "\n#extension GL_ARB_explicit_uniform_location : enable\n" + head +
                                       "precision mediump float;\nout vec4 c;\nvoid main() { c = gl_FragCoord; }\n";
            if (compile(GL_FRAGMENT_SHADER, source).empty()) {
                ++compiled;
                for (const int locations : {0, 1024})
                    EXPECT_EQ(compile(GL_FRAGMENT_SHADER, translated(source, locations)), "") << translated(source);
            }
        }
    EXPECT_EQ(
        compile(GL_FRAGMENT_SHADER, translated("#version 150\nlayout(origin_upper_left, pixel_center_integer) in vec4 "
                                               "gl_FragCoord;\nout vec4 c;\nvoid main() { c = gl_FragCoord; }\n")),
        "");
    EXPECT_GE(compiled, 20);
}

TEST_F(GlslCompile, MessagesNameTheSameLines) {
    const std::string body = "\nvoid main() {\n  gl_FragColor = gl_FragCoord;\n  broken;\n}\n";
    for (const char *head : {"", "#version 120\n", "#version 130\n", "#version 330 compatibility\n",
                             "#version 120\n#line 70\n", "#version 330 compatibility\n#line 70\n"})
        for (const char *middle :
             {"", conditional, with_extension,
              "#if 1\n#extension GL_ARB_draw_buffers : enable\nfloat a;\nfloat b;\n#endif\n",
              "#define H gl_Frag\\\nCoord\n", "#define gl_FragCoord vec4(1)\n#undef gl_FragCoord\n"}) {
            const std::string source = std::string(head) + middle + body;
            const int line = error_line(source);
            ASSERT_GT(line, 0) << source;
            for (const int locations : {0, 1024})
                EXPECT_EQ(error_line(translated(source, locations)), line) << translated(source, locations);
        }
}

TEST_F(GlslCompile, SeveralObjectsShareTheUniform) {
    GLuint vs = 0, main_part = 0, helper = 0;
    ASSERT_EQ(compile(GL_VERTEX_SHADER, plain_vertex, &vs), "");
    ASSERT_EQ(compile(GL_FRAGMENT_SHADER,
                      translated("vec4 shade(); void main() { gl_FragColor = shade() + gl_FragCoord; }"), &main_part),
              "");
    ASSERT_EQ(compile(GL_FRAGMENT_SHADER, translated("vec4 shade() { return gl_FragCoord; }"), &helper), "");
    const GLuint program = glCreateProgram();
    for (const GLuint shader : {vs, main_part, helper})
        glAttachShader(program, shader);
    glLinkProgram(program);
    GLint good = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    EXPECT_TRUE(good);
}

TEST_F(GlslCompile, FragmentsSeeTheWholeWindow) {
    const GLuint program = link(
        plain_vertex, translated("void main() { gl_FragColor = vec4(gl_FragCoord.xy / 1000.0, gl_FragCoord.zw); }"));
    glUseProgram(program);
    glUniform4f(glGetUniformLocation(program, lower_origin), 100, 200, 0, 0);
    glRectf(-1, -1, 1, 1);
    const std::vector<float> rgba = pixel(10, 20);
    EXPECT_NEAR(rgba[0], 0.1105, 0.003);
    EXPECT_NEAR(rgba[1], 0.2205, 0.003);
    EXPECT_NEAR(rgba[2], 0.5, 0.003);
    EXPECT_NEAR(rgba[3], 1.0, 0.003);
}

TEST_F(GlslCompile, FragmentsSeeItThroughMacros) {
    const std::string cat = "#define CAT(a, b) a##b\n#define CAT2(a, b) CAT(a, b)\n", upper = "in vec4 gl_FragCoord;\n";
    struct Case {
        std::string head, here;
        float y = 0.2205f;
        std::string top = "#version 330 compatibility\n";
    };
    const std::string flip = "#ifdef FLIP\nlayout(origin_upper_left) in vec4 gl_FragCoord;\n#endif\n";
    for (const Case &one : std::vector<Case>{
             {cat, "CAT(gl_Frag, Coord)"},
             {cat + "#define FRAG gl_Frag\n", "CAT2(FRAG, Coord)"},
             {"#define HERE gl_ ## FragCoord\n", "HERE", 0.2205f, "#version 130\n"},
             {"#define HERE gl_Frag\\\nCoord\n", "HERE", 0.2205f, ""},
             {"", "gl_\\\nFragCoord", 0.2205f, "#version 120\n"},
             {"vec4 f() { return gl_FragCoord; }\n#define gl_FragCoord (f() + vec4(50, 0, 0, 0))\n",
              "(gl_FragCoord - vec4(50, 0, 0, 0))"},
             {"#define gl_FragCoord vec4(0)\n#undef gl_FragCoord\n", "gl_FragCoord"},
             {"#if 0\n#define gl_FragCoord vec4(0)\n#endif\n", "gl_FragCoord"},
             {"#define FLIP\n" + flip, "gl_FragCoord", (height - 20.5f + 300) / 1000},
             {flip, "gl_FragCoord"},
             {cat + "layout(origin_upper_left) " + upper, "CAT(gl_Frag, Coord)", (height - 20.5f + 300) / 1000}})
        for (const int locations : {0, 1024}) {
            const std::string source =
                one.top + one.head + "void main() { gl_FragColor = vec4(" + one.here + ".xy / 1000.0, 0, 1); }\n";
            SCOPED_TRACE(translated(source, locations));
            const GLuint program = link(plain_vertex, translated(source, locations));
            glUseProgram(program);
            glUniform4f(glGetUniformLocation(program, lower_origin), 100, 200, 0, 0);
            glUniform4f(glGetUniformLocation(program, upper_origin), 100, 300, 0, 0);
            glRectf(-1, -1, 1, 1);
            EXPECT_NEAR(pixel(10, 20)[0], 0.1105, 0.003);
            EXPECT_NEAR(pixel(10, 20)[1], one.y, 0.003);
        }
}

TEST_F(GlslCompile, PositionsPassThroughTheCrop) {
    const auto vertex = translate_position({"#version 120\nvoid main()\n{ gl_Position = gl_Vertex; }"}, Stage::vertex);
    ASSERT_TRUE(vertex);
    const GLuint program = link(vertex->front(), "void main() { gl_FragColor = vec4(1); }");
    glUseProgram(program);
    glRectf(-1, -1, 1, 1); // as it is, while the uniform has not been set
    EXPECT_EQ(pixel(0, 0)[0], 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUniform4f(glGetUniformLocation(program, crop_uniform(Stage::vertex)), -0.5, -0.5, 0.5, 0.5);
    glRectf(-1, -1, 1, 1); // half as large, moved to the upper right quarter
    EXPECT_EQ(pixel(width / 2 - 1, height - 1)[0], 0);
    EXPECT_EQ(pixel(width - 1, height / 2 - 1)[0], 0);
    EXPECT_EQ(pixel(width / 2, height / 2)[0], 1);
    EXPECT_EQ(pixel(width - 1, height - 1)[0], 1);
}

TEST_F(GlslCompile, GeometryAndTessellationCompile) {
    const auto geometry =
        translate_position({"#version 150\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n"
                            "out gl_PerVertex { vec4 gl_Position; };\n"
                            "void main() { for (int i = 0; i < 3; ++i) { gl_Position = gl_in[i].gl_Position; "
                            "EmitVertex(); } EndPrimitive(); }\n"},
                           Stage::geometry);
    ASSERT_TRUE(geometry);
    EXPECT_EQ(compile(GL_GEOMETRY_SHADER, geometry->front()), "");
    const auto evaluation = translate_position(
        {"#version 400\nlayout(triangles) in;\nvoid main() { gl_Position = gl_in[0].gl_Position; }\n"},
        Stage::evaluation);
    ASSERT_TRUE(evaluation);
    EXPECT_EQ(compile(GL_TESS_EVALUATION_SHADER, evaluation->front()), "");
    const auto modern = translate_position(
        {"#version 450 core\nout gl_PerVertex { vec4 gl_Position; };\nin vec4 p;\nvoid main() { gl_Position = p; }"},
        Stage::vertex);
    ASSERT_TRUE(modern);
    EXPECT_EQ(compile(GL_VERTEX_SHADER, modern->front()), "");
}

TEST_F(GlslCompile, AssemblyProgramsSeeTheWholeWindow) {
    GLint parameters = 0;
    glGetProgramivARB(GL_FRAGMENT_PROGRAM_ARB, GL_MAX_PROGRAM_ENV_PARAMETERS_ARB, &parameters);
    ASSERT_GT(parameters, 0);
    const auto program = translate_assembly("!!ARBfp1.0\n# fragment.position\nATTRIB p = fragment.position;\n"
                                            "MUL result.color, p, 0.001;\nEND\n",
                                            parameters - 1);
    ASSERT_TRUE(program);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, static_cast<GLsizei>(program->size()),
                       program->data());
    ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << glGetString(GL_PROGRAM_ERROR_STRING_ARB);
    glProgramEnvParameter4fARB(GL_FRAGMENT_PROGRAM_ARB, parameters - 1, 100, 200, 0, 0);
    glRectf(-1, -1, 1, 1);
    EXPECT_NEAR(pixel(10, 20)[0], 0.1105, 0.003);
    EXPECT_NEAR(pixel(10, 20)[1], 0.2205, 0.003);
}
