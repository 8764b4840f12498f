#include "gl/shader/glsl_shader.h"


namespace mpiglut::gl {

namespace {

using Kind = Token::Kind;

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

std::optional<Strings> translate_position(const std::vector<std::string_view> &strings, Stage stage, int locations,
                                          std::string *doubt, bool es) {
    const Shader shader(strings, es);
    const std::vector<Token> &tokens = shader.tokens;
    const bool geometry = stage == Stage::geometry;
    const std::string_view renamed = geometry ? "EmitVertex" : "main";
    Edits edits;
    for (const Token &token : tokens)
        if (is_word(token, renamed))
            edits.replace(token.at, token.length, "mpiglut_" + std::string(renamed));
    const bool fixed = uses_fixed_projection(tokens);
    if (doubt && ((edits.empty() && shader.may_join(renamed)) || (!fixed && shader.may_join("gl_ProjectionMatrix"))))
        *doubt = "its text does not tell where it sets gl_Position";
    if (edits.empty() || fixed)
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
