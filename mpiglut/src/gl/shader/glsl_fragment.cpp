// gl_FragCoord in fragment shaders. Each use is replaced, as long as the text itself tells which words are uses. Where
// the compiler alone knows, gl_FragCoord becomes a macro: a macro's name within its own text stands for itself.
#include "gl/shader/glsl_shader.h"

#include <algorithm>

namespace mpiglut::gl {

namespace {

using Kind = Token::Kind;

constexpr std::string_view name = "gl_FragCoord", above = "origin_upper_left";

/// Where the shader declares it, to say where it counts from: the tokens of the statement.
struct Declaration {
    std::size_t begin, end;
    bool upper, conditional;
};

bool declares(const std::vector<Token> &tokens, std::size_t i) {
    return i > 0 && is_word(tokens[i], name) && (is_word(tokens[i - 1], "vec4") || is_word(tokens[i - 1], "invariant"));
}

struct Fragment {
    Shader shader;
    std::vector<Declaration> declarations;
    bool upper = false;             ///< it says somewhere that its gl_FragCoord counts from the upper left
    bool own_macro = false;         ///< it has a macro of that name
    const char *unclear = nullptr;  ///< what leaves open where gl_FragCoord counts from
    const char *no_macro = nullptr; ///< why ours cannot take its place

    Fragment(const std::vector<std::string_view> &strings, bool es) : shader(strings, es) {
        int depth = 0;
        const std::vector<Token> &tokens = shader.tokens;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const Token &token = tokens[i];
            depth += opens(token) ? 1 : is_directive(token, "endif") ? -1 : 0;
            upper = upper || is_word(token, above);
            if (token.kind == Kind::macro && token.text == name)
                own_macro = true;
            else if (token.kind == Kind::condition && token.text == name)
                no_macro = "it asks whether gl_FragCoord is a macro";
            else if (declares(tokens, i) && token.kind == Kind::define_word)
                no_macro = "it declares gl_FragCoord by a macro";
            else if (declares(tokens, i))
                declarations.push_back(declaration(i, depth > 0));
        }
        find_unclear();
    }

    /// The text does not tell which words are uses.
    bool needs_macro() const {
        return shader.may_join(name) || own_macro ||
               std::any_of(declarations.begin(), declarations.end(),
                           [](const Declaration &one) { return one.upper && one.conditional; });
    }

  private:
    Declaration declaration(std::size_t at, bool conditional) const {
        const std::vector<Token> &tokens = shader.tokens;
        Declaration one{at, at, false, conditional};
        while (one.begin > 0 && is_code(tokens[one.begin - 1]) && !is_sign(tokens[one.begin - 1], ';') &&
               !is_sign(tokens[one.begin - 1], '}'))
            --one.begin;
        while (one.end + 1 < tokens.size() && !is_sign(tokens[one.end], ';'))
            ++one.end;
        for (std::size_t i = one.begin; i < at; ++i)
            one.upper = one.upper || is_word(tokens[i], above);
        return one;
    }

    void find_unclear() {
        int depth = 0;
        for (std::size_t i = 0; i < shader.tokens.size(); ++i) {
            const Token &token = shader.tokens[i];
            depth += opens(token) ? 1 : is_directive(token, "endif") ? -1 : 0;
            if (is_word(token, above) && !declared_above(i) && (depth > 0 || token.kind == Kind::word))
                unclear = "a macro decides where its gl_FragCoord counts from";
        }
    }

