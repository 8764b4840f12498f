// What programs do with files, each with what came of it. Run plainly, as rank 0 and as another rank of a wall it has
// to print the same; the folder it runs in has `old.txt`, `victim.txt` and the pipe `pipe`.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// The results are found out in this order.
void say(const std::string &what, std::initializer_list<std::string> results) {
    std::cout << what << ":";
    for (const std::string &result : results)
        std::cout << " " << result;
    std::cout << "\n";
}
std::string result(long value) { return value >= 0 ? "done" : strerrorname_np(errno); }

std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return file ? std::string(std::istreambuf_iterator<char>(file), {}) : "not there";
}
void write(const std::string &path, const std::string &text) { std::ofstream(path, std::ios::binary) << text; }

std::string list(const std::string &folder) {
    std::set<std::string> names;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(folder, error))
        names.insert(entry.path().filename());
    std::string text;
    for (const std::string &name : names)
        text += name + " ";
    return error ? "not there" : text;
}

int try_open(const char *path, int flags) {
    const int fd = open(path, flags, 0644);
    if (fd >= 0)
        close(fd);
    return fd;
}

void write_and_read() {
    write("new.txt", "new");
    say("a stream", {read("new.txt")});
    FILE *file = fopen("old.txt", "a");
    fputs(" and more", file);
    fclose(file);
    say("appended", {read("old.txt")});
    file = fopen("old.txt", "r+");
    fputs("OLD", file);
    fclose(file);
    say("overwritten", {read("old.txt")});
    file = fopen("old.txt", "r");
    file = freopen("again.txt", "w", file);
    fputs("again", file);
    fclose(file);
    say("opened again", {read("again.txt")});
    say("truncated", {result(truncate("again.txt", 2)), read("again.txt")});
    struct stat what {};
    say("its size", {result(stat("again.txt", &what)), std::to_string(what.st_size)});
    say("made executable", {result(chmod("again.txt", 0755)), result(access("again.txt", X_OK))});
    char name[4096];
    say("its name", {realpath("again.txt", name) == fs::current_path() / "again.txt" ? "as expected" : name});
    say("a mapped file", {result(try_open("new.txt", O_RDWR))});
}

void refuse() {
    say("no folder", {result(try_open("nowhere/file", O_WRONLY | O_CREAT))});
    say("a folder", {result(try_open(".", O_WRONLY))});
    say("no file", {fopen("missing", "r") ? "there" : result(-1)});
    say("no file to change", {fopen("missing", "r+") ? "there" : result(-1)});
    say("a removed file twice", {result(unlink("missing"))});
    say("a folder that is there", {result(mkdir("/tmp", 0755))});
    say("of a device", {result(try_open("/dev/null", O_WRONLY | O_CREAT | O_TRUNC))});
    say("of a pipe", {result(try_open("pipe", O_RDWR))});
}

void take_lock() {
    say("a lock", {result(try_open("lock", O_WRONLY | O_CREAT | O_EXCL))});
    say("a second time", {result(try_open("lock", O_WRONLY | O_CREAT | O_EXCL))});
    say("a folder", {result(mkdir("made", 0755))});
    say("a second time", {result(mkdir("made", 0755))});
}

void move_and_remove() {
    write("save.tmp", "saved");
    say("put in place", {result(rename("save.tmp", "save")), read("save"), "before", read("save.tmp")});
    say("moved away", {result(rename("old.txt", "older.txt")), read("older.txt"), "before", read("old.txt")});
    say("moved again", {result(rename("old.txt", "oldest.txt"))});
    say("removed", {result(unlink("victim.txt")), read("victim.txt"), result(access("victim.txt", F_OK))});
    say("a second time", {result(remove("victim.txt"))});
    write("victim.txt", "risen");
    say("made again", {read("victim.txt")});
}

