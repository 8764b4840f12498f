#include "clock/libraries.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mpiglut::clock {

namespace {

// What goes by the real time, by the beginning of the file's name.
constexpr std::string_view system_libraries[] = {
    // the C and C++ libraries; what a program asks of std::chrono is caught in front of them
    "ld-linux", "ld64", "ld-musl", "linux-vdso", "libc.", "libc-2", "libpthread", "librt.", "librt-", "libdl.",
    "libresolv", "libnss_", "libgcc_s", "libstdc++", "libc++", "libunwind",
    // allocators: they look at the time when they like, with their locks held
    "libjemalloc", "libtcmalloc", "libmimalloc", "libtbbmalloc",
    // the window system and what it stands on
    "libX11", "libXau", "libXaw", "libXcursor", "libXdmcp", "libXext", "libXfixes", "libXft", "libXi.", "libXinerama",
    "libXmu", "libXpm", "libXrandr", "libXrender", "libXss", "libXt.", "libXtst", "libXxf86vm", "libxcb", "libxkb",
    "libICE.", "libSM.", "libwayland", "libdbus", "libsystemd", "libudev", "libbsd",
    // GL and its drivers
    "libGL.", "libGLX", "libGLU.", "libGLdispatch", "libGLES", "libGLEW", "libEGL", "libOpenGL", "libOSMesa",
    "libglapi", "libgallium", "libLLVM", "libdrm", "libgbm", "libvulkan", "libxshmfence", "libnvidia", "libcuda",
    "libsensors", "libelf", "swrast_dri", "libglut", "libfreeglut",
    // runtimes of GPUs, which MPI's libraries load to look for some: AMD's measures the clock when it is loaded
    "libhsa-runtime", "libhsakmt", "libamdhip64", "librocm", "libamd_", "libze_", "libOpenCL",
    // MPI, of every kind, this library among them, and messages of pixels
    "libpixmpi", "libglmpi", "libvkmpi", "libmpi", "libpmi", "libpmix", "libprrte", "libopen-rte", "libopen-pal",
    "libfabric", "libucp", "libuct", "libucs", "libucm", "libhwloc", "libevent-", "libevent_", "libpsm",
    "libinfinipath", "libibverbs", "librdmacm", "libmlx", "libefa", "libmunge", "libslurm", "libnuma", "mca_",
    "libmca_", "ompi_", "pmix_", "prte_",
    // sound servers
    "libpulse", "libasound", "libpipewire", "libjack", "libopenal"};
/// A toolkit's timers. FreeGLUT has none of it, and in a run of GLUT it goes by the real time as all of X does.
constexpr std::string_view toolkit_library = "libXt.";
constinit bool toolkits_are_of_program = false;

constexpr std::string_view wrapper_libraries[] = {"libasan", "libtsan",   "libubsan",
                                                  "liblsan", "libhwasan", "libclang_rt"};

// Cryptographic libraries, by what is before the ".so" in their names. They count only in the system's folders: a
// program's own library may have such a name.
constexpr std::string_view cryptographic_libraries[] = {
    "libssl",        "libcrypto",   "libgnutls",   "libgcrypt",      "libnettle",      "libhogweed",  "libsodium",
    "libmbedcrypto", "libmbedtls",  "libmbedx509", "libtfpsacrypto", "libwolfssl",     "libnss3",     "libnssutil3",
    "libsmime3",     "libssl3",     "libsoftokn3", "libfreebl3",     "libfreeblpriv3", "libcryptopp", "libbotan-2",
    "libbotan-3",    "libtomcrypt", "libk5crypto", "libssh",         "libssh2",        "libs2n"};
constexpr std::string_view system_folders[] = {"/lib", "/usr/lib", "/usr/local/lib", "/nix/store/", "/gnu/store/"};

// What only such libraries export.
constexpr const char *cryptographic_functions[] = {
    "RAND_bytes",           // OpenSSL, LibreSSL, BoringSSL, AWS-LC
    "gnutls_rnd",           // GnuTLS
    "gcry_randomize",       // libgcrypt
    "randombytes_buf",      // libsodium
    "mbedtls_entropy_func", // Mbed TLS
    "psa_generate_random",  // the same, from 4.0 on
    "PK11_GenerateRandom",  // NSS
    "FREEBL_GetVector",     // NSS's parts
    "NSC_GenerateRandom",   // the same
    "wc_RNG_GenerateBlock", // wolfSSL
    "botan_rng_get",        // Botan
    "rng_get_bytes",        // LibTomCrypt
    "krb5_c_random_make_octets", "s2n_connection_new", "ssh_get_random",
};

bool starts_with_any(std::string_view file, const auto &prefixes) {
    return std::any_of(std::begin(prefixes), std::end(prefixes),
                       [&](std::string_view prefix) { return file.starts_with(prefix); });
}

/// What the dynamic linker looks names up in.
class Exports {
  public:
    explicit Exports(const dl_phdr_info &object) {
        for (int i = 0; i < object.dlpi_phnum; ++i)
            if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
                read(object.dlpi_addr,
                     reinterpret_cast<const ElfW(Dyn) *>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr));
    }
    bool have(const char *name) const {
        if (!hash_ || !symbols_ || !strings_)
            return false;
        const std::uint32_t buckets = hash_[0], first = hash_[1], words = hash_[2];
        const auto *bucket =
            reinterpret_cast<const std::uint32_t *>(reinterpret_cast<const ElfW(Addr) *>(hash_ + 4) + words);
        const std::uint32_t *chain = bucket + buckets;
        std::uint32_t hash = 5381; // as the linker has computed it
        for (const char *c = name; *c; ++c)
            hash = hash * 33 + static_cast<unsigned char>(*c);
        std::uint32_t at = buckets ? bucket[hash % buckets] : 0;
        if (at < first)
            return false;
        for (;; ++at) {
            const std::uint32_t other = chain[at - first];
            if ((other | 1) == (hash | 1) && std::strcmp(name, strings_ + symbols_[at].st_name) == 0)
                return symbols_[at].st_shndx != SHN_UNDEF;
            if (other & 1)
                return false;
        }
    }

