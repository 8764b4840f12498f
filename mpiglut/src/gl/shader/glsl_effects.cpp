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

struct Variable {
    std::string_view name, type; ///< of a block with a name: that name, and no type
};

struct Block {
    std::size_t begin = 0, end = 0; ///< its first token, and the first one behind it
    std::string_view name;
    bool named = false;
    std::vector<Variable> variables; ///< that the shader writes to it by
    std::vector<Variable> members;
    std::string_view type_of(std::string_view member) const {
        const auto found = std::ranges::find(members, member, &Variable::name);
        return found == members.end() ? std::string_view() : found->type;
    }
};

bool is_word(const Tokens &tokens, std::size_t i) { return i < tokens.size() && tokens[i].kind == Kind::word; }

/// Those between these tokens: the first of two words that stand together is a type.
std::vector<Variable> members(const Tokens &tokens, std::size_t from, std::size_t to) {
    std::vector<Variable> all;
    std::string_view type;
    for (std::size_t i = from; i < to; ++i) {
        if (!is_word(tokens, i))
            continue;
        const bool ends = is_sign(tokens, i + 1, ';') || is_sign(tokens, i + 1, ',') || is_sign(tokens, i + 1, '[');
        if (is_word(tokens, i + 1) || (is_sign(tokens, i + 1, '[') && !is_word(tokens, i - 1)))
            type = tokens[i].text; // also qualifiers, until the type comes
        else if (ends)
            all.push_back({tokens[i].text, type});
    }
    return all;
}

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
    Block block{buffer, behind_bracket(tokens, open, '{', '}'), tokens[name].text, false, {}, {}};
    block.named = is_word(tokens, block.end);
    block.members = members(tokens, open, block.end);
    if (read_only)
        return block;
    if (block.named)
        block.variables.push_back({tokens[block.end].text, {}});
    else
        block.variables = block.members;
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

/// What a function does to numbers of a type, which is empty where the text does not tell it.
Change change_by(std::string_view function, std::string_view type) {
    const bool is_signed = type == "int", known = is_signed || type == "uint";
    if (function == "atomicMin" || function == "atomicMax") {
        if (!known)
            return Change::mixed;
        if (function == "atomicMin")
            return is_signed ? Change::least_signed : Change::least;
        return is_signed ? Change::greatest_signed : Change::greatest;
    }
    if (function == "atomicAdd") // extensions have it for numbers that are no words
        return type == "float" || type == "double" || type.find("64") != type.npos ? Change::mixed : Change::added;
    if (function == "atomicAnd")
        return Change::anded;
    if (function == "atomicOr")
        return Change::ored;
    if (function == "atomicXor")
        return Change::xored;
    return Change::assigned; // atomicExchange, atomicCompSwap
}

/// Of atomic counters: of functions such as atomicCounterAdd.
Change change_of_counter(std::string_view function) {
    function.remove_prefix(std::string_view("atomicCounter").size());
    if (function.ends_with("ARB"))
        function.remove_suffix(3);
    if (function == "Increment" || function == "Decrement" || function == "Add" || function == "Subtract")
        return Change::added;
    return function == "Exchange" || function == "CompSwap" ? Change::assigned
                                                            : change_by("atomic" + std::string(function), "uint");
}

void add(std::vector<WrittenBlock> &written, std::string_view name, Change change) {
    const auto known = std::ranges::find(written, name, &WrittenBlock::name);
    if (known == written.end())
        written.push_back({std::string(name), change});
    else if (known->change != change)
        known->change = Change::mixed;
}

/// Blocks of shader storage, and what is written to them, in the order in which the text writes first.
class Storage {
  public:
    explicit Storage(const Tokens &tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (is_word(tokens, i) && tokens[i].text == "buffer")
                blocks_.push_back(storage_block(tokens, i));
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto block = std::ranges::find(blocks_, i, &Block::begin);
            if (block != blocks_.end() && is_word(tokens, i) && tokens[i].text == "buffer")
                i = std::max(i, block->end);
            else
                look_at(tokens, i);
        }
    }
    std::vector<WrittenBlock> written;

  private:
    const Block *block_of(std::string_view variable) const {
        for (const Block &block : blocks_)
            if (std::ranges::find(block.variables, variable, &Variable::name) != block.variables.end())
                return &block;
        return nullptr;
    }

    void look_at(const Tokens &tokens, std::size_t i) {
        if (i >= tokens.size())
            return;
        if (is_atomic(tokens[i]))
            return look_at_function(tokens, i);
        // Other variables may have the same name: parts of structures, and those that are declared here.
        const bool is_other = i > 0 && (is_sign(tokens, i - 1, '.') || is_word(tokens, i - 1));
        const Block *const block = block_of(tokens[i].text);
        const bool is_argument = i > 0 && is_atomic(tokens[i - 1]); // a macro's text has words alone
        if (block && !is_argument && tokens[i].kind == Kind::define_word) // what becomes of it stands elsewhere
            add(written, block->name, Change::mixed);
        else if (block && is_word(tokens, i) && !is_other && is_assigned(tokens, i))
            add(written, block->name, Change::assigned);
    }

    /// atomicAdd(block[0].member[1], 1u)
    void look_at_function(const Tokens &tokens, std::size_t i) {
        const std::size_t at = i + (is_sign(tokens, i + 1, '(') ? 2 : 1);
        const bool is_call = at < tokens.size() && tokens[at].line == tokens[i].line;
        const Block *const block = is_call ? block_of(tokens[at].text) : nullptr;
        if (!block)
            return add(written, {}, change_by(tokens[i].text, {})); // a macro's parameter: any block
        std::size_t member = at;
        if (block->named) {
            member = is_sign(tokens, at + 1, '[') ? behind_bracket(tokens, at + 1, '[', ']') : at + 1;
            member += is_sign(tokens, member, '.') ? 1 : 0;
        }
        std::size_t behind = is_sign(tokens, member + 1, '[') ? behind_bracket(tokens, member + 1, '[', ']') : member + 1;
        const bool whole = is_word(tokens, member) && !is_sign(tokens, behind, '.'); // no part of a structure, or vector
        add(written, block->name,
            change_by(tokens[i].text, whole ? block->type_of(tokens[member].text) : std::string_view()));
    }

    std::vector<Block> blocks_;
};

/// Nothing: the shader has no counters, or reads them only.
std::vector<WrittenBlock> counters(const Tokens &tokens) {
    std::vector<WrittenBlock> all;
    for (const Token &token : tokens)
        if ((token.kind == Kind::word || token.kind == Kind::define_word) && token.text.starts_with("atomicCounter") &&
            token.text != "atomicCounter")
            add(all, {}, change_of_counter(token.text));
    return all;
}

} // namespace

SideEffects side_effects(const std::vector<std::string_view> &strings) {
    std::string source;
    for (const std::string_view string : strings)
        source += string;
    const Tokens tokens = scan(source);
    const bool images = std::ranges::any_of(tokens, [](const Token &token) {
        return (token.kind == Kind::word || token.kind == Kind::define_word) &&
               (token.text == "imageStore" || token.text.starts_with("imageAtomic"));
    });
    const std::vector<WrittenBlock> of_counters = counters(tokens);
    return {Storage(tokens).written, of_counters.empty() ? std::nullopt : std::optional(of_counters[0].change), images};
}

} // namespace mpiglut::gl
