#include "rig/cases.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <map>
#include <mutex>
#include <sched.h>
#include <set>
#include <signal.h>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace api {

int rank = 0, size = 0, threads = MPI_THREAD_SINGLE;

namespace {

struct Case {
    std::string name;
    int least_ranks;
    void (*body)();
};

std::vector<Case> &cases() {
    static std::vector<Case> list;
    return list;
}

std::vector<void (*)()> &releases() {
    static std::vector<void (*)()> list;
    return list;
}

const char *current = "start";
char where[256];
int failures = 0;
bool left_out = false;
constexpr int no_tag = 32'700; // that no case uses
constexpr int shown = 8;       // per case; the rest repeats the first

void watchdog(int) {
    char text[512];
    const int n = std::snprintf(text, sizeof text, "[rank %d] %s: takes too long, at: %s\n", rank, current, where);
    (void)!::write(2, text, static_cast<std::size_t>(n));
    void *frames[40];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 40), 2);
    ::sleep(2); // the job ends with the first rank, and the others should say where they are
    ::_exit(70);
}

unsigned seconds_per_case() {
    const char *text = std::getenv("API_CASE_SECONDS");
    return text ? static_cast<unsigned>(std::atoi(text)) : sanitized ? 300 : 120;
}

void wait_for(MPI_Request request, bool going_on = false) {
    for (int over = 0, turns = 0, flag = 0; !over; ++turns) {
        if (going_on)
            CHECK_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, no_tag, world(), &flag, MPI_STATUS_IGNORE));
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        turns < 100 ? void(::sched_yield()) : void(::usleep(100));
    }
}

/// What a case may not leave behind: messages, and stage memory past the limit.
void check_rest() {
    int flag = 1;
    barrier();
    CHECK_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&stats));
    if (stats.stage_bytes_max > stage_setting())
        failed(__FILE__, __LINE__,
               "stage memory was " + std::to_string(stats.stage_bytes_max) + " bytes, expected at most " +
                   std::to_string(stage_setting()));
}

bool wanted(const std::string &name, const std::vector<std::string> &prefixes) {
    bool none_said = true, said = false;
    for (const std::string &prefix : prefixes) {
        if (prefix.starts_with('-') && name.starts_with(prefix.substr(1)))
            return false;
        none_said = none_said && prefix.starts_with('-');
        said = said || name.starts_with(prefix);
    }
    return said || none_said;
}

/// What all ranks have sent by each route, for readers of the output.
void tell_routes() {
    constexpr const char *names[] = {"none", "self", "peer", "shm", "mpi"};
    constexpr int count = PIXMPI_ROUTE_MPI + 1;
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&stats));
    std::uint64_t all[count];
    MPI_Request request;
    MPI_Iallreduce(stats.bytes_by_route, all, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_for(request);
    for (int route = PIXMPI_ROUTE_SELF; rank == 0 && route < count; ++route)
        std::printf("route %s: %llu bytes\n", names[route], static_cast<unsigned long long>(all[route]));
}

int run(const std::vector<std::string> &prefixes) {
    std::vector<const Case *> chosen;
    for (const Case &c : cases())
        if (c.least_ranks <= size && wanted(c.name, prefixes))
            chosen.push_back(&c);
    if (rank == 0)
        std::printf("cases: %zu\n", chosen.size());
    int bad = 0;
    for (const Case *one : chosen) {
        const Case &c = *one;
        current = c.name.c_str();
        failures = 0;
        left_out = false;
        if (rank == 0 && std::getenv("API_BEGINNINGS")) {
            std::printf("begins %s\n", current);
            std::fflush(stdout);
        }
        note("beginning");
        ::alarm(seconds_per_case());
        const double begin = MPI_Wtime();
        c.body();
        note("what is left after the case");
        check_rest();
        if (everywhere(failures) > 0) {
            ++bad;
            if (rank == 0)
                std::fprintf(stderr, "FAILED %s with %d ranks\n", current, size);
        } else if (rank == 0 && !left_out) {
            std::printf("ok %s (%.2f s)\n", current, MPI_Wtime() - begin);
            std::fflush(stdout);
        }
    }
    current = "end";
    tell_routes();
    if (chosen.empty() && rank == 0)
        std::fprintf(stderr, "no case for %d ranks has a name that begins so\n", size);
    return chosen.empty() || bad > 0;
}

