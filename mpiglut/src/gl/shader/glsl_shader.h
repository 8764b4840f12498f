// A shader that translation works on, and what is put into its text.
#pragma once

#include "gl/shader/glsl.h"
#include "gl/shader/glsl_scan.h"

#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::gl {

// Around what is put into a text, so that it can be taken out again.
inline constexpr std::string_view opening = "/*mpiglut:*/", closing = "/*:mpiglut*/";
inline std::string marked(const std::string &text) { return std::string(opening) + text + std::string(closing); }

/// What gl_FragCoord becomes.
inline std::string whole_position(const char *origin) { return std::string("(gl_FragCoord+") + origin + ")"; }

inline bool is_code(const Token &token) { return token.kind == Token::Kind::word || token.kind == Token::Kind::sign; }
/// A word that gets into the code, by way of a macro or not.
inline bool is_word(const Token &token, std::string_view text) {
    return (token.kind == Token::Kind::word || token.kind == Token::Kind::define_word) && token.text == text;
}
inline bool is_sign(const Token &token, char sign) {
    return token.kind == Token::Kind::sign && token.text.front() == sign;
}
inline bool is_directive(const Token &token, std::string_view text) {
    return token.kind == Token::Kind::directive && token.text == text;
}
inline bool opens(const Token &token) {
    return is_directive(token, "if") || is_directive(token, "ifdef") || is_directive(token, "ifndef");
}

/// A shader's text, its tokens, and what its #version line says.
struct Shader {
    std::string source;
    std::vector<Token> tokens;
    int version;
    bool es;

    /// `for_es`: a context of OpenGL ES takes it, where a text without #version is one of that language.
    explicit Shader(const std::vector<std::string_view> &strings, bool for_es = false);

    /// Words are put together here, by ## or across a line's end, and `name` may be one that comes of it: for its first
    /// piece is there.
    bool may_join(std::string_view name) const;

    /// A #line directive that gives the text from this token on the number that it would have had without our doing.
    std::string line_directive(const Token &token) const { return line_directive(token.at, token.line); }
    std::string line_directive(std::size_t at, int line) const;

    /// The beginning of the declaration of our n-th uniform, so that it has the n-th last location; nothing
    /// where it cannot be chosen.
    std::string layout(int n, int locations) const;

    /// The directives without which this version has no such layout.
    std::string directives(const std::string &layout) const;

    /// Puts a declaration before all code, behind #version and #extension, whichever branches of #if are compiled.
    void declare(Edits &edits, const std::string &declaration, const std::string &directives) const;

  private:
    /// The number behind a directive's name.
    int number_after(const Token &directive) const;
    /// #line says the number of the line after it, or in older versions the number before that.
    int line_bias() const { return es || version >= 330 ? 0 : 1; }
};

} // namespace mpiglut::gl
