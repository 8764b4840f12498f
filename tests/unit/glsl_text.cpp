// Translation of shader text, without a compiler at hand: what changes, what stays, and on which line.
#include "gl/shader/glsl.h"
#include "gl/shader/glsl_scan.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace mpiglut::gl;

namespace {

/// The marks around what was put in are of no interest to most tests.
std::string without_marks(std::string text) {
    for (const std::string mark : {"/*mpiglut:*/", "/*:mpiglut*/"})
        for (auto at = text.find(mark); at != text.npos; at = text.find(mark))
            text.erase(at, mark.size());
    return text;
}

std::string fragment(const std::string &source) {
    const auto result = translate_fragment({source});
    if (!result)
        return "unchanged";
    EXPECT_EQ(untranslated(result->at(0)), source);
    return without_marks(result->at(0));
}

int count(const std::string &text, const std::string &part) {
    int times = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
        ++times;
    return times;
}

long lines(const std::string &text) { return std::count(text.begin(), text.end(), '\n'); }

const std::string use = "(gl_FragCoord+mpiglut_FragOrigin)";
const std::string declaration = "uniform vec4 mpiglut_FragOrigin;";

} // namespace

TEST(GlslText, ReplacesWholeTokensOnly) {
    const std::string out = fragment("#version 120\nvoid main() { vec2 my_gl_FragCoord = gl_FragCoord.xy; }\n");
    EXPECT_EQ(out, "#version 120\n" + declaration + " void main() { vec2 my_gl_FragCoord = " + use + ".xy; }\n");
}

/// Where the compiler alone knows what a use is, gl_FragCoord is a macro.
TEST(GlslText, MakesAMacroWhereWordsArePutTogether) {
    const std::string macro = declaration + "\n#define gl_FragCoord " + use + "\n";
    EXPECT_EQ(fragment("#define HERE gl_Frag ## Coord\nvoid main() { HERE; }\n"),
              "#define HERE gl_Frag ## Coord\n\n" + macro + "\n#line 1\nvoid main() { HERE; }\n");
    EXPECT_NE(fragment("#define CAT(a, b) a##b\nvoid main() { CAT(gl_, FragCoord); }").find(macro), std::string::npos);
    EXPECT_NE(fragment("void main() { gl_FragCo\\\nord; }").find(macro), std::string::npos);
    EXPECT_NE(fragment("#define HERE gl_\\\r\nFragCoord\nvoid main() { HERE; }").find(macro), std::string::npos);
    // Words that are put together to others, and a line that ends between words, change nothing.
    EXPECT_FALSE(translate_fragment({"#define CAT(a, b) a##b\nvoid main() { CAT(x, y); }"}));
    EXPECT_EQ(count(fragment("#define TWICE(a) a + \\\na\nvoid main() { TWICE(gl_FragCoord); }"), "#define"), 1);
}

TEST(GlslText, GivesWayToAMacroOfTheProgram) {
    const std::string out =
        fragment("#version 330\n#define gl_FragCoord (2.0*gl_FragCoord)\nvoid main() { gl_FragCoord; }\n"
                 "#undef gl_FragCoord\nvoid g() { gl_FragCoord; }\n");
    EXPECT_NE(out.find("#undef gl_FragCoord\n#line 2\n#define gl_FragCoord (2.0*" + use + ")\n"), std::string::npos);
    EXPECT_NE(out.find("#undef gl_FragCoord\n#define gl_FragCoord " + use + "\n#line 5\nvoid g() { gl_FragCoord; }"),
              std::string::npos);
}

