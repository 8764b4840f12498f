#include "program/program_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_text = 64u << 20, most_libraries = 400, most_words = 400,
                      longest_word = 4096;

constexpr std::array<std::string_view, 3> of_glut{"libglut.so", "libfreeglut", "libOpenGLUT"};
constexpr std::array<std::string_view, 14> of_x11{"libX11.so",    "libxcb.so",    "libGL.so",  "libGLX.so", "libEGL.so",
                                                  "libGLESv2.so", "libOpenGL.so", "libSDL-1",  "libSDL2",   "libSDL3",
                                                  "libglfw.so",   "libQt5Gui",    "libQt6Gui", "libXt.so"};
/// Libraries by which a program reaches an X server, at least as well as a Wayland compositor.
constexpr std::array<std::string_view, 10> of_x_clients{"libX11.so", "libxcb.so", "libSDL",  "libglfw", "libQt5Gui",
                                                        "libQt6Gui", "libgdk-",   "libgtk-", "libsfml", "libXt.so"};
constexpr std::string_view of_wayland = "libwayland-client.so", mark_of_go = "\xff Go buildinf:";
/// In the text of a script, in small letters.
constexpr std::array<std::string_view, 17> of_script{"x11",      "xlib",  "xcb",    "tkinter",       "pygame", "pyglet",
                                                     "glfw",     "pyqt",  "pyside", "gi.repository", "raylib", "opengl",
                                                     "moderngl", "vispy", "sdl2",   "wxpython",      "kivy"};
/// Without their versions, as of python3.11 or lua5.4.
constexpr std::array<std::string_view, 12> interpreters{"python", "perl",   "ruby", "lua",  "luajit", "guile",
                                                        "node",   "nodejs", "bash", "dash", "tclsh",  "sh"};

template <class Names> std::string_view found_in(std::string_view text, const Names &names) {
    const auto found = std::ranges::find_if(
        names, [text](std::string_view name) { return text.find(name) != std::string_view::npos; });
    return found == std::end(names) ? std::string_view() : *found;
}

template <class Names> bool begins_with_any(std::string_view text, const Names &names) {
    return std::ranges::any_of(names, [text](std::string_view name) { return text.starts_with(name); });
}

bool is_interpreter(std::string_view name) {
    return std::ranges::find(interpreters, name.substr(0, name.find_first_of("0123456789.-"))) != interpreters.end();
}

/// Of a large file the beginning.
std::string text_of(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::string text;
    std::error_code none;
    if (const auto size = fs::file_size(path, none); !none && fs::is_regular_file(path, none)) {
        text.resize(std::min<std::size_t>(size, most_text));
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    }
    return text;
}

std::string in_small_letters(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Where the dynamic linker would look, more or less.
std::vector<std::string> folders_for(const std::string &program, const Dynamic &dynamic) {
    std::vector<std::string> folders = dynamic.folders();
    const std::string origin = fs::path(program).parent_path();
    for (std::string &folder : folders)
        for (const std::string_view word : {"$ORIGIN", "${ORIGIN}"})
            if (const auto at = folder.find(word); at != folder.npos)
                folder.replace(at, word.size(), origin);
    if (const char *path = std::getenv("LD_LIBRARY_PATH")) {
        std::istringstream list(path);
        for (std::string folder; std::getline(list, folder, ':');)
            folders.push_back(folder);
    }
    for (const char *folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                               "/usr/lib/aarch64-linux-gnu", "/usr/local/lib", "/lib64", "/usr/lib64", "/usr/lib"})
        folders.emplace_back(folder);
    return folders;
}

/// All libraries that it needs, also by others, from near to far; until one is `enough`.
std::set<std::string> libraries_of(const std::string &program,
                                   const std::function<bool(const std::string &)> &enough = {}) {
    const Dynamic dynamic(program);
    const std::vector<std::string> folders = folders_for(program, dynamic);
    std::set<std::string> seen;
    std::deque<std::string> waiting;
    const auto add = [&](const std::vector<std::string> &needed) {
        for (const std::string &name : needed)
            if (seen.size() < most_libraries && seen.insert(name).second)
                waiting.push_back(name);
    };
    for (add(dynamic.needed()); !waiting.empty(); waiting.pop_front()) {
        const std::string name = waiting.front();
        if (enough && enough(name))
            break;
        for (const std::string &folder : folders)
            if (const std::string file = folder + "/" + name; ::access(file.c_str(), R_OK) == 0) {
                add(Dynamic(file).needed());
                break;
            }
    }
    return seen;
}

/// GLUT counts wherever it is: a program may need it by a library of its own.
ProgramKind look_at_libraries(const std::string &program) {
    ProgramKind kind;
    libraries_of(program, [&kind](const std::string &name) {
        const bool is_glut = begins_with_any(name, of_glut);
        if (is_glut || (kind.why.empty() && begins_with_any(name, of_x11)))
            kind = {.system = is_glut ? System::glut : System::x11, .why = "it needs " + name, .refused = {}};
        return is_glut;
    });
    return kind;
}

/// Names of libraries that it may load while it runs.
ProgramKind look_at_names(std::string_view text) {
    if (const auto name = found_in(text, of_glut); !name.empty())
        return {.system = System::glut, .why = "it has the name " + std::string(name), .refused = {}};
    if (const auto name = found_in(text, of_x11); !name.empty())
        return {.system = System::x11, .why = "it has the name " + std::string(name), .refused = {}};
    return {};
}