    bool declared_above(std::size_t i) const {
        return std::any_of(declarations.begin(), declarations.end(),
                           [i](const Declaration &one) { return one.upper && one.begin <= i && i <= one.end; });
    }
};

std::string macro(const char *origin) { return "#define gl_FragCoord " + whole_position(origin) + "\n"; }

void replace_uses(const Fragment &fragment, Edits &edits) {
    const std::vector<Token> &tokens = fragment.shader.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (is_word(tokens[i], name) && !declares(tokens, i))
            edits.replace(tokens[i].at, tokens[i].length, whole_position(fragment.upper ? upper_origin : lower_origin));
}

/// Takes the macro away from a declaration, and puts the right one behind it.
void surround(const Shader &shader, const Declaration &one, Edits &edits) {
    const Token &first = shader.tokens[one.begin], &last = shader.tokens[one.end];
    edits.insert(first.at, marked("\n#undef gl_FragCoord\n" + shader.line_directive(first)));
    edits.insert(last.at + last.length, marked("\n" + macro(one.upper ? upper_origin : lower_origin) +
                                               shader.line_directive(last.at + last.length, last.line)));
}

/// Makes room for a macro of the program: its text may have gl_FragCoord in it.
void give_way(const Shader &shader, std::size_t &i, const char *origin, Edits &edits) {
    const std::vector<Token> &tokens = shader.tokens;
    const Token &directive = tokens[i - 1];
    const bool defines = is_directive(directive, "define");
    if (defines)
        edits.insert(directive.at, marked("#undef gl_FragCoord\n" + shader.line_directive(directive)));
    for (; i + 1 < tokens.size() && tokens[i + 1].kind == Kind::define_word; ++i)
        if (tokens[i + 1].text == name)
            edits.replace(tokens[i + 1].at, tokens[i + 1].length, whole_position(origin));
    const std::size_t end = shader.source.find('\n', directive.at);
    if (!defines && end != shader.source.npos)
        edits.insert(end + 1, marked(macro(origin) + shader.line_directive(end, directive.line + 1)));
}

void define_macro(const Fragment &fragment, Edits &edits) {
    const Shader &shader = fragment.shader;
    for (const Declaration &one : fragment.declarations)
        surround(shader, one, edits);
    // A declaration comes before all uses, so one that holds in any case also holds for the macros of the program.
    const bool upper = std::any_of(fragment.declarations.begin(), fragment.declarations.end(),
                                   [](const Declaration &one) { return one.upper && !one.conditional; });
    for (std::size_t i = 1; i < shader.tokens.size(); ++i)
        if (shader.tokens[i].kind == Kind::macro && shader.tokens[i].text == name)
            give_way(shader, i, upper ? upper_origin : lower_origin, edits);
}

/// What the shader declares of ours, before all else.
std::string declarations_for(const Fragment &fragment, bool by_macro, int locations) {
    const Shader &shader = fragment.shader;
    std::string text;
    for (const bool upper : {false, true}) {
        if (by_macro ? upper && !fragment.upper : upper != fragment.upper)
            continue;
        text += (text.empty() ? "" : " ") + shader.layout(upper ? 1 : 0, locations) +
                (shader.es ? "uniform highp vec4 " : "uniform vec4 ") + (upper ? upper_origin : lower_origin) + ";";
    }
    if (!by_macro)
        return text;
    return text + "\n" +
           (fragment.own_macro ? "#ifndef gl_FragCoord\n" + macro(lower_origin) + "#endif\n" : macro(lower_origin));
}

} // namespace

std::optional<Strings> translate_fragment(const std::vector<std::string_view> &strings, int locations,
                                          std::string *doubt, bool es) {
    const Fragment fragment(strings, es);
    const Shader &shader = fragment.shader;
    const bool needs_macro = fragment.needs_macro(), by_macro = needs_macro && !fragment.no_macro;
    if (doubt && (fragment.unclear || needs_macro != by_macro))
        *doubt = fragment.unclear ? fragment.unclear : fragment.no_macro;
    Edits edits;
    if (!by_macro)
        replace_uses(fragment, edits);
    if (!by_macro && edits.empty())
        return std::nullopt;
    shader.declare(edits, declarations_for(fragment, by_macro, locations),
                   shader.directives(shader.layout(0, locations)));
    if (by_macro)
        define_macro(fragment, edits);
    return edits.apply(strings);
}

} // namespace mpiglut::gl
