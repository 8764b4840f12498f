// The tokens of a shader that translation looks at, and edits of its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::gl {

struct Token {
    enum class Kind {
        word,        ///< identifier, keyword or number
        sign,        ///< any other single character that is code
        directive,   ///< a line that starts with #: its name ("if", "version"), at the #
        define_word, ///< a word in the replacement part of a #define
        macro,       ///< what a #define or an #undef names
        condition,   ///< a word in an #if, #ifdef and so on
        join,        ///< words become one here: ## in a #define, or a line's end within a word
    } kind;
    std::size_t at, length;
    std::string_view text;
    int line; ///< from 1, as the compiler counts without #line
};

/// Comments, and what other directives say, are left out. Views into `source`.
std::vector<Token> scan(std::string_view source);

/// Replacements in a text that consists of several strings. At the same place insertions come first.
class Edits {
  public:
    void replace(std::size_t at, std::size_t length, std::string text);
    void insert(std::size_t at, std::string text) { replace(at, 0, std::move(text)); }
    bool empty() const { return edits_.empty(); }
    std::vector<std::string> apply(const std::vector<std::string_view> &strings) const;

  private:
    struct Edit {
        std::size_t at, length;
        std::string text;
    };
    std::vector<Edit> edits_;
};

} // namespace mpiglut::gl