TEST(GlslText, ADeclarationInABranchHoldsInThatBranch) {
    const std::string out = fragment("#version 330\n#ifdef FLIP\nlayout(origin_upper_left) in vec4 "
                                     "gl_FragCoord;\n#endif\nvoid main() { gl_FragCoord; }\n");
    EXPECT_NE(out.find("#undef gl_FragCoord\n#line 3\nlayout(origin_upper_left) in vec4 gl_FragCoord;\n"
                       "#define gl_FragCoord (gl_FragCoord+mpiglut_FragOriginUpper)\n#line 3\n\n#endif"),
              std::string::npos);
    EXPECT_EQ(count(out, declaration + " uniform vec4 mpiglut_FragOriginUpper;"), 1);
}

TEST(GlslText, SaysWhatTheTextDoesNotTell) {
    const auto doubt = [](const std::string &source) {
        std::string why;
        translate_fragment({source}, 0, &why);
        return why;
    };
    const std::string above = "layout(origin_upper_left)", main = "void main() { gl_FragCoord; }";
    EXPECT_NE(doubt("#ifndef gl_FragCoord\n#define gl_FragCoord p\n#endif\n" + main), "");
    EXPECT_NE(doubt("#define D in vec4 gl_FragCoord\n#define H gl_Frag##Coord\nD;\n" + main), "");
    EXPECT_NE(doubt("#ifdef FLIP\n#define O " + above + "\n#else\n#define O\n#endif\nO in vec4 gl_FragCoord;" + main),
              "");
    EXPECT_NE(doubt("#ifdef FLIP\n" + above + "\n#endif\nin vec4 gl_FragCoord;" + main), "");
    EXPECT_EQ(doubt("#ifdef FLIP\n" + above + " in vec4 gl_FragCoord;\n#endif\n" + main), "");
    EXPECT_EQ(doubt("#define O " + above + "\nO in vec4 gl_FragCoord;" + main), "");
    EXPECT_EQ(doubt("#define H gl_Frag##Coord\n" + main), "");
    std::string why;
    translate_position({"#define P gl_Projection##Matrix\nvoid main() { gl_Position = P * v; }"}, Stage::vertex, 0,
                       &why);
    EXPECT_NE(why, "");
}

TEST(GlslText, LeavesShadersAloneThatDoNotUseIt) {
    EXPECT_FALSE(translate_fragment({"void main() { gl_FragColor = vec4(1); }"}));
    EXPECT_FALSE(translate_fragment({"// gl_FragCoord\n/* gl_FragCoord\n gl_FragCoord */ void main() {}"}));
    EXPECT_FALSE(translate_fragment({"#ifdef gl_FragCoord\n#endif\nvoid main() {}"}));
    EXPECT_FALSE(translate_fragment({"in vec4 gl_FragCoord; void main() {}"}));
    EXPECT_FALSE(translate_fragment({""}));
    EXPECT_FALSE(translate_fragment({}));
}

TEST(GlslText, WithoutVersionTheContextSaysWhichLanguageItIs) {
    const auto es = translate_fragment({"precision mediump float;\nvoid main() { gl_FragColor = gl_FragCoord; }"}, 1024,
                                       nullptr, true);
    ASSERT_TRUE(es);
    EXPECT_NE(es->at(0).find("uniform highp vec4 mpiglut_FragOrigin;"), std::string::npos);
    EXPECT_EQ(es->at(0).find("#extension"), std::string::npos);
    EXPECT_EQ(es->at(0).find("layout"), std::string::npos);
}

TEST(GlslText, ReplacesInMacroBodies) {
    const std::string out = fragment("#define POS gl_FragCoord.xy /* gl_FragCoord */\nvoid main() { POS; }\n");
    EXPECT_EQ(out, "#define POS " + use + ".xy /* gl_FragCoord */\n" + declaration + " void main() { POS; }\n");
}

TEST(GlslText, MacroBodiesGoOnOverSplitLines) {
    const std::string out = fragment("#define POS(a) \\\n  gl_FragCoord\nvoid main() {}\n");
    EXPECT_EQ(count(out, use), 1);
    EXPECT_EQ(lines(out), 3);
}

