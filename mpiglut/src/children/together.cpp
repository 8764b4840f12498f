#include "children/together.h"

#include "base/process.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "files/served.h"
#include "run/report.h"
#include "sync/comm.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::children {

namespace {

constexpr std::size_t most_on_the_way = 1u << 20; ///< bytes

/// Memory that children share with their parent. The oldest entries go.
struct Shared {
    static constexpr std::uint64_t room = 1024;
    template <class T> struct List {
        std::atomic<std::uint64_t> count;
        std::array<std::atomic<T>, room> entries;

        void add(T entry) { entries[count.fetch_add(1) % room] = entry; }
        bool has(T entry) const {
            const std::uint64_t all = count.load();
            for (std::uint64_t i = all; i > 0 && all - i < room; --i)
                if (entries[(i - 1) % room] == entry)
                    return true;
            return false;
        }
    };
    List<std::uint64_t> pipes; ///< by inode
    List<std::int32_t> stand_ins;
};

Shared *shared; ///< null: each rank starts programs for itself
std::atomic<bool> over{false};
std::atomic<Part> of_child{Part::none};
std::uint64_t outputs[2]; ///< inodes
std::vector<pid_t> *started;
std::mutex children_mutex;
thread_local std::size_t announced; ///< bytes: threads in step are not in step with each other

/// Pipes with a name lie on another file system than those without.
std::uint64_t inode(int fd) {
    struct stat what;
    return fstat(fd, &what) == 0 ? what.st_ino ^ (std::uint64_t{what.st_dev} << 40) : 0;
}

bool is_pipe(int fd) {
    struct stat what;
    return fstat(fd, &what) == 0 && (S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode));
}

} // namespace

void begin(const RunOptions &options) {
    if (options.every_command)
        return;
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    shared = static_cast<Shared *>(memory);
    started = new std::vector<pid_t>;
    outputs[0] = inode(STDOUT_FILENO);
    outputs[1] = inode(STDERR_FILENO);
    pthread_atfork(
        [] {
            if (is_rank())
                of_child = part_here();
        },
        nullptr, nullptr);
}

void end() { over = true; }

bool are_rank_zeros() { return shared; }

Part part_here() {
    if (!shared || !comm::started() || comm::size() == 1 || !is_rank() || !is_in_step())
        return Part::none;
    return comm::rank() == 0 ? Part::leads : Part::follows;
}

void note_thread(const char *what) {
    if (shared && comm::started() && comm::size() > 1 && is_rank() && !is_in_step())
        report_once(Report::note, std::string(what) + " in a thread out of step: each rank does it for itself; "
                                                      "expected in the main loop's thread or in the one that draws");
}

Part part(const void *caller, const char *name) {
    if (!shared || !comm::started() || comm::size() == 1 || !is_rank() || !files::serves(caller))
        return Part::none;
    if (name)
        note_thread(name);
    return is_in_step() && in_signal_handler() ? Part::none : part_here();
}

Part part_of_child() { return is_rank() ? Part::none : of_child.load(); }

void tell(Part part, std::span<std::byte> bytes) {
    if (part != Part::none && !over)
        comm::publish(bytes);
}

void tell(Part part, Outcome &outcome) {
    tell(part, std::as_writable_bytes(std::span(&outcome, 1)));
    if (outcome.error != 0)
        errno = outcome.error;
}

void keep_pace(std::size_t bytes) {
    if (over || (announced += bytes) < most_on_the_way)
        return;
    announced = 0;
    comm::barrier(comm::Collective::agree);
}

void announce_pipe(int fd) {
    if (shared && is_pipe(fd) && !is_announced(fd))
        shared->pipes.add(inode(fd));
}
bool any_announced() { return shared && shared->pipes.count != 0; }
bool is_announced(int fd) { return any_announced() && is_pipe(fd) && shared->pipes.has(inode(fd)); }

int stand_in_pipe(int flags) {
    if ((flags & O_ACCMODE) == O_WRONLY)
        return REAL(open)("/dev/null", O_WRONLY | (flags & O_CLOEXEC));
    int ends[2];
    if (pipe2(ends, flags & O_CLOEXEC) != 0)
        return -1;
    close(ends[1]);
    return ends[0];
}

void announce_stand_in(pid_t pid) { shared->stand_ins.add(pid); }
bool is_stand_in(pid_t pid) { return shared && shared->stand_ins.has(pid); }

bool is_rank_output(int fd) { return inode(fd) == outputs[0] || inode(fd) == outputs[1]; }

void add_child(pid_t pid) {
    const std::lock_guard lock(children_mutex);
    if (started)
        started->push_back(pid);
}
std::int64_t number_of(pid_t pid) {
    const std::lock_guard lock(children_mutex);
    for (std::size_t i = started->size(); i > 0; --i)
        if ((*started)[i - 1] == pid)
            return static_cast<std::int64_t>(i - 1);
    return -1;
}
pid_t child(std::int64_t number) {
    const std::lock_guard lock(children_mutex);
    return number >= 0 && number < static_cast<std::int64_t>(started->size())
               ? (*started)[static_cast<std::size_t>(number)]
               : 0;
}

StandIn::StandIn() {
    static const char script[] = "exec >/dev/null 2>&1; [ -p /dev/stdin ] || exit 0; [ /dev/stdin -ef \"$0\" ] && "
                                 "exit 0; exec cat";
    input = "/proc/" + std::to_string(clock::first_pid()) + "/fd/0";
    static char name[] = "sh", command[] = "-c";
    arguments = {name, command, const_cast<char *>(script), input.data(), nullptr};
}

bool can_execute(const char *file, bool search) {
    const std::string_view name = file ? file : "";
    if (!search || name.find('/') != name.npos)
        return file && REAL(access)(file, X_OK) == 0;
    const char *path = std::getenv("PATH");
    std::string_view folders = path ? path : "/bin:/usr/bin";
    while (!name.empty()) {
        const auto end = std::min(folders.find(':'), folders.size());
        if (REAL(access)((std::string(folders.substr(0, end)) + "/" + file).c_str(), X_OK) == 0)
            return true;
        if (end == folders.size())
            return false;
        folders.remove_prefix(end + 1);
    }
    return false;
}

} // namespace mpiglut::children