void release_all() {
    for (; !releases().empty(); releases().pop_back())
        releases().back()();
}

} // namespace

Registered::Registered(const char *name, int least_ranks, void (*body)()) {
    cases().push_back({name, least_ranks, body});
}

void at_end(void (*release)()) { releases().push_back(release); }

void note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
}

void barrier() {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_for(request);
}

MPI_Comm duplicate(MPI_Comm comm) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Comm_idup(comm, &other, &request);
    wait_for(request);
    return other;
}

int everywhere(int value, bool going_on) {
    int most = 0;
    MPI_Request request;
    MPI_Iallreduce(&value, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    wait_for(request, going_on);
    return most;
}

std::size_t setting(const char *variable, std::size_t otherwise) {
    const char *text = std::getenv(variable);
    if (!text)
        return otherwise;
    char *end = nullptr;
    const std::size_t number = std::strtoul(text, &end, 10);
    return number << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

void failed(const char *file, int line, const std::string &text) {
    if (++failures > shown)
        return;
    const char *name = std::strrchr(file, '/');
    std::fprintf(stderr, "[rank %d] %s (%s): %s:%d: %s\n", rank, current, where, name ? name + 1 : file, line,
                 text.c_str());
}

void leave_out(const char *reason) {
    left_out = true;
    if (rank == 0)
        std::printf("left out %s: %s\n", current, reason);
}

void say_device(const char *api, const std::string &name, std::span<const unsigned char> uuid) {
    static std::set<std::string> said;
    if (!said.insert(std::string(api) + name).second)
        return;
    char number[9] = "";
    for (std::size_t i = 0; i < 4 && i < uuid.size(); ++i)
        std::snprintf(number + 2 * i, 3, "%02x", uuid[i]);
    std::printf("device of rank %d, %s: %s, %s\n", rank, api, number, name.c_str());
    std::fflush(stdout);
}

void give_up() {
    std::fprintf(stderr, "[rank %d] %s: cannot go on\n", rank, current);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
}

bool check_code(const char *file, int line, const char *call, int code, int expected) {
    if (code == expected)
        return true;
    failed(file, line,
           std::string(call) + " gave " + std::to_string(code) + " (" + pixMPI_Error_string(code) + "), expected " +
               std::to_string(expected) + "; its text: " + pixMPI_Error_text());
    return false;
}

void check_error(const char *file, int line, const char *call, int code, int expected, const char *words) {
    if (!check_code(file, line, call, code, expected))
        return;
    const std::string_view text = pixMPI_Error_text();
    std::istringstream list(words);
    for (std::string word; list >> word;)
        if (text.find(word) == text.npos)
            failed(file, line, std::string(call) + ": its text has no \"" + word + "\": " + std::string(text));
}

} // namespace api

namespace {

bool unmatched = false; ///< a message was, when its communicator was freed
std::atomic<int> freed{0};

/// Sends of bands (those that are larger than envelopes) that the library has not seen ending, by request. MPI may give
/// several the same one, which is over.
struct Sends {
    std::mutex mutex;
    std::map<MPI_Request, MPI_Comm> active;

    int begin(int error, int bytes, MPI_Comm comm, MPI_Request request) {
        constexpr int most_of_an_envelope = 17 << 10;
        const std::lock_guard guard(mutex);
        if (bytes > most_of_an_envelope)
            active.insert_or_assign(request, comm);
        return error;
    }
    long left(MPI_Comm comm) {
        const std::lock_guard guard(mutex);
        return std::count_if(active.begin(), active.end(), [comm](const auto &one) { return one.second == comm; });
    }
} sends;

} // namespace

int api::freed_communicators() { return freed; }
std::atomic<void (*)(int)> api::before_send{nullptr};

// Between the library and MPI. Some MPIs end a program that frees a communicator with messages that no one has received,
// or that ends with memory which MPI still sends. Both hold memory in any case. Weak: a program may have stand-ins of its
// own.
extern "C" {
#define VISIBLE __attribute__((visibility("default"), weak))
VISIBLE int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request *request) {
    if (const auto call = api::before_send.load())
        call(count);
    const int error = PMPI_Isend(data, count, type, to, tag, comm, request);
    return sends.begin(error, count, comm, *request);
}
VISIBLE int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    const int error = PMPI_Issend(data, count, type, to, tag, comm, request);
    return sends.begin(error, count, comm, *request);
}
VISIBLE int MPI_Test(MPI_Request *request, int *over, MPI_Status *status) {
    const MPI_Request before = *request;
    const std::lock_guard guard(sends.mutex); // no request of another thread becomes this one meanwhile
    const int error = PMPI_Test(request, over, status);
    if (*request != before)
        sends.active.erase(before);
    return error;
}
VISIBLE int MPI_Request_free(MPI_Request *request) {
    const std::lock_guard guard(sends.mutex);
    sends.active.erase(*request);
    return PMPI_Request_free(request);
}
VISIBLE int MPI_Comm_free(MPI_Comm *comm) {
    int found = 0;
    MPI_Status status;
    if (PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *comm, &found, &status) == MPI_SUCCESS && found) {
        unmatched = true;
        std::fprintf(stderr, "[rank %d] FAILED: a communicator is freed, and a message from rank %d with tag %d, which "
                             "is for it, was never received\n", api::rank, status.MPI_SOURCE, status.MPI_TAG);
    }
    if (const long left = sends.left(*comm)) {
        unmatched = true;
        std::fprintf(stderr, "[rank %d] FAILED: a communicator is freed, and %ld bands that went over it may be on "
                             "their way\n", api::rank, left);
    }
    ++freed;
    return PMPI_Comm_free(comm);
}
}

