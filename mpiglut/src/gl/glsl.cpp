#include "gl/glsl.h"

#include "gl/glsl_scan.h"

#include <algorithm>
#include <cstdlib>

namespace mpiglut::gl {

namespace {

using Kind = Token::Kind;

// Around what is put into a text, so that it can be taken out again.
constexpr std::string_view opening = "/*mpiglut:*/", closing = "/*:mpiglut*/";
std::string marked(const std::string &text) { return std::string(opening) + text + std::string(closing); }

std::string whole_position(const char *origin) { return std::string("(gl_FragCoord+") + origin + ")"; }

bool is_code(const Token &token) { return token.kind == Kind::word || token.kind == Kind::sign; }
bool is_word(const Token &token, std::string_view text) {
    return (token.kind == Kind::word || token.kind == Kind::define_word) && token.text == text;
}
bool is_directive(const Token &token, std::string_view text) {
    return token.kind == Kind::directive && token.text == text;
}
bool opens(const Token &token) {
    return is_directive(token, "if") || is_directive(token, "ifdef") || is_directive(token, "ifndef");
}

/// A shader's text, its tokens, and what its #version line says.
struct Shader {
    std::string source;
    std::vector<Token> tokens;
    int version = 110;
    bool es = false;

    explicit Shader(const std::vector<std::string_view> &strings) {
        for (std::string_view string : strings)
            source += string;
        tokens = scan(source);
        for (const Token &token : tokens)
            if (is_directive(token, "version")) {
                version = number_after(token);
                const std::string_view line =
                    std::string_view(source).substr(token.at, source.find('\n', token.at) - token.at);
                es = version == 100 || line.find(" es") != line.npos || line.find("\tes") != line.npos;
            }
    }

    /// The number behind a directive's name.
    int number_after(const Token &directive) const {
        return std::atoi(source.c_str() + directive.at + directive.length);
    }

    /// #line says the number of the line after it, or in older versions the number before that.
    int line_bias() const { return es || version >= 330 ? 0 : 1; }

    /// A #line directive that gives the line after it the number that it would have had without our doing.
    std::string line_directive(const Token &token) const {
        int line = token.line;
        for (const Token &earlier : tokens) {
            if (earlier.at >= token.at)
                break;
            if (is_directive(earlier, "line"))
                line = number_after(earlier) + line_bias() + token.line - earlier.line - 1;
        }
        return "#line " + std::to_string(line - line_bias()) + "\n";
    }

    /// What a declaration of the library's n-th uniform begins with, so that it has the n-th last location; nothing
    /// where it cannot be chosen.
    std::string layout(int n, int locations) const {
        if (locations <= own_locations || (es && version < 310))
            return {};
        return "layout(location=" + std::to_string(locations - 1 - n) + ") ";
    }

    /// The directives without which this version has no such layout.
    std::string directives(const std::string &layout) const {
        if (layout.empty() || es || version >= 430)
            return {};
        return "#extension GL_ARB_explicit_attrib_location : enable\n"
               "#extension GL_ARB_explicit_uniform_location : enable\n";
    }