void make_links() {
    say("a link", {result(symlink("new.txt", "latest")), read("latest")});
    say("a second time", {result(symlink("old.txt", "latest"))});
    say("another", {result(unlink("latest")), result(symlink("save", "latest")), read("latest")});
    char target[64] = {};
    say("leads to", {result(readlink("latest", target, sizeof target)), target});
    struct stat what {};
    say("is a link", {result(lstat("latest", &what)), std::to_string(S_ISLNK(what.st_mode))});
    write("latest", "through it");
    say("written through", {read("save")});
    say("a folder", {result(mkdir("run", 0755)), result(symlink("run", "runs"))});
    write("runs/log", "log");
    say("by a link", {read("run/log"), list("runs")});
    say("a loop", {result(symlink("loop", "loop")), result(access("loop", F_OK)), result(unlink("loop"))});
    write("mine", "mine");
    say("locked", {result(link("mine", "lock.link")), result(link("mine", "lock.link"))});
    say("names", {result(stat("mine", &what)), std::to_string(what.st_nlink), read("lock.link")});
    say("a new name for what was there", {result(link("older.txt", "also")), read("also")});
    say("unlocked", {result(unlink("lock.link")), result(unlink("mine")), result(unlink("runs"))});
}

/// As Qt's temporary files: one without a name, which gets one when it is complete.
void name_the_nameless() {
    say("a folder", {result(mkdir("kept", 0755))});
    for (const bool by_path : {true, false}) {
        const int fd = open("kept", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
        say("a file without a name", {result(fd), result(::write(fd, "whole", 5)), list("kept")});
        const std::string path = "/proc/self/fd/" + std::to_string(fd);
        const auto link = [&](const char *name) {
            return by_path ? linkat(AT_FDCWD, path.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW)
                           : linkat(fd, "", AT_FDCWD, name, AT_EMPTY_PATH);
        };
        const char *const name = by_path ? "kept/one" : "kept/two";
        if (by_path || geteuid() == 0) // by its descriptor: a privilege
            say("gets one", {result(link(name)), read(name), list("kept"), result(link(name)), result(unlink(name))});
        close(fd);
    }
    say("in no folder", {result(try_open("nowhere", O_RDWR | O_TMPFILE))});
    say("without it", {result(rmdir("kept"))});
}

void look_around() {
    say("before", {read("old.txt"), list("."), result(access("new.txt", F_OK)), result(access("config", F_OK))});
    write("config", "1");
    say("after", {list(".")});
    unlink("config");
    say("without", {list(".")});
    DIR *folder = opendir(".");
    int entries[2] = {};
    for (int &count : entries) {
        while (readdir(folder))
            ++count;
        rewinddir(folder);
    }
    closedir(folder);
    say("twice", {std::to_string(entries[0]), std::to_string(entries[1])});
}

void make_folders() {
    say("a folder", {result(mkdir("out", 0755))});
    write("out/a", "a");
    write("out/b", "b");
    say("is not empty", {result(rmdir("out"))});
    say("without a", {result(unlink("out/a")), list("out")});
    say("gone into", {result(chdir("out")), fs::current_path().filename().string()});
    write("c", "c");
    say("seen from there", {read("c"), read("../new.txt"), read("../older.txt")});
    say("gone out of", {result(chdir("..")), list("out")});
    say("removed", {result(unlink("out/b")), result(unlink("out/c")), result(rmdir("out")), list("out")});
    std::error_code error;
    say("folders", {std::to_string(fs::create_directories("x/y/z", error))});
    write("x/y/z/deep", "deep");
    fs::rename("x/y/z/deep", "x/y/up", error);
    say("up", {error.message(), read("x/y/up"), std::to_string(fs::exists("x/y/z/deep")), list("x/y")});
    say("all removed", {std::to_string(fs::remove_all("x", error)), error.message(), list("x")});
}

/// A socket for which bind or connect has done that, and how.
template <class Call> std::pair<std::string, int> at(const char *name, Call call) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, name);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int done = call(fd, reinterpret_cast<const sockaddr *>(&address), socklen_t{sizeof address});
    const std::string how = result(done);
    if (done != 0)
        close(fd);
    return {how, fd};
}

/// A device of the host, such as a game pad.
void look_for_device() {
    errno = 0;
    const int file = open("device", O_RDONLY);
    const std::string opened = file < 0 ? std::strerror(errno) : "opened";
    const fs::path path = fs::current_path() / "device0";
    const int by_path = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    say("device", {opened, by_path < 0 ? std::strerror(errno) : "opened", fs::exists(path) ? "there" : "not there",
                   std::fopen(path.c_str(), "r") ? "a stream" : "no stream"});
}

/// A socket that a program has left behind, which has been killed.
void take_over_socket() {
    const bool is_refused = at("stale", connect).first != result(0);
    unlink("stale");
    say("taken over", {is_refused ? "nobody is there" : "somebody is there", at("stale", bind).first});
}

