// Descriptors that go from process to process, and what strangers write to their sockets.
#include "base/log.h"
#include "process/descriptors.h"
#include "request/runtime.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pixmpi;
using Sent = Descriptors::Sent;

namespace {

/// A file that is known by its size.
struct File {
    explicit File(off_t size) : number(memfd_create("descriptors_test", MFD_CLOEXEC)) {
        EXPECT_EQ(ftruncate(number, size), 0);
    }
    ~File() { close(number); }
    File(const File &) = delete;
    const int number;
};

off_t size_of(int file) {
    struct stat status {};
    return fstat(file, &status) == 0 ? status.st_size : -1;
}

int open_ones() {
    int count = 0;
    for (int i = 0; i < 1024; ++i)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/// Ids that no other test of this machine has.
std::uint64_t id(std::uint64_t number) { return static_cast<std::uint64_t>(getpid()) << 32 | number; }

DescriptorLabel label(std::uint32_t memory, std::uint32_t device = 1) {
    DescriptorLabel made;
    made.owner = id(1);
    made.bytes = 4096;
    made.gpu = 77;
    made.memory = memory;
    made.device = device;
    return made;
}

struct Pair {
    Pair() {
        from.open(id(1));
        to.open(id(2));
        to.welcome(id(1), getpid(), getuid());
        from.welcome(id(2), getpid(), getuid());
    }
    Descriptors from, to;
    /// The size of what there is, -1 for nothing.
    off_t claim(std::uint32_t memory, std::uint32_t device = 1) {
        DescriptorLabel seen;
        const int file = to.claim(id(1), memory, device, seen);
        if (file < 0)
            return -1;
        EXPECT_EQ(seen, label(memory, device));
        EXPECT_NE(fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
        const off_t size = size_of(file);
        close(file);
        return size;
    }
};

/// In its own process.
template <class Body> void elsewhere(Body body) {
    const pid_t child = fork();
    if (child == 0)
        _exit(body() ? 0 : 1);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

std::vector<std::string> logged;

/// What is logged meanwhile.
class LogOfErrors {
  public:
    LogOfErrors() {
        logged.clear();
        errors_.log_level = PIXMPI_LOG_ERROR;
        errors_.log = [](int, const char *text, void *) { logged.push_back(text); };
        log_by(errors_);
    }
    ~LogOfErrors() {
        static const Options silence;
        log_by(silence);
    }
    LogOfErrors(const LogOfErrors &) = delete;

  private:
    Options errors_;
};

/// Writes what it likes.
ssize_t write_to(std::uint64_t whom, const void *content, std::size_t bytes, const std::vector<int> &files) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const int length = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "pixmpi-%016llx",
                                     static_cast<unsigned long long>(whom));
    iovec part{const_cast<void *>(content), bytes};
    msghdr message{};
    message.msg_name = &name;
    message.msg_namelen =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    std::vector<char> control(CMSG_SPACE(files.size() * sizeof(int)));
    if (!files.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr *const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
        std::memcpy(CMSG_DATA(header), files.data(), files.size() * sizeof(int));
    }
    const int socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const ssize_t sent = sendmsg(socket_, &message, MSG_NOSIGNAL);
    close(socket_);
    return sent;
}

} // namespace

TEST(Descriptors, ArriveOnce) {
    Pair pair;
    const File file(1234);
    EXPECT_EQ(pair.claim(5), -1);
    EXPECT_EQ(pair.from.send(id(2), label(5), file.number), Sent::yes);
    EXPECT_EQ(pair.claim(4), -1);
    EXPECT_EQ(pair.claim(5, 2), -1);
    EXPECT_EQ(pair.claim(5), 1234);
    EXPECT_EQ(pair.claim(5), -1);
}

TEST(Descriptors, InAnyOrderAndTheLastOne) {
    Pair pair;
    const File old(1), now(2), other(3), for_another(4);
    const int before = open_ones();
    EXPECT_EQ(pair.from.send(id(2), label(1), old.number), Sent::yes);
    EXPECT_EQ(pair.from.send(id(2), label(2), other.number), Sent::yes);
    EXPECT_EQ(pair.from.send(id(2), label(1), now.number), Sent::yes);
    EXPECT_EQ(pair.from.send(id(2), label(1, 2), for_another.number), Sent::yes);
    EXPECT_EQ(pair.claim(2), 3);
    EXPECT_EQ(pair.claim(1), 2);
    EXPECT_EQ(pair.claim(1, 2), 4);
    EXPECT_EQ(open_ones(), before);
}

TEST(Descriptors, NobodyThere) {
    Descriptors from, deaf;
    const File file(1);
    EXPECT_EQ(from.send(id(2), label(1), file.number), Sent::never); // not opened
    from.open(id(1));
    for (const std::uint64_t number : {1, 2, 9})
        from.welcome(id(number), getpid(), getuid());
    EXPECT_EQ(from.send(id(9), label(1), file.number), Sent::never);
    DescriptorLabel seen;
    EXPECT_EQ(deaf.claim(id(1), 1, 1, seen), -1);
    Descriptors again;
    again.open(id(1)); // the name is taken
    again.welcome(id(1), getpid(), getuid());
    EXPECT_EQ(again.send(id(1), label(1), file.number), Sent::never);
}

TEST(Descriptors, ClosedOnesAreNotSent) {
    Pair pair;
    EXPECT_EQ(pair.from.send(id(2), label(1), 1000), Sent::never);
    EXPECT_EQ(pair.claim(1), -1);
}

TEST(Descriptors, FullSocket) {
    Pair pair;
    const File file(9);
    Sent sent = Sent::yes;
    std::uint32_t count = 0;
    while (count < 10'000 && (sent = pair.from.send(id(2), label(count), file.number)) == Sent::yes)
        ++count;
    EXPECT_EQ(sent, Sent::later);
    pair.to.look();
    EXPECT_EQ(pair.from.send(id(2), label(count), file.number), Sent::yes);
    EXPECT_EQ(pair.claim(count), 9);
}

TEST(Descriptors, NewOnesBeforeForgottenOnes) {
    const File file(9);
    const int before = open_ones();
    {
        Pair pair;
        for (std::uint32_t i = 0; i < 1000; ++i) {
            EXPECT_EQ(pair.from.send(id(2), label(i), file.number), Sent::yes);
            pair.to.look();
        }
        EXPECT_LT(open_ones(), before + 100);
        EXPECT_EQ(pair.claim(999), 9);
        EXPECT_EQ(pair.claim(0), -1);
    }
    EXPECT_EQ(open_ones(), before);
}

TEST(Descriptors, Strangers) {
    Pair pair;
    const File file(1), good(2);
    const int before = open_ones();
    char content[512] = "what is this?";
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{8}, sizeof(DescriptorLabel), sizeof(DescriptorLabel) + 8, sizeof content})
        for (const std::size_t files : {0, 1, 2, 3, 200}) {
            EXPECT_EQ(write_to(id(2), content, bytes, std::vector<int>(files, file.number)),
                      static_cast<ssize_t>(bytes));
            pair.to.look();
        }
    EXPECT_EQ(open_ones(), before);
    EXPECT_EQ(pair.from.send(id(2), label(1), good.number), Sent::yes);
    EXPECT_EQ(pair.claim(1), 2);
    EXPECT_EQ(open_ones(), before);
}

