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
    std::size_t end = 0; ///< first token behind it
    std::string_view name;
    bool is_signed = false;
    std::vector<std::string_view> variables; ///< that the shader writes to it by
};

/// A block of shader storage that begins at `buffer`; without variables if it may not be written.
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
    Block block{behind_bracket(tokens, open, '{', '}'), tokens[name].text, false, {}};
    const bool named = block.end < tokens.size() && tokens[block.end].kind == Kind::word;
    if (read_only)
        return block;
    if (named)
        block.variables.push_back(tokens[block.end].text);
    for (std::size_t i = open; i < block.end; ++i) {
        block.is_signed |= tokens[i].kind == Kind::word && tokens[i].text == "int";
        if (!named && tokens[i].kind == Kind::word &&
            (is_sign(tokens, i + 1, ';') || is_sign(tokens, i + 1, ',') || is_sign(tokens, i + 1, '[')))
            block.variables.push_back(tokens[i].text);
    }
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

/// The functions on memory are called atomicAdd and so on; a fragment shader has no other memory than storage.
bool is_atomic(const Token &token) {
    return (token.kind == Kind::word || token.kind == Kind::define_word) && token.text.starts_with("atomic") &&
           token.text != "atomic_uint" && !token.text.starts_with("atomicCounter");
}

Change change_by(std::string_view function, bool is_signed) {
    if (function == "atomicAdd")
        return Change::added;
    if (function == "atomicMin")
        return is_signed ? Change::least_signed : Change::least;
    if (function == "atomicMax")
        return is_signed ? Change::greatest_signed : Change::greatest;
    if (function == "atomicAnd")
        return Change::anded;
    if (function == "atomicOr")
        return Change::ored;
    if (function == "atomicXor")
        return Change::xored;
    return Change::assigned; // atomicExchange, atomicCompSwap
}

class Storage {
  public:
    /// What is written to its blocks, in the order in which the text writes first.
    explicit Storage(const Tokens &tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (is_atomic(tokens[i]))
                add(is_sign(tokens, i + 1, '(') && i + 2 < tokens.size() ? block_of(tokens[i + 2].text) : nullptr,
                    tokens[i].text);
            if (tokens[i].kind != Kind::word)
                continue;
            if (tokens[i].text == "buffer") {
                blocks_.push_back(storage_block(tokens, i));
                i = std::max(i, blocks_.back().end);
            } else if (const Block *const block = block_of(tokens[i].text); block && is_assigned(tokens, i)) {
                add(block, {});
            }
        }
    }
    std::vector<WrittenBlock> written;

  private:
    const Block *block_of(std::string_view variable) const {
        for (const Block &block : blocks_)
            if (std::ranges::find(block.variables, variable) != block.variables.end())
                return &block;
        return nullptr;
    }
    void add(const Block *block, std::string_view function) {
        // In a macro's text: any block, of which it is not known whether it has numbers with a sign.
        const std::string name(block ? block->name : std::string_view());
        const bool by_order = function == "atomicMin" || function == "atomicMax";
        const Change change = !block && by_order ? Change::mixed : change_by(function, block && block->is_signed);
        const auto known = std::ranges::find(written, name, &WrittenBlock::name);
        if (known == written.end())
            written.push_back({name, change});
        else if (known->change != change)
            known->change = Change::mixed;
    }

    std::vector<Block> blocks_;
};

} // namespace

SideEffects side_effects(const std::vector<std::string_view> &strings) {
    std::string source;
    for (const std::string_view string : strings)
        source += string;
    const Tokens tokens = scan(source);
    const auto uses = [&tokens](auto which) {
        return std::any_of(tokens.begin(), tokens.end(), [&](const Token &token) {
            return (token.kind == Kind::word || token.kind == Kind::define_word) && which(token.text);
        });
    };
    return {Storage(tokens).written,
            uses([](std::string_view word) { return word.starts_with("atomicCounter") && word != "atomicCounter"; }),
            uses([](std::string_view word) { return word == "imageStore" || word.starts_with("imageAtomic"); })};
}

} // namespace mpiglut::gl