bool needs(const std::set<std::string> &libraries, std::string_view name) {
    return std::ranges::any_of(libraries, [name](const std::string &one) { return one.starts_with(name); });
}

/// By a library of C, needed or loaded while it runs.
bool reaches_x(const std::string &path, std::string_view text) {
    const std::set<std::string> libraries = libraries_of(path);
    return !found_in(text, of_x_clients).empty() ||
           std::ranges::any_of(of_x_clients, [&](std::string_view name) { return needs(libraries, name); });
}

std::string obstacle(const std::string &path, std::string_view text) {
    struct stat facts {};
    const bool there = ::stat(path.c_str(), &facts) == 0;
    if (there && (facts.st_mode & S_ISUID) && facts.st_uid != ::getuid())
        return "it is setuid: the system puts no library into such programs";
    constexpr mode_t as_group = S_ISGID | S_IXGRP;
    if (there && (facts.st_mode & as_group) == as_group && facts.st_gid != ::getgid())
        return "it is setgid: the system puts no library into such programs (a copy of it is not)";
    if (text.size() > EI_CLASS && text[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        return "it is a 32-bit program, and this libmpiglut is not";
    if (text.find(mark_of_go) != text.npos && !reaches_x(path, text))
        return "it is written in Go and talks to the X server by system calls of its own, not by the C library";
    if (const Dynamic dynamic(path); dynamic.is_empty() || dynamic.needed().empty())
        return "it is linked statically: no library can be put into it";
    if (needs(libraries_of(path), of_wayland) && !reaches_x(path, text))
        return "it is a program of Wayland alone, and the server of a wall is one of X11";
    return {};
}

ProgramKind look_at_file(const std::string &path, std::string_view text) {
    ProgramKind kind = look_at_libraries(path);
    if (kind.why.empty())
        kind = look_at_names(text);
    kind.refused = obstacle(path, text);
    if (kind.why.empty() && kind.refused.find("Wayland") != std::string::npos)
        kind = {.system = System::x11, .why = "it needs " + std::string(of_wayland), .refused = kind.refused};
    return kind;
}

bool is_elf(std::string_view text) { return text.starts_with(ELFMAG); }

/// A script's, as far as it assigns words to them.
class ShellVariables {
  public:
    /// The word with their values; of an assignment its value.
    std::string expand(std::string word) {
        static const std::regex variable(R"(\$(\w+)|\$\{(\w+)\})"), assignment(R"((\w+)=(.*))");
        std::smatch found;
        for (std::size_t from = 0; std::regex_search(word.cbegin() + from, word.cend(), found, variable);) {
            const std::string name = found[1].matched ? found[1] : found[2];
            const auto value = values_.find(name);
            const char *const inherited = std::getenv(name.c_str());
            const std::string text = value != values_.end() ? value->second : inherited ? inherited : "";
            if (word.size() + text.size() > longest_word)
                return {};
            const std::size_t at = from + found.position();
            word.replace(at, found.length(), text);
            from = at + text.size();
        }
        return std::regex_match(word, found, assignment) ? values_[found[1]] = found[2].str() : word;
    }

  private:
    std::map<std::string, std::string> values_;
};

/// Shell scripts name programs, others libraries.
ProgramKind look_at_script(const std::string &text, const std::string &directory) {
    if (in_small_letters(text).find("glut") != std::string::npos)
        return {.system = System::glut, .why = "its script mentions GLUT", .refused = {}};
    if (const auto word = found_in(in_small_letters(text), of_script); !word.empty())
        return {.system = System::x11, .why = "its script mentions " + std::string(word), .refused = {}};
    std::istringstream words(text);
    std::set<std::string> seen;
    ShellVariables variables;
    for (std::string word; seen.size() < most_words && words >> word;) {
        std::erase_if(word, [](char c) { return c == '"' || c == '\'' || c == ';' || c == '(' || c == ')'; });
        word = word.size() > longest_word ? "" : variables.expand(word);
        if (word.empty() || !seen.insert(word).second)
            continue;
        const std::string path = path_of(word, directory);
        std::error_code none;
        if (path.empty() || !fs::is_regular_file(path, none) || Dynamic(path).is_empty())
            continue;
        if (const ProgramKind kind = look_at_libraries(path); !kind.why.empty())
            return {.system = kind.system, .why = "its script names " + word, .refused = {}};
    }
    return {};
}

} // namespace

ProgramKind look_at_program(const std::vector<std::string> &program, const std::string &directory) {
    const std::string path = path_of(program.front(), directory);
    const std::string text = path.empty() ? "" : text_of(path);
    const std::string name = fs::path(path).filename();
    if (text.starts_with("#!"))
        return look_at_script(text, directory);
    if (is_elf(text) && is_interpreter(name)) {
        std::string said;
        for (auto word = program.begin() + 1; word != program.end(); ++word) {
            const std::string file = word->starts_with('/') ? *word : directory + "/" + *word;
            const std::string of_file = text_of(file);
            said += (is_elf(of_file) || of_file.empty() ? *word : of_file) + "\n";
        }
        return look_at_script(said, directory);
    }
    return is_elf(text) ? look_at_file(path, text) : ProgramKind{};
}

} // namespace mpiglut::launcher
