// walltool doctor: asks the hosts of a wall, and prints a table.
#include "doctor.h"
#include "child/control.h"
#include "link/net.h"
#include "neighbours.h"
#include "program/program_environment.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace walltool {

namespace {

using Level = Finding::Level;
using namespace mpiglut::launcher;

struct Place {
    std::string host;
    bool here;
    std::vector<std::string> displays;
};

/// This host comes first: the others are compared with it.
std::vector<Place> places_of(const pixmpi::Wall &wall) {
    std::vector<Place> places{{host_name(), true, {}}};
    for (const pixmpi::Tile &tile : wall.tiles) {
        const bool here = tile.host.empty() || is_this_host(tile.host);
        auto found = std::ranges::find_if(
            places, [&](const Place &place) { return here ? place.here : place.host == tile.host; });
        if (found == places.end())
            found = places.insert(found, {tile.host, false, {}});
        const std::string display = tile.display.empty() ? "-" : tile.display;
        if (std::ranges::find(found->displays, display) == found->displays.end())
            found->displays.push_back(display);
    }
    return places;
}

std::string quoted(const std::string &text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// One line for any shell: what is there, and then the rest by walltool itself.
std::string script(const Place &place, const DoctorOptions &options, const std::string &back) {
    const std::string own = executable_directory(), library = std::filesystem::path(library_path()).lexically_normal();
    std::string files;
    for (const std::string &file : {own + "/walltool", own + "/mpiglutrun-agent", library, options.program})
        files += file.empty() ? "" : " " + quoted(file);
    std::string displays;
    for (const std::string &display : place.displays)
        displays += options.headless ? "" : " " + quoted(display);
    return "echo ready; read ping; echo time `date +%s%N`; for f in" + files +
           "; do if [ -r \"$f\" ]; then echo file `cksum <\"$f\"` \"$f\"; else echo missing \"$f\"; fi; done; "
           "for m in `ldd " +
           quoted(library) +
           " 2>/dev/null | sed -n \"s/.*libmpi[^ ]* => \\([^ ]*\\) .*/\\1/p\"`; do case $m in *libmpiglut*) ;; *) "
           "echo mpi `cksum <\"$m\"` \"$m\";; esac; done; "
           "for t in Xvfb xauth; do command -v $t >/dev/null || echo lacks $t; done; "
           "[ ! -x " +
           quoted(own + "/walltool") + " ] || exec " + quoted(own + "/walltool") + " probe --timeout " +
           std::to_string(options.seconds) + (place.here ? "" : " --back " + quoted(back)) + " --" + displays;
}

Question question(const Place &place, const DoctorOptions &options, const std::string &back) {
    const std::string what = script(place, options, back);
    if (place.here)
        return {place.host, true, {"sh", "-c", what}};
    return {place.host,
            false,
            {options.ssh, "-o", "BatchMode=yes", "-o", "ConnectTimeout=" + std::to_string(options.seconds), place.host,
             "exec sh -c " + quoted(what)}};
}

/// The page's server listens on localhost, unless it is told otherwise.
void judge_port(const std::string &host, int port, std::vector<Finding> &findings) {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool free = ::bind(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
    findings.push_back({host, "port", free ? Level::well : Level::failed,
                        std::to_string(port) + (free ? " is free" : " is in use"),
                        free ? "" : "end what listens there (ss -ltnp), or use another one: --control PORT"});
}

void print(const std::vector<Finding> &findings) {
    std::size_t host = 4, check = 9;
    for (const Finding &one : findings)
        host = std::max(host, one.host.size());
    const auto line = [&](const std::string &a, const std::string &b, const char *c, const std::string &d) {
        std::printf("%-*s  %-*s  %-6s  %s\n", static_cast<int>(host), a.c_str(), static_cast<int>(check), b.c_str(), c,
                    d.c_str());
    };
    line("host", "check", "result", "found");
    for (const Finding &one : findings) {
        line(one.host, one.check, one.level == Level::well ? "ok" : one.level == Level::note ? "note" : "FAILED",
             one.found);
        if (!one.remedy.empty())
            line("", "", "", "-> " + one.remedy);
    }
}

} // namespace

int doctor(const DoctorOptions &wish) {
    DoctorOptions options = wish;
    const std::optional<pixmpi::Wall> wall = load(options.spec);
    if (!wall)
        return EXIT_FAILURE;
    if (!options.program.empty())
        options.program = std::filesystem::absolute(options.program).lexically_normal();
    const std::vector<Place> places = places_of(*wall);
    std::vector<std::string> elsewhere;
    for (const Place &place : places)
        if (!place.here)
            elsewhere.push_back(place.host);
    const Listener listener = elsewhere.empty() ? Listener() : listen_for_agents(true, elsewhere, "");
    std::string back = std::to_string(listener.port);
    for (const std::string &address : listener.addresses)
        back += " " + address;
    std::vector<Question> questions;
    for (const Place &place : places)
        questions.push_back(question(place, options, back));
    const std::vector<HostAnswer> answers = ask(questions, options.seconds);
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < questions.size(); ++i)
        judge(questions[i], answers[i], answers[0], options, findings);
    if (options.port)
        judge_port(places[0].host, options.port, findings);
    print(findings);
    const auto failed = std::ranges::count(findings, Level::failed, &Finding::level);
    std::printf("%s\n", failed == 0   ? "the wall is ready"
                        : failed == 1 ? "1 check failed"
                                      : (std::to_string(failed) + " checks failed").c_str());
    return std::fflush(stdout) == 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace walltool
