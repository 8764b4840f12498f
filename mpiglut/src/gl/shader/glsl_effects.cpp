// What a shader writes in addition to its outputs, by its text.
#include "gl/shader/glsl.h"
#include "gl/shader/glsl_scan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace mpiglut::gl {

namespace {

using Kind = Token::Kind;
using Tokens = std::vector<Token>;

bool is_sign(const Tokens &tokens, std::size_t i, char sign) {
    return i < tokens.size() && tokens[i].kind == Kind::sign && tokens[i].text.front() == sign;
}

/// These signs stand there without anything between them.
bool is_operator(const Tokens &tokens, std::size_t i, std::string_view signs) {
    for (std::size_t k = 0; k < signs.size(); ++k)
        if (!is_sign(tokens, i + k, signs[k]) || tokens[i + k].at != tokens[i].at + k)
            return false;
    return true;
}

bool is_qualifier(const Token &token) {
    constexpr std::array<std::string_view, 5> all{"coherent", "volatile", "restrict", "readonly", "writeonly"};
    return token.kind == Kind::word && std::find(all.begin(), all.end(), token.text) != all.end();
}

/// Past the bracket that belongs to the one at `open`.
std::size_t behind_bracket(const Tokens &tokens, std::size_t open, char opening, char closing) {
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        depth += is_sign(tokens, i, opening) - is_sign(tokens, i, closing);
        if (depth == 0)
            return i + 1;
    }
    return tokens.size();
}

struct Block {
    std::size_t end = 0;                 ///< first token behind it
    std::vector<std::string_view> names; ///< that the shader writes to it by
};

/// A block of shader storage that begins at `buffer`, if it is one that may be written.
Block storage_block(const Tokens &tokens, std::size_t buffer) {
    bool read_only = false;
    for (std::size_t i = buffer; i-- > 0 && is_qualifier(tokens[i]);)
        read_only |= tokens[i].text == "readonly";
    std::size_t name = buffer + 1;
    for (; name < tokens.size() && is_qualifier(tokens[name]); ++name)
        read_only |= tokens[name].text == "readonly";
    const std::size_t open = name + 1;
    if (!is_sign(tokens, open, '{'))
        return {};
    Block block{behind_bracket(tokens, open, '{', '}'), {}};
    const bool named = block.end < tokens.size() && tokens[block.end].kind == Kind::word;
    if (read_only)
        return block;
    if (named)
        block.names.push_back(tokens[block.end].text);
    for (std::size_t i = open; !named && i < block.end; ++i)
        if (tokens[i].kind == Kind::word &&
            (is_sign(tokens, i + 1, ';') || is_sign(tokens, i + 1, ',') || is_sign(tokens, i + 1, '[')))
            block.names.push_back(tokens[i].text);
    return block;
}

/// Is the variable that is named at `i` assigned to, or a part of it?
bool is_assigned(const Tokens &tokens, std::size_t i) {
    if (i >= 2 && (is_operator(tokens, i - 2, "++") || is_operator(tokens, i - 2, "--")))
        return true;
    for (++i; is_sign(tokens, i, '.') || is_sign(tokens, i, '[');)
        i = is_sign(tokens, i, '.') ? i + 2 : behind_bracket(tokens, i, '[', ']');
    for (const std::string_view op : {"++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
        if (is_operator(tokens, i, op))
            return true;
    return is_sign(tokens, i, '=') && !is_operator(tokens, i, "==");
}

bool assigns_storage(const Tokens &tokens) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != Kind::word)
            continue;
        if (tokens[i].text == "buffer") {
            const Block block = storage_block(tokens, i);
            names.insert(names.end(), block.names.begin(), block.names.end());
            i = std::max(i, block.end);
        } else if (std::find(names.begin(), names.end(), tokens[i].text) != names.end() && is_assigned(tokens, i)) {
            return true;
        }
    }
    return false;
}

} // namespace

std::vector<std::string> side_effects(const std::vector<std::string_view> &strings) {
    std::string source;
    for (const std::string_view string : strings)
        source += string;
    const Tokens tokens = scan(source);
    const auto uses = [&tokens](auto which) {
        return std::any_of(tokens.begin(), tokens.end(), [&](const Token &token) {
            return (token.kind == Kind::word || token.kind == Kind::define_word) && which(token.text);
        });
    };
    std::vector<std::string> effects;
    if (uses([](std::string_view word) { return word.starts_with("atomicCounter") && word != "atomicCounter"; }))
        effects.emplace_back("atomic counters");
    // The functions on memory are called atomicAdd and so on; a fragment shader has no other memory than storage.
    if (assigns_storage(tokens) || uses([](std::string_view word) {
            return word.starts_with("atomic") && word != "atomic_uint" && !word.starts_with("atomicCounter");
        }))
        effects.emplace_back("shader storage");
    if (uses([](std::string_view word) { return word == "imageStore" || word.starts_with("imageAtomic"); }))
        effects.emplace_back("images");
    return effects;
}

} // namespace mpiglut::gl