/// [--threads N] [PREFIX...] [-PREFIX...]: the cases with names that begin so, without those that begin as the latter,
/// on N = MPI_THREAD_SERIALIZED or _MULTIPLE. API_BEGINNINGS in the environment: each is announced before it begins.
int main(int argc, char **argv) {
    int asked = MPI_THREAD_SINGLE;
    std::vector<std::string> prefixes;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--threads" && i + 1 < argc)
            asked = std::string_view(argv[++i]) == "multiple" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
        else
            prefixes.push_back(argv[i]);
    }
    MPI_Init_thread(&argc, &argv, asked, &api::threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &api::rank);
    MPI_Comm_size(MPI_COMM_WORLD, &api::size);
    void *frame;
    ::backtrace(&frame, 1); // loads what the watchdog needs
    ::signal(SIGALRM, api::watchdog);
    ::alarm(60);
    pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr); // most errors here are meant
    NEED_OK(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr));
    const int status = api::run(prefixes);
    // Some MPIs hang in MPI_Finalize now and then on some networks, also without us: see tests/hosts.
    if (const char *how = std::getenv("API_END"); how && std::string_view(how) == "exit") {
        api::barrier();
        if (status != 0 || unmatched)
            std::fprintf(stderr, "[rank %d] ends with %d%s\n", api::rank, status, unmatched ? ", unmatched" : "");
        std::fflush(stdout);
        ::usleep(100'000); // others may not have taken in yet that the barrier is over, and would lose a connection
        ::_exit(status == 0 && unmatched ? 1 : status);
    }
    api::note("MPI_Finalize");
    MPI_Finalize();
    if (!sends.active.empty()) {
        unmatched = true;
        std::fprintf(stderr, "[rank %d] FAILED: MPI has ended, and %zu bands may be on their way\n", api::rank,
                     sends.active.size());
    }
    api::note("devices");
    api::release_all();
    return status == 0 && unmatched ? 1 : status;
}
