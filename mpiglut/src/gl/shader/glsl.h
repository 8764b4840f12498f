// Shader text with whole-window coordinates: pure text in, text out, no GL calls.
//
// A fragment shader sees gl_FragCoord relative to the real drawable, which is the window's part. Every use of it
// becomes (gl_FragCoord+mpiglut_FragOrigin), a uniform that is the part's origin; by a macro, where uses are put
// together of pieces. Lines stay where they are, so that the compiler's messages keep their line numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::gl {

/// The uniform, for fragment shaders with a gl_FragCoord that counts from the lower and from the upper left: declared
/// under different names, so that a linked program tells by itself what it needs.
inline constexpr const char *lower_origin = "mpiglut_FragOrigin", *upper_origin = "mpiglut_FragOriginUpper";
/// What every name that this library puts into a program starts with.
inline constexpr const char *reserved_prefix = "mpiglut_";

enum class Stage { vertex, evaluation, geometry };
/// The uniform with scale and offset of clip coordinates; each stage has its own, since only the last one's counts.
const char *crop_uniform(Stage stage);

/// The library's uniforms take the last of a number of locations. The program's own uniforms then have the locations
/// that they have without the library: some programs use 0 without asking. In the functions below, `locations` is that
/// number, or 0 if shaders cannot choose locations.
inline constexpr int own_locations = 5;

/// As many strings as came in, each with its changes.
using Strings = std::vector<std::string>;

/// Nothing when the shader does not use gl_FragCoord. `doubt`: why the text does not tell what is right, if so. `es`: it
/// is for a context of OpenGL ES.
std::optional<Strings> translate_fragment(const std::vector<std::string_view> &strings, int locations = 0,
                                          std::string *doubt = nullptr, bool es = false);

/// Makes gl_Position pass through the uniform crop_uniform(stage), which is (scale - 1, offset), so that 0 changes
/// nothing: xy += xy * (scale - 1) + w * offset. Nothing when the text has no main (a geometry shader: emits no
/// vertices), or uses the fixed function's projection, which has the crop in it already. `doubt`: as above.
std::optional<Strings> translate_position(const std::vector<std::string_view> &strings, Stage stage, int locations = 0,
                                          std::string *doubt = nullptr, bool es = false);

/// How a shader changes the words of a buffer. `mixed`: in several ways, or the text does not tell.
enum class Change { assigned, added, least, least_signed, greatest, greatest_signed, anded, ored, xored, mixed };
/// A block of shader storage that the shader writes to. No name: it may be any.
struct WrittenBlock {
    std::string name;
    Change change = Change::mixed;
    bool operator==(const WrittenBlock &) const = default;
};
/// What the shader writes in addition to its outputs.
struct SideEffects {
    std::vector<WrittenBlock> blocks;
    std::optional<Change> counters; ///< how atomic counters change
    bool images = false;
    bool operator==(const SideEffects &) const = default;
    bool to_buffers() const { return counters.has_value() || !blocks.empty(); }
};
SideEffects side_effects(const std::vector<std::string_view> &strings);

/// The program's own text again.
std::string untranslated(std::string text);

/// ARB and NV assembly: fragment.position plus program.env[parameter] (for an upper-left origin, program.env[parameter
/// - 1]). Nothing when the text is not such a program or does not use it.
std::optional<std::string> translate_assembly(std::string_view program, int parameter);

} // namespace mpiglut::gl
