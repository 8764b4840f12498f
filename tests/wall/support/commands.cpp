// What comes of programs that a program starts, and of files that it makes, one frame for each; prints what it sees.
// commands FOLDER [FRAMES]; 0: starts one that never ends
#include <GL/freeglut.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <cstring>
#include <dirent.h>
#include <iterator>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <spawn.h>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace {

std::string folder;
int frames = 100;

void say(const char *what, const std::string &text) { std::printf("%s: %s\n", what, text.c_str()); }

std::string how(int status) {
    return WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                             : "signal " + std::to_string(WTERMSIG(status));
}
std::string wait_for(pid_t pid) {
    int status = 0;
    return waitpid(pid, &status, 0) == pid ? how(status) : "none";
}

void run_by_system() {
    say("mail", how(std::system(("echo mail >>" + folder + "/mails").c_str())));
    say("failing", how(std::system("exit 3")));
    say("in the background", how(std::system("sleep 0.2 &")));
    say("a shell", std::system(nullptr) ? "there" : "none");
}

void write_by_popen() {
    std::FILE *out = popen(("cat >>" + folder + "/film; exit 5").c_str(), "w");
    for (int i = 0; i < 4; ++i)
        std::fprintf(out, "frame %d\n", i);
    say("film", how(pclose(out)));
}

void read_by_popen() {
    char line[64] = "";
    std::FILE *in = popen(("echo run >>" + folder + "/runs; echo $$; echo end; exit 2").c_str(), "r");
    while (std::fgets(line, sizeof line, in))
        std::printf("line: %s", line);
    say("lines", how(pclose(in)));
    in = popen("exec yes", "r");
    say("first line", std::fgets(line, 4, in) ? std::string(line, 1) : "none");
    say("left early", how(pclose(in)));
    in = popen("head -c 3000000 /dev/zero", "r");
    std::size_t bytes = 0;
    for (std::size_t n; (n = std::fread(line, 1, sizeof line, in)) > 0;)
        bytes += n;
    say("bytes", std::to_string(bytes) + ", " + how(pclose(in)));
    in = popen("echo by descriptor", "r");
    const ssize_t n = read(fileno(in), line, sizeof line);
    say("read", std::string(line, n > 0 ? static_cast<std::size_t>(n - 1) : 0) + ", " + how(pclose(in)));
}

/// `be` is what the child does; what it writes is read by a stream or by read(2).
template <class Be> void read_from_child(const char *what, bool by_stream, Be be) {
    int ends[2];
    if (pipe(ends) != 0)
        return;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        be();
        _exit(127);
    }
    close(ends[1]);
    std::string text;
    char bytes[64];
    std::FILE *in = by_stream ? fdopen(ends[0], "r") : nullptr;
    for (ssize_t n; (n = in ? static_cast<ssize_t>(std::fread(bytes, 1, sizeof bytes, in))
                            : read(ends[0], bytes, sizeof bytes)) > 0;)
        text.append(bytes, static_cast<std::size_t>(n));
    in ? std::fclose(in) : close(ends[0]);
    say(what, text + "and " + wait_for(pid));
}

void fork_and_execute() {
    const std::string note = "echo job >>" + folder + "/jobs; echo $$; exit 7";
    std::fflush(stdout);
    read_from_child("executed", false, [&] { execlp("sh", "sh", "-c", note.c_str(), nullptr); });
    read_from_child("by a stream", true, [&] { execl("/bin/sh", "sh", "-c", note.c_str(), nullptr); });
    read_from_child("missing", false, [] { execl("/no/such/program", "program", nullptr); });
    read_from_child("a worker", false, [] {
        [[maybe_unused]] const ssize_t n = write(1, "done ", 5);
        _exit(4);
    });
    if (const pid_t pid = vfork(); pid == 0) {
        execl("/bin/sh", "sh", "-c", ("echo job >>" + folder + "/jobs; exit 8").c_str(), nullptr);
        _exit(127);
    } else {
        say("by vfork", wait_for(pid));
    }
}

void spawn() {
    int in[2], out[2];
    if (pipe2(in, 02000000) != 0 || pipe2(out, 02000000) != 0)
        return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    pid_t pid = 0;
    std::string command = "read line; echo $$ got $line >>" + folder + "/spawned; echo $$ got $line; cat; exit 6";
    char name[] = "sh", option[] = "-c";
    char *arguments[] = {name, option, command.data(), nullptr};
    say("spawned", std::to_string(posix_spawnp(&pid, "sh", &actions, nullptr, arguments, environ)));
    close(in[0]);
    close(out[1]);
    char text[64] = "";
    [[maybe_unused]] ssize_t n = write(in[1], "a word\n", 7);
    n = read(out[0], text, sizeof text - 1);
    std::printf("answer: %s", text);
    int status = 0, turns = 0;
    say("runs", waitpid(pid, &status, WNOHANG) == 0 ? "yes" : "no");
    close(in[1]);
    while (waitpid(-1, &status, WNOHANG) == 0 && turns < 30'000) {
        ++turns;
        usleep(100);
    }
    say("ended", how(status) + " after " + std::to_string(turns));
    close(out[0]);
}