TEST(GlslText, RedeclarationsStayAndTellTheOrigin) {
    const auto upper = translate_fragment({"#version 150\nlayout(origin_upper_left, pixel_center_integer) in vec4 "
                                           "gl_FragCoord;\nout vec4 c;\nvoid main() { c = gl_FragCoord; }"});
    ASSERT_TRUE(upper);
    EXPECT_NE(upper->at(0).find("in vec4 gl_FragCoord;"), std::string::npos);
    EXPECT_NE(upper->at(0).find("c = (gl_FragCoord+mpiglut_FragOriginUpper)"), std::string::npos);
    EXPECT_NE(upper->at(0).find("uniform vec4 mpiglut_FragOriginUpper;"), std::string::npos);
}

TEST(GlslText, DeclaresBehindExtensions) {
    const std::string out = fragment(
        "#version 130\n#extension GL_ARB_foo : enable // why\n\nout vec4 c; void main() { c = gl_FragCoord; }\n");
    EXPECT_GT(out.find(declaration), out.find("#extension"));
    EXPECT_LT(out.find(declaration), out.find("out vec4"));
    EXPECT_EQ(lines(out), 4);
}

TEST(GlslText, DeclaresBeforeAnIfThatHoldsTheFirstCode) {
    const std::string out = fragment(
        "#version 120\n#ifdef GL_ES\nprecision mediump float;\n#endif\nvoid main() { gl_FragColor = gl_FragCoord; }\n");
    // #line says the line before the next one up to version 3.20 ...
    EXPECT_EQ(out.find("#version 120\n" + declaration + "\n#line 1\n#ifdef GL_ES"), 0u);
    const std::string newer = fragment(
        "#version 330\n#ifdef GL_ES\nprecision mediump float;\n#endif\nout vec4 c;void main() { c = gl_FragCoord; }\n");
    // ... and the next one's own number after that.
    EXPECT_EQ(newer.find("#version 330\n" + declaration + "\n#line 2\n#ifdef GL_ES"), 0u);
}

TEST(GlslText, KeepsToTheProgramsOwnLineNumbers) {
    const std::string out =
        fragment("#version 330\n#line 100\n#ifdef A\nint a;\n#endif\nvoid main() { gl_FragCoord; }\n");
    EXPECT_NE(out.find("#line 100\n#ifdef A"), std::string::npos);
}

TEST(GlslText, DeclaresInEveryBranchWhenAnExtensionIsInOne) {
    const std::string source = "#ifdef GL_ES\n#extension GL_OES_standard_derivatives : enable\nprecision highp float;\n"
                               "#else\nconst int desktop = 1;\n#endif\nvoid main() { gl_FragColor = gl_FragCoord; }\n"
                               "#ifdef LATE\nint late;\n#endif\n";
    const std::string out = fragment(source);
    EXPECT_EQ(count(out, declaration), 3);
    EXPECT_EQ(count(out, "#ifndef mpiglut_declared"), 3);
    EXPECT_LT(out.find("#extension"), out.find(declaration));
    EXPECT_EQ(count(out.substr(out.find("LATE")), declaration), 0);
}

TEST(GlslText, PrecisionForEmbeddedVersions) {
    EXPECT_NE(fragment("#version 300 es\nprecision mediump float;\nout vec4 c;void main() { c = gl_FragCoord; }")
                  .find("uniform highp vec4 mpiglut_FragOrigin;"),
              std::string::npos);
    EXPECT_NE(fragment("#version 100\nvoid main() { gl_FragColor = gl_FragCoord; }").find("highp"), std::string::npos);
    EXPECT_EQ(fragment("#version 450 core\nout vec4 c;void main() { c = gl_FragCoord; }").find("highp"),
              std::string::npos);
}