    /// Puts a declaration before all code, behind #version and #extension, whichever branches of #if are compiled.
    void declare(Edits &edits, const std::string &declaration, const std::string &directives) const;
};

void Shader::declare(Edits &edits, const std::string &text, const std::string &directives) const {
    const std::string declaration = directives + text;
    int depth = 0;
    const Token *outermost = nullptr; // the #if around the first code
    std::size_t index = 0;
    for (; index < tokens.size() && !is_code(tokens[index]); ++index) {
        if (opens(tokens[index]) && depth++ == 0)
            outermost = &tokens[index];
        else if (is_directive(tokens[index], "endif"))
            --depth;
    }
    if (index == tokens.size())
        return;
    if (depth <= 0 && directives.empty())
        return edits.insert(tokens[index].at, marked(text + " "));
    if (depth <= 0)
        return edits.insert(tokens[index].at, marked("\n" + declaration + "\n" + line_directive(tokens[index])));

    bool extension = false;
    for (const Token &token : tokens)
        extension |= is_directive(token, "extension") && token.at > outermost->at;
    if (!extension)
        return edits.insert(outermost->at, marked(declaration + "\n" + line_directive(*outermost)));

    // An #extension in that block has to stay in front of the declaration: put it into every branch, once compiled.
    for (bool pending = true; index < tokens.size(); ++index) {
        const Token &token = tokens[index];
        if (token.kind == Kind::directive) {
            pending = true;
            depth += opens(token) ? 1 : is_directive(token, "endif") ? -1 : 0;
        } else if (is_code(token) && pending) {
            edits.insert(token.at, marked("\n#ifndef mpiglut_declared\n#define mpiglut_declared\n" + declaration +
                                          "\n#endif\n" + line_directive(token)));
            pending = false;
            if (depth <= 0)
                return;
        }
    }
}

std::string transform(Stage stage) {
    const std::string uniform = crop_uniform(stage);
    return "gl_Position.xy += gl_Position.xy * " + uniform + ".xy + gl_Position.w * " + uniform + ".zw;";
}

bool uses_fixed_projection(const std::vector<Token> &tokens) {
    for (const Token &token : tokens)
        if (is_code(token) || token.kind == Kind::define_word)
            if (token.text == "ftransform" || token.text.starts_with("gl_ProjectionMatrix") ||
                token.text.starts_with("gl_ModelViewProjectionMatrix"))
                return true;
    return false;
}

void replace_all(std::string &text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

} // namespace

const char *crop_uniform(Stage stage) {
    switch (stage) {
    case Stage::vertex:
        return "mpiglut_Crop";
    case Stage::evaluation:
        return "mpiglut_CropTess";
    case Stage::geometry:
        return "mpiglut_CropGeom";
    }
    return "";
}

std::optional<Strings> translate_fragment(const std::vector<std::string_view> &strings, int locations) {
    const Shader shader(strings);
    Edits edits;
    const bool upper_left = std::any_of(shader.tokens.begin(), shader.tokens.end(),
                                        [](const Token &token) { return is_word(token, "origin_upper_left"); });
    const char *origin = upper_left ? upper_origin : lower_origin;
    const Token *previous = nullptr;
    for (const Token &token : shader.tokens) {
        const bool declared = previous && (is_word(*previous, "vec4") || is_word(*previous, "invariant"));
        if (is_word(token, "gl_FragCoord") && !declared)
            edits.replace(token.at, token.length, whole_position(origin));
        previous = &token;
    }
    if (edits.empty())
        return std::nullopt;
    const std::string layout = shader.layout(upper_left ? 1 : 0, locations);
    shader.declare(edits, layout + (shader.es ? "uniform highp vec4 " : "uniform vec4 ") + origin + ";",
                   shader.directives(layout));
    return edits.apply(strings);
}

std::optional<Strings> translate_position(const std::vector<std::string_view> &strings, Stage stage, int locations) {
    const Shader shader(strings);
    const std::vector<Token> &tokens = shader.tokens;
    const bool geometry = stage == Stage::geometry;
    const std::string_view renamed = geometry ? "EmitVertex" : "main";
    Edits edits;
    for (const Token &token : tokens)
        if (is_word(token, renamed))
            edits.replace(token.at, token.length, "mpiglut_" + std::string(renamed));
    if (edits.empty() || uses_fixed_projection(tokens))
        return std::nullopt;
    const std::string layout = shader.layout(2 + static_cast<int>(stage), locations);
    const std::string directives = shader.directives(layout);
    if (geometry || !directives.empty())
        shader.declare(edits, geometry ? "void mpiglut_EmitVertex();" : "", directives);
    // At the end everything is declared that the program declares, its own gl_PerVertex block included.
    edits.insert(shader.source.size(),
                 marked("\n" + layout + "uniform vec4 " + std::string(crop_uniform(stage)) + ";\n" +
                        (geometry ? "void mpiglut_EmitVertex() { " + transform(stage) + " EmitVertex(); }\n"
                                  : "void main() { mpiglut_main(); " + transform(stage) + " }\n")));
    return edits.apply(strings);
}

std::string untranslated(std::string text) {
    for (std::size_t at = text.find(opening); at != text.npos; at = text.find(opening, at)) {
        const std::size_t end = text.find(closing, at);
        text.erase(at, end == text.npos ? end : end + closing.size() - at);
    }
    replace_all(text, whole_position(lower_origin), "gl_FragCoord");
    replace_all(text, whole_position(upper_origin), "gl_FragCoord");
    replace_all(text, "mpiglut_main", "main");
    replace_all(text, "mpiglut_EmitVertex", "EmitVertex");
    return text;
}

} // namespace mpiglut::gl
