#include "program/program_file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace mpiglut::launcher {
namespace {

constexpr std::uint64_t most_bytes = 64u << 20; ///< of a table; a file may claim anything

} // namespace

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

Dynamic::Dynamic(const std::string &path) : file_(path, std::ios::binary) {
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

std::vector<std::string> Dynamic::texts_of(long tag) const {
    std::vector<std::string> texts;
    for (const Entry &entry : entries_)
        if (entry.d_tag == tag && entry.d_un.d_val < strings_.size())
            texts.emplace_back(&strings_[entry.d_un.d_val]);
    return texts;
}

std::vector<std::string> Dynamic::folders() const {
    std::vector<std::string> all;
    for (const long tag : {DT_RUNPATH, DT_RPATH})
        for (const std::string &list : texts_of(tag))
            for (std::size_t from = 0; from <= list.size();) {
                const std::size_t end = std::min(list.find(':', from), list.size());
                all.push_back(list.substr(from, end - from));
                from = end + 1;
            }
    return all;
}

bool Dynamic::read(std::uint64_t at, void *to, std::size_t bytes) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    return bool(file_.read(static_cast<char *>(to), static_cast<std::streamsize>(bytes)));
}

template <class T> std::vector<T> Dynamic::table(std::uint64_t at, std::uint64_t bytes) {
    std::vector<T> all(bytes <= most_bytes ? bytes / sizeof(T) : 0);
    if (!all.empty() && !read(at, all.data(), all.size() * sizeof(T)))
        all.clear();
    return all;
}

std::uint64_t Dynamic::value(long tag) const {
    const auto found = std::ranges::find(entries_, tag, &Entry::d_tag);
    return found == entries_.end() ? 0 : found->d_un.d_val;
}

std::optional<std::uint64_t> Dynamic::offset(std::uint64_t address) const {
    for (const Segment &segment : segments_)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
}

} // namespace mpiglut::launcher