TEST(Descriptors, SendersAreWhoTheySayTheyAre) {
    // What others send in a rank's name is dropped, and cannot take the place of what the rank has sent.
    const LogOfErrors log;
    Pair pair;
    const File good(2), bad(1);
    const int before = open_ones();
    EXPECT_EQ(pair.from.send(id(2), label(1), good.number), Sent::yes);
    pair.to.look();
    const std::uint64_t victim = id(2); // of this process, whose number is part of it
    const DescriptorLabel labels[] = {label(1), label(2), label(3), label(4)};
    for (const bool same_user : {true, false})
        elsewhere([&] {
            Descriptors impostor;
            impostor.open(id(3));
            impostor.welcome(victim, getppid(), getuid());
            if (!same_user && setuid(65534) != 0)
                return getuid() != 0; // only root can become another user
            for (const DescriptorLabel &one : labels)
                if (impostor.send(victim, one, bad.number) != Sent::yes)
                    return false;
            return true;
        });
    pair.to.look();
    EXPECT_EQ(open_ones(), before + 1);
    EXPECT_EQ(pair.claim(1), 2);
    EXPECT_EQ(pair.claim(2), -1);
    // Nor does a rank speak for another.
    DescriptorLabel other = label(7);
    other.owner = id(5);
    EXPECT_EQ(pair.from.send(id(2), other, bad.number), Sent::yes);
    EXPECT_EQ(pair.to.claim(id(5), 7, 1, other), -1);
    EXPECT_EQ(open_ones(), before);
    write_log();
    ASSERT_EQ(logged.size(), 1u);
    EXPECT_NE(logged[0].find("process "), std::string::npos) << logged[0];
}

