#include "glsl_compiler.h"

#include "api/core.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace vkmpi {

using namespace pixmpi;

namespace {

// As libshaderc's C interface has them; its enumerations and handles are plain integers and pointers here.
constexpr int compute_shader = 2, for_vulkan = 0, no_error = 0, error_in_text = 2;
constexpr std::uint32_t vulkan_1_2 = 1u << 22 | 2u << 12;

#define VKMPI_SHADERC_FUNCTIONS(X)                                                                                     \
    X(void *, compiler_initialize, ())                                                                                 \
    X(void, compiler_release, (void *))                                                                                \
    X(void *, compile_options_initialize, ())                                                                          \
    X(void, compile_options_release, (void *))                                                                         \
    X(void, compile_options_set_target_env, (void *, int, std::uint32_t))                                              \
    X(void *, compile_into_spv, (const void *, const char *, std::size_t, int, const char *, const char *, const void *)) \
    X(void, result_release, (void *))                                                                                  \
    X(std::size_t, result_get_length, (const void *))                                                                  \
    X(const char *, result_get_bytes, (const void *))                                                                  \
    X(int, result_get_compilation_status, (const void *))                                                              \
    X(const char *, result_get_error_message, (const void *))

struct Functions {
#define X(result, name, arguments) result(*name) arguments = nullptr;
    VKMPI_SHADERC_FUNCTIONS(X)
#undef X
    bool complete = false;
};

void *open_library() {
    const char *wanted = std::getenv("PIXMPI_SHADERC");
    if (wanted && std::strcmp(wanted, "0") == 0)
        return nullptr;
    for (const char *name : {"libshaderc.so.1", "libshaderc_shared.so.1"})
        if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return library;
    return nullptr;
}

/// Opened once and never closed.
const Functions &shaderc() {
    static const Functions functions = [] {
        Functions f;
        void *const library = open_library();
        f.complete = library;
#define X(result, name, arguments)                                                                                     \
    f.name = library ? reinterpret_cast<result(*) arguments>(dlsym(library, "shaderc_" #name)) : nullptr;              \
    f.complete = f.complete && f.name;
        VKMPI_SHADERC_FUNCTIONS(X)
#undef X
        if (!f.complete)
            core().log(PIXMPI_LOG_INFO, "vkmpi: libshaderc is not there to compile GLSL: users' operations combine "
                                           "pixels of images by the CPU");
        return f;
    }();
    return functions;
}

/// A handle of libshaderc's.
class Owned {
  public:
    Owned(void *handle, void (*release)(void *)) : handle_(handle), release_(release) {}
    ~Owned() {
        if (handle_)
            release_(handle_);
    }
    Owned(const Owned &) = delete;
    void *get() const { return handle_; }

  private:
    void *const handle_;
    void (*const release_)(void *);
};

} // namespace

bool has_glsl_compiler() { return shaderc().complete; }

Status compile_glsl(const std::string &source, std::vector<std::uint32_t> &words, std::string &complaint) {
    const Functions &f = shaderc();
    const Owned compiler(f.compiler_initialize(), f.compiler_release);
    const Owned options(f.compile_options_initialize(), f.compile_options_release);
    if (!compiler.get() || !options.get())
        return fail(PIXMPI_ERR_MEMORY, "libshaderc: out of memory");
    f.compile_options_set_target_env(options.get(), for_vulkan, vulkan_1_2);
    const Owned result(f.compile_into_spv(compiler.get(), source.data(), source.size(), compute_shader, "glsl", "main",
                                          options.get()),
                       f.result_release);
    if (!result.get())
        return fail(PIXMPI_ERR_MEMORY, "libshaderc: out of memory");
    const int status = f.result_get_compilation_status(result.get());
    if (status == error_in_text) {
        complaint = f.result_get_error_message(result.get());
        return PIXMPI_SUCCESS;
    }
    if (status != no_error)
        return fail(PIXMPI_ERR_DEVICE, "libshaderc: it fails with %d (%s), expected SPIR-V", status,
                    f.result_get_error_message(result.get()));
    words.resize(f.result_get_length(result.get()) / sizeof(std::uint32_t));
    std::memcpy(words.data(), f.result_get_bytes(result.get()), words.size() * sizeof(std::uint32_t));
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
