// What comes of programs that a program starts, and of files that it makes, one frame for each; prints what it sees.
// commands FOLDER
#include <GL/freeglut.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cerrno>
#include <dirent.h>
#include <iterator>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace {

std::string folder;

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

void display() {
    static int frame = 0;
    constexpr void (*what[])() = {run_by_system, write_by_popen, read_by_popen, fork_and_execute, spawn, make_files};
    what[frame]();
    std::fflush(stdout);
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
    if (++frame == static_cast<int>(std::size(what)))
        std::exit(0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    folder = argc > 1 ? argv[1] : ".";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(200, 100);
    glutCreateWindow("commands");
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
