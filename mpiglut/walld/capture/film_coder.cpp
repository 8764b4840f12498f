#include "capture/film_coder.h"
#include "child/spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpiglut::walld {

namespace {

using namespace std::chrono_literals;

constexpr int longest_side = 8192; ///< of a film: more is shown by few browsers
constexpr int pipe_bytes = 1 << 20;
constexpr std::size_t longest_words = 4096;

/// Coders want even sides.
int even(double side) { return std::max(2, 2 * static_cast<int>((side + 1) / 2)); }

std::vector<std::string> words_of(const std::string &encoder) {
    return encoder == "libx264" ? std::vector<std::string>{"-c:v", "libx264", "-preset", "veryfast", "-crf", "20",
                                                           "-movflags", "+faststart", "-f", "mp4"}
                                : std::vector<std::string>{"-c:v", encoder, "-deadline", "realtime", "-cpu-used", "8",
                                                           "-crf", "20", "-b:v", "20M", "-f", "webm"};
}

} // namespace

FilmTool find_film_tool() {
    const char *named = std::getenv("MPIGLUT_FFMPEG");
    FilmTool tool{.program = named && *named ? named : "ffmpeg", .encoder = {}, .note = {}};
    constexpr const char *otherwise = ", so films are AVI files of JPEG pictures, which browsers do not play";
    if (tool.program == "none") {
        tool.note = std::string("MPIGLUT_FFMPEG is none") + otherwise;
        return tool;
    }
    int ignored = 0; // the status may be another one's to collect
    const std::string listed = launcher::output_of({tool.program, "-hide_banner", "-encoders"}, 5s, ignored);
    for (const auto &[encoder, ending] :
         {std::pair{"libx264", ".mp4"}, std::pair{"libvpx-vp9", ".webm"}, std::pair{"libvpx", ".webm"}})
        if (listed.find(std::string(" ") + encoder + " ") != listed.npos) {
            tool.encoder = encoder;
            tool.ending = ending;
            return tool;
        }
    tool.note = (listed.empty() ? "'" + tool.program + "' does not run" : "'" + tool.program + "' has no coder of ours") +
                otherwise + " (Debian: ffmpeg)";
    return tool;
}

bool FilmCoder::start(int columns, int rows) {
    const double scale = std::min(1.0, static_cast<double>(longest_side) / std::max(columns, rows));
    const std::string size = std::to_string(columns) + "x" + std::to_string(rows);
    const std::string wide = std::to_string(even(columns * scale)), high = std::to_string(even(rows * scale));
    std::vector<std::string> argv{tool_.program, "-hide_banner", "-loglevel", "error", "-nostdin",
                                  "-use_wallclock_as_timestamps", "1", "-f", "rawvideo", "-pix_fmt", "rgb24",
                                  "-video_size", size, "-framerate", "60", "-i", "pipe:0", "-vf",
                                  scale < 1 ? "scale=" + wide + ":" + high : "pad=" + wide + ":" + high,
                                  "-pix_fmt", "yuv420p", "-fps_mode", "vfr"};
    const auto own = words_of(tool_.encoder);
    argv.insert(argv.end(), own.begin(), own.end());
    argv.insert(argv.end(), {"-y", "/proc/self/fd/" + std::to_string(file_.get())});
    launcher::Pipe in = launcher::make_pipe(), out = launcher::make_pipe();
    // Without a signal at our end: it completes the film by itself when no more pictures come.
    const launcher::Spawned process = launcher::spawn({.argv = argv,
                                                       .environment = launcher::own_environment(),
                                                       .in = in.read.get(),
                                                       .out = out.write.get(),
                                                       .err = out.write.get(),
                                                       .keep = {file_.get()}});
    if (process.pid < 0)
        return fail("cannot run '" + tool_.program + "': " + std::strerror(process.error)), false;
    pid_ = process.pid;
    columns_ = columns;
    rows_ = rows;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid_), 10); // the wall comes first
    ::fcntl(in.write.get(), F_SETPIPE_SZ, pipe_bytes);
    launcher::set_nonblocking(in.write.get());
    launcher::set_nonblocking(out.read.get());
    pictures_ = std::move(in.write);
    words_ = std::move(out.read);
    return true;
}

bool FilmCoder::add(std::span<const std::byte> rgb, int columns, int rows) {
    if (over_ || !error_.empty() || (pid_ < 0 && !start(columns, rows)))
        return false;
    if (columns != columns_ || rows != rows_) {
        finish();
        error_ = "the wall got another size";
        return false;
    }
    return write(rgb);
}

bool FilmCoder::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        pollfd wait{pictures_.get(), POLLOUT, 0};
        const int ready = ::poll(&wait, 1, static_cast<int>(patience_.count()));
        if (ready < 0 && errno == EINTR)
            continue;
        const ssize_t count = ready == 1 ? ::write(pictures_.get(), bytes.data(), bytes.size()) : -1;
        if (count < 0 && ready == 1 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count <= 0)
            return fail(ready == 0 ? "'" + tool_.program + "' takes no pictures" : ""), false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

bool FilmCoder::listen(std::chrono::milliseconds longest) {
    const auto end = std::chrono::steady_clock::now() + longest;
    std::array<char, 1024> bytes;
    while (words_) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        pollfd wait{words_.get(), POLLIN, 0};
        const int ready = left > 0 ? ::poll(&wait, 1, static_cast<int>(left)) : 0;
        if (ready == 0)
            return false;
        const ssize_t count = ready == 1 ? ::read(words_.get(), bytes.data(), bytes.size()) : -1;
        if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
            words_.reset();
        else if (count > 0 && said_.size() < longest_words)
            said_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return true;
}

/// Why is what ffmpeg says, where there is no better word.
void FilmCoder::fail(const std::string &error) {
    pictures_.reset();
    const bool ended = pid_ < 0 || listen(1s);
    if (!ended)
        ::kill(-pid_, SIGKILL);
    words_.reset();
    if (pid_ > 0)
        ::waitpid(pid_, nullptr, 0); // or the loop has collected it
    pid_ = -1;
    const std::string line = said_.substr(0, said_.find('\n'));
    error_ = !error.empty() ? error : "'" + tool_.program + "' ended" + (line.empty() ? "" : ": " + line);
}

void FilmCoder::finish() {
    over_ = true;
    if (pid_ < 0)
        return;
    pictures_.reset();
    if (!listen(patience_))
        return fail("'" + tool_.program + "' does not come to an end");
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    if (!said_.empty())
        error_ = "'" + tool_.program + "': " + said_.substr(0, said_.find('\n'));
}

} // namespace mpiglut::walld
