#include "gl/shader/glsl_shader.h"

#include <algorithm>
#include <cstdlib>

namespace mpiglut::gl {

Shader::Shader(const std::vector<std::string_view> &strings, bool for_es) : version(for_es ? 100 : 110), es(for_es) {
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

bool Shader::may_join(std::string_view name) const {
    const auto some = [this](auto which) { return std::any_of(tokens.begin(), tokens.end(), which); };
    return some([](const Token &token) { return token.kind == Token::Kind::join; }) && some([name](const Token &token) {
               return (token.kind == Token::Kind::word || token.kind == Token::Kind::define_word) &&
                      token.text.size() < name.size() && name.starts_with(token.text);
           });
}

int Shader::number_after(const Token &directive) const {
    return std::atoi(source.c_str() + directive.at + directive.length);
}

std::string Shader::line_directive(std::size_t at, int line) const {
    int number = line;
    for (const Token &earlier : tokens) {
        if (earlier.at >= at)
            break;
        if (is_directive(earlier, "line"))
            number = number_after(earlier) + line_bias() + line - earlier.line - 1;
    }
    return "#line " + std::to_string(number - line_bias()) + "\n";
}

std::string Shader::layout(int n, int locations) const {
    if (locations <= own_locations || (es && version < 310))
        return {};
    return "layout(location=" + std::to_string(locations - 1 - n) + ") ";
}

std::string Shader::directives(const std::string &layout) const {
    if (layout.empty() || es || version >= 430)
        return {};
    return "#extension GL_ARB_explicit_attrib_location : enable\n"
           "#extension GL_ARB_explicit_uniform_location : enable\n";
}

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
    const bool one_line = declaration.find('\n') == declaration.npos;
    if (depth <= 0 && one_line)
        return edits.insert(tokens[index].at, marked(declaration + " "));
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
        if (token.kind == Token::Kind::directive) {
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

} // namespace mpiglut::gl
