// Files of programs: where they are found, what they need, and what they are: programs of GLUT (the wall answers their
// calls), or of X11 (their connection to the X server is shown to all ranks).
#pragma once

#include "run/options.h"

#include <cstdint>
#include <elf.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mpiglut::launcher {

/// The file that execvp would execute from this working directory. Empty where the program is nowhere.
std::string path_of(const std::string &program, const std::string &directory);

/// The dynamic section of a program's or library's file, and the strings that it refers to. Empty where it is no ELF
/// file of this machine's word size.
class Dynamic {
  public:
    explicit Dynamic(const std::string &path);

    bool is_empty() const { return entries_.empty(); }
    /// The libraries that it names.
    std::vector<std::string> needed() const { return texts_of(DT_NEEDED); }
    /// Folders where it wants them to be looked for, as it says them.
    std::vector<std::string> folders() const;
    /// Of a symbol, for instance, which the program has or needs.
    bool names(std::string_view name) const {
        return std::string_view(strings_.data(), strings_.size()).find(name) != std::string_view::npos;
    }

  private:
    // As <link.h> has them, which would find this folder's own.
    static constexpr bool wide = sizeof(void *) == 8;
    using Header = std::conditional_t<wide, Elf64_Ehdr, Elf32_Ehdr>;
    using Segment = std::conditional_t<wide, Elf64_Phdr, Elf32_Phdr>;
    using Entry = std::conditional_t<wide, Elf64_Dyn, Elf32_Dyn>;

    std::vector<std::string> texts_of(long tag) const;
    bool read(std::uint64_t at, void *to, std::size_t bytes);
    template <class T> std::vector<T> table(std::uint64_t at, std::uint64_t bytes);
    std::uint64_t value(long tag) const;
    std::optional<std::uint64_t> offset(std::uint64_t address) const;

    std::ifstream file_;
    std::vector<Segment> segments_;
    std::vector<Entry> entries_;
    std::vector<char> strings_;
};

struct ProgramKind {
    System system = System::glut;
    std::string why;     ///< "it needs libX11.so.6"; empty where nothing speaks for either
    std::string refused; ///< why no library can be put into it
};

/// Looks at the program's file, at the libraries that it needs, and, of an interpreter, at its script. A program that
/// is nowhere, or that says nothing, is one of GLUT: so it is found by what happens.
ProgramKind look_at_program(const std::vector<std::string> &program, const std::string &directory);

} // namespace mpiglut::launcher