  private:
    void read(ElfW(Addr) base, const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            const ElfW(Addr) at = entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr : entry->d_un.d_ptr;
            if (entry->d_tag == DT_GNU_HASH)
                hash_ = reinterpret_cast<const std::uint32_t *>(at);
            else if (entry->d_tag == DT_SYMTAB)
                symbols_ = reinterpret_cast<const ElfW(Sym) *>(at);
            else if (entry->d_tag == DT_STRTAB)
                strings_ = reinterpret_cast<const char *>(at);
        }
    }
    const std::uint32_t *hash_ = nullptr;
    const ElfW(Sym) *symbols_ = nullptr;
    const char *strings_ = nullptr;
};

std::string_view file_of(const char *path) {
    std::string_view file = path ? path : "";
    file.remove_prefix(std::min(file.size(), file.rfind('/') + 1));
    return file;
}

bool is_cryptographic(std::string_view path, std::string_view file) {
    const std::string_view stem = file.substr(0, file.find(".so"));
    return starts_with_any(path, system_folders) &&
           std::find(std::begin(cryptographic_libraries), std::end(cryptographic_libraries), stem) !=
               std::end(cryptographic_libraries);
}

/// rdrand is 0f c7 /6 and rdseed 0f c7 /7, both with a register; with f3 before it the latter is rdpid.
bool has_processor_random(const unsigned char *code, std::size_t size) {
#ifdef __x86_64__
    for (std::size_t i = 1; i + 2 < size; ++i)
        if (code[i] == 0x0f && code[i + 1] == 0xc7 && code[i + 2] >= 0xf0 && code[i - 1] != 0xf3)
            return true;
#else
    static_cast<void>(code), static_cast<void>(size);
#endif
    return false;
}

int add_if_it_has(dl_phdr_info *object, std::size_t, void *data) {
    auto *files = static_cast<std::string *>(data);
    if (object->dlpi_name && starts_with_any(object->dlpi_name, system_folders))
        return 0; // most of them belong to the GL driver
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto &segment = object->dlpi_phdr[i];
        const auto *code = reinterpret_cast<const unsigned char *>(object->dlpi_addr + segment.p_vaddr);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !(segment.p_flags & PF_R) ||
            origin(code) != Origin::program || !has_processor_random(code, segment.p_memsz))
            continue;
        const std::string_view file = file_of(object->dlpi_name);
        *files += (files->empty() ? "" : ", ") + (file.empty() ? "its executable" : std::string(file));
        break;
    }
    return 0;
}

} // namespace

Origin origin_of_library(const char *path) {
    const std::string_view file = file_of(path);
    if (starts_with_any(file, wrapper_libraries))
        return Origin::wrapper;
    if (toolkits_are_of_program && file.starts_with(toolkit_library))
        return Origin::program;
    const bool system = starts_with_any(file, system_libraries) || file.ends_with("_dri.so") ||
                        is_cryptographic(path ? path : "", file);
    return system ? Origin::system : Origin::program;
}

void count_toolkits_as_program(bool wanted) { toolkits_are_of_program = wanted; }

bool has_cryptography(const dl_phdr_info &object) {
    const Exports exports(object);
    return std::any_of(std::begin(cryptographic_functions), std::end(cryptographic_functions),
                       [&](const char *name) { return exports.have(name); });
}

std::string files_with_processor_random() {
    std::string files;
    dl_iterate_phdr(add_if_it_has, &files);
    return files;
}

} // namespace mpiglut::clock
