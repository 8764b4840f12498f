// ARB_fragment_program: a temporary takes the place of fragment.position.
#include "gl/shader/glsl.h"
#include "gl/shader/glsl_scan.h"

#include <cctype>

namespace mpiglut::gl {

namespace {

constexpr std::string_view position = "fragment.position";

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.'; }

/// The text with comments (# to the end of the line) blanked, so that positions stay the same.
std::string without_comments(std::string_view program) {
    std::string text(program);
    bool comment = false;
    for (char &c : text) {
        comment = (comment || c == '#') && c != '\n';
        if (comment)
            c = ' ';
    }
    return text;
}

std::size_t skip_space(const std::string &text, std::size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
    return at;
}

/// Behind the header and its OPTION statements.
std::size_t first_statement(const std::string &text) {
    std::size_t at = text.find_first_of(" \t\r\n");
    if (at == text.npos)
        return text.size();
    while (text.compare(skip_space(text, at), 6, "OPTION") == 0) {
        const std::size_t end = text.find(';', at);
        if (end == text.npos)
            break;
        at = end + 1;
    }
    return at;
}

} // namespace

std::optional<std::string> translate_assembly(std::string_view program, int parameter) {
    const std::string text = without_comments(program);
    if (!text.starts_with("!!ARBfp") && !text.starts_with("!!NVfp"))
        return std::nullopt;
    const std::size_t start = first_statement(text);
    Edits edits;
    for (std::size_t at = text.find(position, start); at != text.npos; at = text.find(position, at + 1)) {
        const std::size_t end = at + position.size();
        // A dot behind it is a swizzle; anything else makes it another name.
        if (in_name(text[at - 1]) || (end < text.size() && text[end] != '.' && in_name(text[end])))
            continue;
        const std::size_t statement = skip_space(text, std::max(text.rfind(';', at) + 1, start));
        if (text.compare(statement, 6, "ATTRIB") == 0)
            edits.replace(statement, 6, "ALIAS");
        edits.replace(at, position.size(), "mpiglut_position");
    }
    if (edits.empty())
        return std::nullopt;
    const bool upper_left = text.find("ARB_fragment_coord_origin_upper_left") < start;
    edits.insert(start, " PARAM mpiglut_origin = program.env[" + std::to_string(parameter - (upper_left ? 1 : 0)) +
                            "]; TEMP mpiglut_position; ADD mpiglut_position, fragment.position, mpiglut_origin;");
    return edits.apply({program}).front();
}

} // namespace mpiglut::gl