TEST(GlslText, SeveralStringsStaySeveral) {
    const auto result =
        translate_fragment({"#version 120\n", "", "void main() { gl_Frag", "Color = gl_FragCoord; }", "\n"});
    ASSERT_TRUE(result);
    ASSERT_EQ(result->size(), 5u);
    EXPECT_EQ(result->at(0), "#version 120\n");
    EXPECT_EQ(without_marks(result->at(2)), declaration + " void main() { gl_Frag");
    EXPECT_EQ(result->at(3), "Color = " + use + "; }");
    EXPECT_EQ(result->at(4), "\n");
}

TEST(GlslText, ATokenAcrossStringsIsStillOne) {
    const auto result = translate_fragment({"void main() { gl_Frag", "Coord; }"});
    ASSERT_TRUE(result);
    EXPECT_EQ(without_marks(result->at(0) + result->at(1)), declaration + " void main() { " + use + "; }");
}

TEST(GlslText, LineEndsOfEveryKind) {
    const std::string out = fragment("#version 120\r\n// gl_FragCoord\r\nvoid main() { gl_FragCoord; }\r\n");
    EXPECT_EQ(count(out, use), 1);
    const auto tokens = scan("a\r\nb\nc\rd");
    ASSERT_EQ(tokens.size(), 4u);
    EXPECT_EQ(tokens[3].line, 4);
}

TEST(GlslText, SurvivesUnfinishedText) {
    for (const char *source : {"/*", "//", "#", "#define", "\\", "gl_FragCoord", "#version", "/* gl_FragCoord",
                               "#if\ngl_FragCoord", "#endif\n#endif\ngl_FragCoord", "#line\n#if\ngl_FragCoord"})
        for (auto stage : {Stage::vertex, Stage::geometry}) {
            translate_fragment({source});
            translate_position({source}, stage);
        }
    EXPECT_EQ(fragment("gl_FragCoord"), declaration + " " + use);
}

TEST(GlslText, PositionWrapsMain) {
    const std::string source = "#version 120\nint domain; void main(void) { gl_Position = gl_Vertex; }";
    const auto result = translate_position({source}, Stage::vertex);
    ASSERT_TRUE(result);
    const std::string out = without_marks(result->at(0));
    EXPECT_EQ(out.find("#version 120\nint domain; void mpiglut_main(void) { gl_Position = gl_Vertex; }\n"), 0u);
    EXPECT_EQ(untranslated(result->at(0)), source);
    EXPECT_EQ(count(out, "void main()"), 1);
    EXPECT_EQ(count(out, "uniform vec4 mpiglut_Crop;"), 1);
    EXPECT_FALSE(translate_position({"float helper() { return 1.0; }"}, Stage::vertex));
}

TEST(GlslText, ThePositionsOfTheFixedProjectionAreInPlaceAlready) {
    EXPECT_FALSE(translate_position({"void main() { gl_Position = ftransform(); }"}, Stage::vertex));
    EXPECT_FALSE(
        translate_position({"void main() { gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; }"}, Stage::vertex));
    EXPECT_FALSE(translate_position({"void main() { gl_Position = gl_ProjectionMatrix * v; }"}, Stage::vertex));
    EXPECT_TRUE(translate_position({"void main() { gl_Position = gl_ModelViewMatrix * gl_Vertex; } // ftransform"},
                                   Stage::vertex));
}

TEST(GlslText, GeometryWrapsEmitVertex) {
    const auto result = translate_position(
        {"#version 150\nvoid main() { gl_Position = vec4(0); EmitVertex(); EndPrimitive(); }"}, Stage::geometry);
    ASSERT_TRUE(result);
    EXPECT_EQ(count(result->at(0), "mpiglut_EmitVertex();"), 2);
    EXPECT_EQ(count(result->at(0), "void main()"), 1);
}

