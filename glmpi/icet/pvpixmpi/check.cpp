// libpvpixmpi: pvpixmpi preloads it before libicet_pixmpi. It checks that the program's calls of IceT reach pixmpi, says
// so, and ends the program when one of them does not: what one library makes would crash in the other one.
#include "icet_pixmpi.h"
#include "pixmpi_errors.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

/// By MPI where that runs: if ranks only exit, mpiexec of MPICH 4.2 may end with status 0.
[[noreturn]] void end(const std::string &text, bool has_mpi) {
    const std::string line = "pvpixmpi: " + text;
    const auto abort = reinterpret_cast<decltype(&pixMPI_Errors_abort)>(dlsym(RTLD_DEFAULT, "pixMPI_Errors_abort"));
    if (has_mpi && abort)
        abort(MPI_Comm{}, 1, line.c_str(), nullptr);
    std::fprintf(stderr, "%s\n", line.c_str());
    std::fflush(nullptr);
    _exit(1);
}

std::string file_name(const char *path) {
    const char *const slash = std::strrchr(path, '/');
    return slash ? slash + 1 : *path ? path : "the program";
}

/// The file that an address lies in.
std::string file_of(const void *address) {
    Dl_info info{};
    return address && dladdr(address, &info) ? file_name(info.dli_fname) : std::string();
}

bool is_ours(const std::string &file) { return file.starts_with("libicet_pixmpi") || file.starts_with("libpvpixmpi"); }

/// A loaded file, with what its dynamic section says of symbols and relocations.
class Object {
  public:
    explicit Object(const dl_phdr_info &info) : base_(info.dlpi_addr), name_(file_name(info.dlpi_name)) {
        for (int i = 0; i < info.dlpi_phnum; ++i) {
            const auto &part = info.dlpi_phdr[i];
            if (part.p_type == PT_DYNAMIC)
                read(reinterpret_cast<const ElfW(Dyn) *>(base_ + part.p_vaddr));
            else if (part.p_type == PT_LOAD)
                end_ = std::max(end_, base_ + part.p_vaddr + part.p_memsz);
        }
    }
    const std::string &name() const { return name_; }

    /// IceT's functions that this file calls, each with the file that the call reaches.
    std::map<std::string, std::string> calls() const {
        std::map<std::string, std::string> calls;
        for (const Table &table : {plt_, data_})
            for (std::size_t i = 0; symbols_ && strings_ && i < table.bytes / sizeof(ElfW(Rela)); ++i) {
                const ElfW(Sym) &symbol = symbols_[ELF64_R_SYM(table.first[i].r_info)];
                const std::string name = strings_ + symbol.st_name;
                if (symbol.st_shndx == SHN_UNDEF && name.starts_with("icet"))
                    calls[name] = reached(name, table.first[i].r_offset);
            }
        return calls;
    }

  private:
    struct Table {
        const ElfW(Rela) *first = nullptr;
        std::size_t bytes = 0;
    };
    void read(const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            const auto value = entry->d_un.d_ptr;
            if (entry->d_tag == DT_SYMTAB)
                symbols_ = reinterpret_cast<const ElfW(Sym) *>(value);
            else if (entry->d_tag == DT_STRTAB)
                strings_ = reinterpret_cast<const char *>(value);
            else if (entry->d_tag == DT_JMPREL)
                plt_.first = reinterpret_cast<const ElfW(Rela) *>(value);
            else if (entry->d_tag == DT_PLTRELSZ)
                plt_.bytes = value;
            else if (entry->d_tag == DT_RELA)
                data_.first = reinterpret_cast<const ElfW(Rela) *>(value);
            else if (entry->d_tag == DT_RELASZ)
                data_.bytes = value;
        }
    }
    /// A call that was never made goes to a stub of the file itself. The stub will find what dlsym finds.
    std::string reached(const std::string &name, ElfW(Addr) slot) const {
        const auto now = *reinterpret_cast<const ElfW(Addr) *>(base_ + slot);
        const bool is_stub = now >= base_ && now < end_;
        return file_of(is_stub ? dlsym(RTLD_DEFAULT, name.c_str()) : reinterpret_cast<const void *>(now));
    }

    const ElfW(Addr) base_;
    ElfW(Addr) end_ = 0;
    const std::string name_;
    const ElfW(Sym) *symbols_ = nullptr;
    const char *strings_ = nullptr;
    Table plt_, data_;
};

/// Of the program and its libraries. The kernel's own has addresses of another kind, and calls nothing.
std::vector<Object> loaded() {
    std::vector<Object> objects;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *into) {
            if (!std::strstr(info->dlpi_name, "linux-vdso") && !std::strstr(info->dlpi_name, "linux-gate"))
                static_cast<std::vector<Object> *>(into)->emplace_back(*info);
            return 0;
        },
        &objects);
    return objects;
}

/// IceT's own libraries call each other, which no program reaches when all its calls are ours.
void check_calls(bool speaks) {
    for (const Object &object : loaded()) {
        if (is_ours(object.name()) || object.name().find("IceT") != std::string::npos)
            continue;
        const auto calls = object.calls();
        for (const auto &[name, file] : calls)
            if (!is_ours(file))
                end(name + " of " + object.name() + " is " + (file.empty() ? "nowhere" : "in " + file) +
                        ", expected all icet* symbols in libicet_pixmpi",
                    true);
        if (speaks && !calls.empty())
            std::fprintf(stderr, "pvpixmpi: all %zu icet* symbols of %s are pixmpi's\n", calls.size(),
                         object.name().c_str());
    }
}

/// Two MPI libraries in one process crash, before anything else is said.
__attribute__((constructor)) void check_mpi() {
    std::string open_mpi, mpich;
    for (const Object &object : loaded())
        if (object.name().starts_with("libmpi.so."))
            open_mpi = object.name();
        else if (object.name().starts_with("libmpich.so."))
            mpich = object.name();
    if (!open_mpi.empty() && !mpich.empty())
        end("the program has " + open_mpi + " and " + mpich +
            ", expected one MPI: use a pixmpi that was built with the program's (PIXMPI_MPI)",
            false);
}

} // namespace

/// Before the library's own: by now the libraries that call IceT are loaded.
ICET_EXPORT IceTContext icetCreateContext(IceTCommunicator comm) {
    static bool spoken = false;
    check_calls(!spoken && comm && comm->Comm_rank(comm) == 0);
    spoken = true;
    const auto next = reinterpret_cast<IceTContext (*)(IceTCommunicator)>(dlsym(RTLD_NEXT, "icetCreateContext"));
    if (!next)
        end("libicet_pixmpi is not loaded, expected it in LD_PRELOAD after libpvpixmpi", true);
    return next(comm);
}