/// A program that runs once looks so whether it runs already.
void meet_by_sockets() {
    say("nobody", {at("meeting", connect).first});
    const auto [bound, server] = at("meeting", bind);
    say("the first", {bound, result(listen(server, 1)), at("meeting", bind).first, at("nowhere/meeting", bind).first});
    const auto [connected, client] = at("meeting", connect);
    const int come = accept(server, nullptr, nullptr);
    say("comes", {connected, result(come), result(::write(client, "hello", 5))});
    char text[6] = {};
    say("says", {result(::read(come, text, 5)), text, list(".")});
    for (const int fd : {server, client, come})
        close(fd);
    say("gone", {at("meeting", connect).first, result(unlink("meeting")), at("meeting", connect).first});
}

void have_a_child() {
    std::fflush(stdout); // the end of a child writes it once more under ThreadSanitizer
    if (fork() == 0) {
        write("of-child", "by a child");
        _exit(0);
    }
    wait(nullptr);
    say("of a child", {read("of-child")});
}

// Only the ranks of one run agree on these.

void temporary() {
    char name[] = "temporary-XXXXXX.txt", folder[] = "folder-XXXXXX";
    const int fd = mkstemps(name, 4);
    say("a temporary file", {std::string(name), result(::write(fd, "t", 1)), read(name)});
    close(fd);
    say("a temporary folder", {mkdtemp(folder) ? folder : result(-1)});
    unlink(name);
    rmdir(folder);
}

/// What a compiler keeps on the stack, and what is found there later.
void look_at_stack() {
#ifdef __x86_64__
    std::uint64_t guard = 0;
    asm("movq %%fs:0x28, %0" : "=r"(guard));
    say("below arrays", {std::to_string(guard)});
#endif
}

std::string hash(const void *bytes, std::size_t size) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (std::size_t i = 0; i < size; ++i)
        h = (h ^ static_cast<const unsigned char *>(bytes)[i]) * 0x100000001b3ull;
    return std::to_string(size) + " bytes, " + std::to_string(h);
}

void draw() {
    std::vector<unsigned char> bytes(300'000);
    for (const char *device : {"/dev/urandom", "/dev/random"}) {
        const int fd = open(device, O_RDONLY);
        say("by read", {hash(bytes.data(), static_cast<std::size_t>(::read(fd, bytes.data(), 16)))});
        close(fd);
        FILE *file = fopen(device, "rb");
        say("by fread", {hash(bytes.data(), fread(bytes.data(), 1, bytes.size(), file))});
        fclose(file);
        std::ifstream stream(device, std::ios::binary);
        stream.read(reinterpret_cast<char *>(bytes.data()), 32);
        say("by a stream", {hash(bytes.data(), static_cast<std::size_t>(stream.gcount()))});
        FILE *again = freopen(device, "rb", fopen("/dev/null", "rb"));
        say("by freopen", {hash(bytes.data(), fread(bytes.data(), 1, 32, again))});
        fclose(again);
    }
    for (const char *name : {"random/uuid", "random/boot_id", "hostname"}) {
        std::string text;
        std::ifstream("/proc/sys/kernel/" + std::string(name)) >> text;
        say("by /proc", {text});
    }
}

void ask_about_itself() {
    const std::string self = "/proc/" + std::to_string(getpid());
    char target[4096] = {};
    const std::string exe = self + "/exe";
    say("its program", {result(readlink(exe.c_str(), target, sizeof target - 1)), fs::path(target).filename()});
    say("its name", {read(self + "/comm")});
    say("is there", {result(access(self.c_str(), F_OK))});
    const std::string task = "/proc/self/task/" + std::to_string(gettid());
    say("its thread is there", {result(access(task.c_str(), F_OK))});
}

} // namespace

int main(int, char **argv) {
    const std::string what = argv[1];
    if (what == "files") {
        look_around();
        write_and_read();
        refuse();
        take_lock();
        move_and_remove();
        make_links();
        name_the_nameless();
        make_folders();
        meet_by_sockets();
        say("in the end", {list(".")});
        have_a_child();
    } else if (what == "device") {
        look_for_device();
    } else if (what == "socket") {
        take_over_socket();
    } else if (what == "lock") {
        take_lock();
        meet_by_sockets();
    } else if (what == "alike") {
        temporary();
        draw();
        ask_about_itself();
        look_at_stack();
    }
}