void make_files() {
    const std::string config = folder + "/config", link = folder + "/latest";
    say("first start", access(config.c_str(), F_OK) != 0 ? "yes" : "no");
    for (int i = 0; i < 20; ++i) {
        const std::string shot = "shot" + std::to_string(i);
        if (std::FILE *file = std::fopen((i == 0 ? config : folder + "/" + shot).c_str(), "w"))
            std::fclose(file);
        unlink(link.c_str());
        if (symlink(shot.c_str(), link.c_str()) != 0)
            say("link", std::strerror(errno));
        int entries = 0;
        DIR *all = opendir(folder.c_str());
        while (const dirent *entry = readdir(all))
            entries += std::strncmp(entry->d_name, "shot", 4) == 0;
        closedir(all);
        if (entries != i)
            say("entries", std::to_string(entries) + " in place of " + std::to_string(i));
    }
}

/// A program that is slow to answer is asked in each turn: all ranks count the same turns.
void look_from_time_to_time() {
    std::FILE *in = popen("sleep 0.05; echo one; sleep 0.05; echo two", "r");
    const int fd = fileno(in);
    char text[4]; // a word and its newline: both words may be there when a busy machine comes to read
    std::string polled, selected;
    int turns[2] = {};
    for (pollfd one{fd, POLLIN, 0}; turns[0] < 100'000 && poll(&one, 1, 0) == 0; ++turns[0])
        usleep(100);
    polled.assign(text, static_cast<std::size_t>(std::max<ssize_t>(read(fd, text, sizeof text) - 1, 0)));
    for (; turns[1] < 100'000; ++turns[1], usleep(100)) {
        timeval none{};
        fd_set set;
        FD_ZERO(&set);
        FD_SET(fd, &set);
        if (select(fd + 1, &set, nullptr, nullptr, &none) > 0)
            break;
    }
    selected.assign(text, static_cast<std::size_t>(std::max<ssize_t>(read(fd, text, sizeof text) - 1, 0)));
    say("asked", polled + " and " + selected + ", " + how(pclose(in)));
    say("turns", std::to_string(turns[0]) + " and " + std::to_string(turns[1]));
}

std::string result(long value) { return value >= 0 ? "done" : strerrorname_np(errno); }

/// What a host has once, however many ranks run there. getpid() is the same on all ranks.
void make_channels() {
    const std::string fifo = folder + "/fifo", name = "/commands-" + std::to_string(getpid());
    say("fifo", result(mkfifo(fifo.c_str(), 0600)));
    say("a second time", result(mkfifo(fifo.c_str(), 0600)));
    std::system(("(echo through it >" + fifo + ") &").c_str());
    char line[64] = "";
    if (std::FILE *in = std::fopen(fifo.c_str(), "r")) {
        std::printf("came: %s", std::fgets(line, sizeof line, in) ? line : "nothing\n");
        std::fclose(in);
    }
    const int fd = open((folder + "/mails").c_str(), O_RDONLY), other = open((folder + "/film").c_str(), O_RDONLY);
    struct flock whole {};
    whole.l_type = F_RDLCK;
    say("locked", result(flock(fd, LOCK_EX | LOCK_NB)));
    say("locked", result(fcntl(other, F_SETLK, &whole)));
    close(fd);
    close(other);
    const int memory = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    const std::string again = result(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    say("memory", result(memory) + " " + again);
    say("with a size", result(ftruncate(memory, 4096)));
    say("without a name", result(shm_unlink(name.c_str())));
    say("a second time", result(shm_unlink(name.c_str())));
    close(memory);
    sem_t *semaphore = sem_open(name.c_str(), O_CREAT | O_EXCL, 0600, 1);
    say("semaphore", result(semaphore == SEM_FAILED ? -1 : 0));
    if (semaphore != SEM_FAILED) {
        const std::string first = result(sem_trywait(semaphore)), second = result(sem_trywait(semaphore));
        say("taken", first + " " + second);
        say("let go", result(sem_close(semaphore)));
        say("without a name", result(sem_unlink(name.c_str())));
    }
}

void receive() {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<unsigned short>(20'000 + getpid() % 12'000));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    say("port", result(bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address)));
    const std::string there = "/dev/udp/127.0.0.1/" + std::to_string(ntohs(address.sin_port));
    std::system(("bash -c 'echo -n first >" + there + "; echo -n second >" + there + "'").c_str());
    char text[64];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    pollfd ready{fd, POLLIN, 0};
    say("ready", std::to_string(poll(&ready, 1, 5000)));
    const ssize_t one = recv(fd, text, sizeof text, MSG_DONTWAIT);
    say("datagram", std::string(text, static_cast<std::size_t>(std::max<ssize_t>(one, 0))));
    const ssize_t two = recvfrom(fd, text, sizeof text, MSG_DONTWAIT, reinterpret_cast<sockaddr *>(&from), &size);
    say("datagram", std::string(text, static_cast<std::size_t>(std::max<ssize_t>(two, 0))) + " from " +
                        (from.sin_addr.s_addr == address.sin_addr.s_addr ? "here" : "elsewhere"));
    say("no more", result(recv(fd, text, sizeof text, MSG_DONTWAIT)));
    close(fd);
}

void display() {
    static int frame = 0;
    constexpr void (*what[])() = {run_by_system,          write_by_popen, read_by_popen, fork_and_execute, spawn,
                                  look_from_time_to_time, make_channels,  receive,       make_files};
    if (frames == 0) {
        say("waits", "");
        std::fflush(stdout);
        std::system("exec sleep 1000");
    }
    what[frame]();
    std::fflush(stdout);
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
    if (++frame == std::min<int>(frames, std::size(what)))
        std::exit(0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    folder = argc > 1 ? argv[1] : ".";
    frames = argc > 2 ? std::atoi(argv[2]) : frames;
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(200, 100);
    glutCreateWindow("commands");
    close(posix_openpt(O_RDWR | O_NOCTTY));
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
