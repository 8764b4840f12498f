// Cases that every rank of a communicator runs alike, one after another. What fails on any rank makes the program
// fail; a case that takes too long says on each rank where it was, and ends the job.
#pragma once

#include <pixmpi.h>

#include <atomic>
#include <cstdlib>
#include <span>
#include <string>

namespace api {

extern int rank, size; ///< in MPI_COMM_WORLD, which is attached
extern int threads;    ///< what MPI gave, MPI_THREAD_*
constexpr MPI_Comm world() { return MPI_COMM_WORLD; }

struct Registered {
    Registered(const char *name, int least_ranks, void (*body)());
};

/// What to call when all cases are over, the last one first: what lives from case to case ends there. The destructor of
/// a static object is too late: the validation layers of Vulkan, which are loaded after it was made, have ended by then.
void at_end(void (*release)());

/// An environment variable ("NAME=value") for a while.
class Setting {
  public:
    explicit Setting(const std::string &text)
        : name_(text.substr(0, text.find('='))), before_(std::getenv(name_.c_str()) ? std::getenv(name_.c_str()) : ""),
          set_before_(std::getenv(name_.c_str()) != nullptr) {
        ::setenv(name_.c_str(), text.c_str() + name_.size() + 1, 1);
    }
    ~Setting() { set_before_ ? ::setenv(name_.c_str(), before_.c_str(), 1) : ::unsetenv(name_.c_str()); }
    Setting(const Setting &) = delete;
    Setting &operator=(const Setting &) = delete;
    const std::string &name() const { return name_; }

  private:
    const std::string name_, before_;
    const bool set_before_;
};

/// Where this rank is: shown with failures and by the watchdog.
[[gnu::format(printf, 1, 2)]] void note(const char *format, ...);
/// Waits for all ranks, without using the processor meanwhile.
void barrier();
/// A duplicate of a communicator, without using the processor meanwhile: MPI_Comm_dup spins, and there are more ranks
/// than cores.
MPI_Comm duplicate(MPI_Comm comm = world());
/// How many communicators have been freed in this process, the library's own among them.
int freed_communicators();
/// Null, or what to call before MPI_Isend with so many bytes.
extern std::atomic<void (*)(int bytes)> before_send;
/// The largest of all ranks' values. `going_on`: messages under way make progress meanwhile.
int everywhere(int value, bool going_on = false);
/// PIXMPI_STAGE and so on, or the default.
std::size_t setting(const char *variable, std::size_t otherwise);
inline std::size_t stage_setting() { return setting("PIXMPI_STAGE", 64 << 20); }
inline std::size_t eager_setting() { return setting("PIXMPI_EAGER", 64 << 10); }

void failed(const char *file, int line, const std::string &text);
/// Says why the case at hand makes no sense here; it is counted apart from those that passed. All ranks alike, at once
/// before it returns.
void leave_out(const char *reason);
/// Says which device this rank's ends of an API are on, each once.
void say_device(const char *api, const std::string &name, std::span<const unsigned char> uuid);
/// Ends the job: what comes after makes no sense.
[[noreturn]] void give_up();
bool check_code(const char *file, int line, const char *call, int code, int expected);
/// Also that the error's text has these words, separated by blanks.
void check_error(const char *file, int line, const char *call, int code, int expected, const char *words);

template <class A, class B>
bool check_equal(const char *file, int line, const char *what, const A &seen, const B &expected) {
    if (seen == static_cast<A>(expected))
        return true;
    failed(file, line, std::string(what) + " is " + std::to_string(seen) + ", expected " + std::to_string(expected));
    return false;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

} // namespace api

#define RANK_CASE(suite, name, least_ranks)                                                                            \
    static void suite##_##name();                                                                                      \
    static const api::Registered registered_##suite##_##name{#suite "." #name, least_ranks, suite##_##name};           \
    static void suite##_##name()

#define CHECK(condition) ((condition) ? void() : api::failed(__FILE__, __LINE__, "expected " #condition))
#define CHECK_EQ(seen, expected) api::check_equal(__FILE__, __LINE__, #seen, seen, expected)
#define CHECK_OK(call) api::check_code(__FILE__, __LINE__, #call, call, PIXMPI_SUCCESS)
/// Where going on after a failure would only hang.
#define NEED_OK(call) (CHECK_OK(call) ? void() : api::give_up())
#define NEED(condition) ((condition) ? void() : (api::failed(__FILE__, __LINE__, "needed " #condition), api::give_up()))
#define CHECK_FAILS(call, code, words) api::check_error(__FILE__, __LINE__, #call, call, code, words)