TEST(AssemblyText, TakesAPositionFromATemporary) {
    const auto out =
        translate_assembly("!!ARBfp1.0\nOPTION ARB_fog_linear;\n# fragment.position\nATTRIB p = fragment.position;\n"
                           "MOV result.color, fragment.position.xyxy;\nEND\n",
                           255);
    ASSERT_TRUE(out);
    EXPECT_EQ(
        *out,
        "!!ARBfp1.0\nOPTION ARB_fog_linear; PARAM mpiglut_origin = program.env[255]; TEMP mpiglut_position; "
        "ADD mpiglut_position, fragment.position, mpiglut_origin;\n# fragment.position\nALIAS p = mpiglut_position;\n"
        "MOV result.color, mpiglut_position.xyxy;\nEND\n");
}

TEST(AssemblyText, UpperLeftHasItsOwnParameter) {
    const auto out = translate_assembly(
        "!!ARBfp1.0 OPTION ARB_fragment_coord_origin_upper_left; MOV result.color, fragment.position; END", 255);
    ASSERT_TRUE(out);
    EXPECT_NE(out->find("program.env[254]"), std::string::npos);
}

TEST(AssemblyText, LeavesOthersAlone) {
    EXPECT_FALSE(translate_assembly("!!ARBfp1.0 MOV result.color, fragment.color; END", 255));
    EXPECT_FALSE(translate_assembly("!!ARBfp1.0 # fragment.position\nMOV result.color, fragment.color; END", 255));
    EXPECT_FALSE(translate_assembly("!!ARBvp1.0 MOV result.position, vertex.position; END", 255));
    EXPECT_FALSE(translate_assembly("!!ARBfp1.0", 255));
    EXPECT_FALSE(translate_assembly("", 255));
}

TEST(GlslText, KnowsWhatAShaderWritesBesidesItsOutputs) {
    using Blocks = std::vector<WrittenBlock>;
    const auto effects = [](const std::string &text) { return side_effects({"#version 430\n", text}); };
    EXPECT_EQ(effects("layout(binding = 0) uniform atomic_uint n; void main() { atomicCounterIncrement(n); }"),
              (SideEffects{{}, Change::added, false}));
    EXPECT_EQ(effects("uniform writeonly image2D i;\n#define PUT(v) imageStore(i, at, v)\nvoid main() { PUT(x); }"),
              (SideEffects{{}, {}, true}));
    EXPECT_EQ(effects("buffer B { uint n[]; }; void main() { atomicAdd(n[3], 1u); }").blocks,
              (Blocks{{"B", Change::added}}));
    for (const char *statement : {"n = 1;", "v[n].xy[2] = 1;", "++n;", "n--;", "n <<= 2;", "if (n == 0) v[1] |= 3;"})
        EXPECT_EQ(effects("layout(std430) coherent buffer B { uint n; vec4 v[]; }; void main() { " +
                          std::string(statement) + " }")
                      .blocks,
                  (Blocks{{"B", Change::assigned}}))
            << statement;
    EXPECT_EQ(effects("buffer B { uint n; } all[2]; void main() { all[1].n += 2; }").blocks,
              (Blocks{{"B", Change::assigned}}));
    const SideEffects all =
        effects("buffer B { uint n; }; void main() { n = 1; imageAtomicAdd(i, p, 1); atomicCounterOrARB(c); }");
    EXPECT_TRUE(!all.blocks.empty() && all.counters == Change::ored && all.images);
}