TEST(Descriptors, TheNameOfARankThatHasEndedIsNoRank) {
    // Names are seen by all processes, and free when their process has ended: one that takes a name gets nothing.
    const File file(3);
    const std::uint64_t of_rank = id(2); // of this process, whose number is part of it
    Descriptors from, thief;
    from.open(id(1));
    int ready[2], over[2];
    ASSERT_EQ(pipe(ready) | pipe(over), 0);
    const pid_t rank = fork();
    if (rank == 0) {
        Descriptors own;
        own.open(of_rank);
        char none = 0;
        _exit(write(ready[1], "r", 1) == 1 && read(over[0], &none, 1) == 1 ? 0 : 1);
    }
    char none = 0;
    ASSERT_EQ(read(ready[0], &none, 1), 1);
    from.welcome(of_rank, rank, getuid());
    EXPECT_EQ(from.send(of_rank, label(1), file.number), Sent::yes);
    ASSERT_EQ(write(over[1], "o", 1), 1);
    siginfo_t ended{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(rank), &ended, WEXITED | WNOWAIT), 0); // its number is not free yet
    thief.open(of_rank);
    thief.welcome(id(1), getpid(), getuid());
    EXPECT_EQ(from.send(of_rank, label(1), file.number), Sent::never);
    DescriptorLabel seen;
    EXPECT_EQ(thief.claim(id(1), 1, 1, seen), -1);
    EXPECT_EQ(waitpid(rank, nullptr, 0), rank);
    for (const int end : {ready[0], ready[1], over[0], over[1]})
        close(end);
}

TEST(Descriptors, AsManyAtATimeAsTheLockMayWaitFor) {
    // A look leaves behind what is more; what strangers send is none of the process' descriptors meanwhile. Sockets
    // that hold so much are in their own network.
    elsewhere([] {
        if (unshare(CLONE_NEWNET) != 0)
            return true;
        std::FILE *const limit = std::fopen("/proc/sys/net/unix/max_dgram_qlen", "w");
        if (!limit)
            return true;
        const bool raised = std::fputs("1000", limit) >= 0;
        if (std::fclose(limit) != 0 || !raised)
            return true;
        Descriptors to;
        to.open(id(2));
        const File file(1);
        const int more = 10;
        char content[] = "what is this?";
        const auto fill = [&](int count) {
            int sent = 0;
            while (sent < count && write_to(id(2), content, sizeof content, {file.number}) > 0)
                ++sent;
            return sent;
        };
        const int room = fill(1 << 12);
        if (room < Descriptors::at_a_time + more)
            return true;
        to.look();
        return fill(1 << 12) == Descriptors::at_a_time;
    });
}

TEST(Descriptors, ThoseThatHaveGoneAreForgotten) {
    Pair pair;
    const File file(1);
    const int before = open_ones();
    EXPECT_EQ(pair.from.send(id(2), label(1), file.number), Sent::yes);
    pair.to.look();
    pair.to.forget(id(1));
    EXPECT_EQ(open_ones(), before);
    EXPECT_EQ(pair.from.send(id(2), label(2), file.number), Sent::yes);
    EXPECT_EQ(pair.claim(2), -1);
    EXPECT_EQ(pair.to.welcome_ones(), 0u);
    // One process after another, as programs spawn them.
    const Lock lock;
    const std::size_t known = runtime().peers.size(), welcome = runtime().descriptors.welcome_ones();
    for (std::uint64_t i = 1; i <= 100; ++i) {
        Card card = runtime().card;
        card.id = id(i);
        EXPECT_EQ(find_peer(runtime(), card)->card.id, id(i));
    }
    EXPECT_LE(runtime().peers.size(), known + 1);
    EXPECT_LE(runtime().descriptors.welcome_ones(), welcome + 1);
}
