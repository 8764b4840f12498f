#include "program_environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace mpiglut::launcher {
namespace {

// As <link.h> has them, which would find this folder's own.
constexpr bool wide = sizeof(void *) == 8;
using Header = std::conditional_t<wide, Elf64_Ehdr, Elf32_Ehdr>;
using Segment = std::conditional_t<wide, Elf64_Phdr, Elf32_Phdr>;
using Entry = std::conditional_t<wide, Elf64_Dyn, Elf32_Dyn>;

constexpr std::uint64_t most_bytes = 64u << 20; ///< of a table; a file may claim anything

/// Empty where the program is nowhere.
std::string path_of(const std::string &program, const std::string &directory) {
    if (program.starts_with('/'))
        return program;
    if (program.find('/') != program.npos)
        return directory + "/" + program;
    const char *path = std::getenv("PATH");
    std::string_view folders = path ? path : "/bin:/usr/bin";
    for (;;) {
        const auto end = std::min(folders.find(':'), folders.size());
        const std::string folder(folders.substr(0, end));
        std::string file = (folder.starts_with('/') ? folder : directory + "/" + folder) + "/" + program;
        if (::access(file.c_str(), X_OK) == 0)
            return file;
        if (end == folders.size())
            return {};
        folders.remove_prefix(end + 1);
    }
}

/// The dynamic section of a program's file, and the strings that it refers to.
class Dynamic {
  public:
    explicit Dynamic(const std::string &path) : file_(path, std::ios::binary) {
        Header header{};
        if (!read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != (wide ? ELFCLASS64 : ELFCLASS32) || header.e_phentsize != sizeof(Segment))
            return;
        segments_ = table<Segment>(header.e_phoff, header.e_phnum * sizeof(Segment));
        for (const Segment &segment : segments_)
            if (segment.p_type == PT_DYNAMIC)
                entries_ = table<Entry>(segment.p_offset, segment.p_filesz);
        const auto at = offset(value(DT_STRTAB));
        if (at)
            strings_ = table<char>(*at, value(DT_STRSZ));
        strings_.push_back('\0');
    }

    std::vector<std::string> needed() const {
        std::vector<std::string> names;
        for (const Entry &entry : entries_)
            if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < strings_.size())
                names.emplace_back(&strings_[entry.d_un.d_val]);
        return names;
    }
    /// Of a symbol, for instance, which the program has or needs.
    bool names(std::string_view name) const {
        return std::string_view(strings_.data(), strings_.size()).find(name) != std::string_view::npos;
    }

  private:
    bool read(std::uint64_t at, void *to, std::size_t bytes) {
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(at));
        return bool(file_.read(static_cast<char *>(to), static_cast<std::streamsize>(bytes)));
    }
    template <class T> std::vector<T> table(std::uint64_t at, std::uint64_t bytes) {
        std::vector<T> all(bytes <= most_bytes ? bytes / sizeof(T) : 0);
        if (!all.empty() && !read(at, all.data(), all.size() * sizeof(T)))
            all.clear();
        return all;
    }
    std::uint64_t value(long tag) const {
        const auto found = std::ranges::find(entries_, tag, &Entry::d_tag);
        return found == entries_.end() ? 0 : found->d_un.d_val;
    }
    std::optional<std::uint64_t> offset(std::uint64_t address) const {
        for (const Segment &segment : segments_)
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
                return segment.p_offset + (address - segment.p_vaddr);
        return std::nullopt;
    }

    std::ifstream file_;
    std::vector<Segment> segments_;
    std::vector<Entry> entries_;
    std::vector<char> strings_;
};

bool is_runtime(std::string_view library) {
    constexpr std::array<std::string_view, 6> names{"libasan.", "libtsan.",   "libubsan.",
                                                    "liblsan.", "libhwasan.", "libclang_rt."};
    return std::ranges::any_of(names, [library](std::string_view name) { return library.starts_with(name); });
}

} // namespace

Sanitizers sanitizers_of(const std::string &program, const std::string &directory) {
    const Dynamic dynamic(path_of(program, directory));
    Sanitizers found{.any = dynamic.names("__asan_init") || dynamic.names("__tsan_init"), .runtimes = {}};
    for (const std::string &library : dynamic.needed())
        if (is_runtime(library))
            found.runtimes += library + ":";
    return found;
}

} // namespace mpiglut::launcher