TEST(GlslText, KnowsHowAShaderChangesABlock) {
    using Blocks = std::vector<WrittenBlock>;
    const auto changes = [](const std::string &statements) {
        return side_effects({"buffer U { uint n, m; }; buffer S { int k; } s; void main() { " + statements + " }"}).blocks;
    };
    const auto change = [&](const std::string &statements) { return changes(statements).at(0).change; };
    EXPECT_EQ(change("atomicMin(n, 2u);"), Change::least);
    EXPECT_EQ(change("atomicMax(n, 2u);"), Change::greatest);
    EXPECT_EQ(change("atomicMin(s.k, 2);"), Change::least_signed);
    EXPECT_EQ(change("atomicMax(s.k, 2);"), Change::greatest_signed);
    EXPECT_EQ(change("atomicAnd(n, 2u); atomicAnd(m, 1u);"), Change::anded);
    EXPECT_EQ(change("atomicOr(n, 2u);"), Change::ored);
    EXPECT_EQ(change("atomicXor(n, 2u);"), Change::xored);
    EXPECT_EQ(change("uint was = atomicExchange(n, 2u); atomicCompSwap(m, 1u, 2u); n = 3u;"), Change::assigned);
    EXPECT_EQ(change("atomicAdd(n, 2u); m = 3u;"), Change::mixed);
    EXPECT_EQ(changes("s.k = 1; atomicAdd(n, 1u);"), (Blocks{{"S", Change::assigned}, {"U", Change::added}}));
    const auto of = [](const std::string &members, const std::string &statement) {
        return side_effects({"buffer B { " + members + " } b; void main() { " + statement + " }"}).blocks.at(0).change;
    };
    EXPECT_EQ(of("uint nearest; int other;", "atomicMin(b.nearest, 1u);"), Change::least);
    EXPECT_EQ(of("uint nearest; int other;", "atomicMin(b.other, 1);"), Change::least_signed);
    EXPECT_EQ(of("layout(offset = 4) int other[4];", "atomicMax(b.other[2], 1);"), Change::greatest_signed);
    EXPECT_EQ(of("S all[];", "atomicMin(b.all[1].least, 1);"), Change::mixed);
    EXPECT_EQ(of("ivec2 corner;", "atomicMin(b.corner.x, 1);"), Change::mixed);
    EXPECT_EQ(of("float sum;", "atomicAdd(b.sum, 1.0);"), Change::mixed);
    EXPECT_EQ(change("uint x = 0u; uint n = 1u; other.m = 3u; atomicAdd(m, 1u);"), Change::added);
    EXPECT_EQ(change("\n#define SET(v) n = v\nSET(2u);"), Change::mixed);
    EXPECT_EQ(changes("\n#define COUNT(i) atomicAdd(n, 1u)\nCOUNT(2);"), (Blocks{{"U", Change::added}}));
    EXPECT_EQ(side_effects({"void main() { atomicCounterMaxARB(c, 1u); }"}).counters, Change::greatest);
    EXPECT_EQ(side_effects({"void main() { atomicCounterExchange(c, 1u); }"}).counters, Change::assigned);
    EXPECT_EQ(side_effects({"void main() { atomicCounterAdd(c, 1u); atomicCounterOr(d, 1u); }"}).counters, Change::mixed);
    // The text does not tell of which block it is.
    EXPECT_EQ(changes("\n#define ADD(i) atomicAdd(i, 1u)\nADD(n);"), (Blocks{{"", Change::added}}));
    EXPECT_EQ(changes("\n#define MAX(i) atomicMax(i, 1u)\nMAX(n);"), (Blocks{{"", Change::mixed}}));
}

TEST(GlslText, ReadingIsNoWriting) {
    for (const char *text :
         {"layout(binding = 0) uniform atomic_uint n; void main() { uint x = atomicCounter(n); }",
          "uniform image2D i; void main() { vec4 x = imageLoad(i, ivec2(0)); }",
          "buffer B { uint n; vec4 v[]; }; void main() { uint x = n; bool y = n == 2 && n <= 3; x += n; f(v[n] * 2); }",
          "readonly buffer B { uint n; }; void main() { uint m = n; }",
          "buffer restrict readonly B { uint n; } b; void main() { uint n = b.n; n = 2; }",
          "layout(std430) buffer; void main() { float buffered = 1; }", "// imageStore\nvoid main() {}", "", "buffer",
          "buffer B {", "buffer B { uint n; } b[", "buffer B { uint n; }; void main() { n["})
        EXPECT_EQ(side_effects({text}), SideEffects{}) << text;
}
