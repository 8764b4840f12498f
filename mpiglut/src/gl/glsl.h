// Shader text with whole-window coordinates: pure text in, text out, no GL calls.
//
// A fragment shader sees gl_FragCoord relative to the real drawable, which is the window's part. Every use of it
// becomes (gl_FragCoord+mpiglut_FragOrigin), a uniform that is the part's origin. Lines stay where they are, so that
// the compiler's messages keep their line numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::gl {

inline constexpr const char *fragment_origin = "mpiglut_FragOrigin";
/// What every name that this library puts into a program starts with.
inline constexpr const char *reserved_prefix = "mpiglut_";

enum class Stage { vertex, evaluation, geometry };
/// The uniform with scale and offset of clip coordinates, its own name for each stage: only the last stage's matters.
const char *sub_window(Stage stage);

struct Translation {
    std::vector<std::string> strings; ///< as many as came in, each with its changes
    bool upper_left = false;          ///< gl_FragCoord is declared with its origin at the upper left
};

/// Nothing when the shader does not use gl_FragCoord.
std::optional<Translation> translate_fragment(const std::vector<std::string_view> &strings);

/// Makes gl_Position pass through the uniform sub_window(stage): xy*scale + offset*w. Nothing when the text has no main
/// (or, for a geometry shader, emits no vertices).
std::optional<Translation> translate_position(const std::vector<std::string_view> &strings, Stage stage);

/// ARB and NV assembly: fragment.position plus program.env[parameter] (for an upper-left origin, program.env[parameter
/// - 1]). Nothing when the text is not such a program or does not use it.
std::optional<std::string> translate_assembly(std::string_view program, int parameter);

} // namespace mpiglut::gl
