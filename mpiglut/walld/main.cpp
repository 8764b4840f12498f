// walld: the page to operate a wall.
#include "child/control.h"
#include "child/descriptor.h"
#include "option/option_values.h"
#include "server.h"
#include "wall/wall.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iterator>

namespace {

using namespace mpiglut::walld;

int complain(const std::string &line) {
    std::fprintf(stderr, "walld: %s\n", line.c_str());
    return 2;
}

/// The programs that come with the toolkit.
std::vector<App> bundled() {
    const std::string here = mpiglut::launcher::executable_directory();
    std::vector<App> apps;
    for (const char *name : {"powerwall", "source_route"})
        if (::access((here + "/" + name).c_str(), X_OK) == 0)
            apps.push_back({.name = name, .command = here + "/" + name, .arguments = {}, .autostart = apps.empty()});
    if (::access((here + "/walltool").c_str(), X_OK) == 0)
        apps.push_back({.name = "test pattern", .command = here + "/walltool", .arguments = {"pattern"}});
    return apps;
}

} // namespace

int main(int argc, char **argv) {
    mpiglut::launcher::open_standard_streams();
    ServerOptions options;
    std::string apps_file;
    bool demo = false, insecure = false;
    CLI::App cli("Shows a page to operate a display wall, and prints the link to it.");
    cli.set_version_flag("--version", "walld " MPIGLUT_VERSION);
    cli.add_option("wall", options.wall, "a wall file, or a wall such as 2x2@640x480");
    cli.add_option("--apps", apps_file, "the programs that the page can start: apps.toml");
    cli.add_flag("--demo", demo, "a simulated 2x2 wall without a screen, and this package's programs");
    cli.add_option("--port", options.web.port, "of the page; 0: any free port (default: 8080)")->check(CLI::Range(0, 65535));
    cli.add_option("--listen", options.web.address,
                   "also accepts connections from other hosts, on ADDRESS; requires --certificate");
    cli.add_option("--certificate", options.web.certificate, "the certificate and its chain, for https (PEM)");
    cli.add_option("--key", options.web.key, "the key of the certificate (PEM)");
    cli.add_flag("--insecure", insecure, "allows --listen without a certificate: anyone who can read the network can take over");
    cli.add_option("--captures", options.captures, "folder for screenshots and films (default: the current folder)");
    cli.add_option("--presets", options.presets,
                   "file of presets and playlist (default: NAME.presets.json next to the wall file, or with the captures)");
    std::uint64_t limit = Captures::default_limit >> 20;
    cli.add_option("--captures-limit", limit, "the most that all of these may occupy, in MiB (default: 8192)")
        ->check(CLI::Range(1, 1 << 30));
    cli.add_flag("--forget-sessions", options.forget_sessions,
                 "ends the sessions of all browsers; they have to open the new link");
    cli.add_flag("--headless", options.headless, "every host starts its own Xvfb");
    cli.add_option("--attached", options.attached, "used by mpiglutrun --control: its connection");
    CLI11_PARSE(cli, argc, argv);
    options.captures_limit = limit << 20;

    if (const std::string wrong = mpiglut::launcher::wrong_page(
            {options.web.address, options.web.certificate, options.web.key, insecure});
        !wrong.empty())
        return complain(wrong);
    if (options.web.address == "localhost")
        options.web.address = "127.0.0.1";
    if (options.attached >= 0) {
        ::fcntl(options.attached, F_SETFD, FD_CLOEXEC);
        return Server(std::move(options)).run();
    }
    if (demo) {
        options.wall = options.wall.empty() ? "2x2@480x300+24+24" : options.wall;
        options.headless = true;
        options.apps = bundled();
    }
    if (options.wall.empty())
        return complain("no wall given: walld lab.toml --apps apps.toml, or walld --demo");
    const pixmpi::WallResult wall = pixmpi::read_wall(options.wall);
    for (const std::string &line : wall.errors)
        complain(line);
    for (const std::string &line : wall.warnings)
        complain("note: " + line);
    if (!wall.wall)
        return 2;
    if (!apps_file.empty()) {
        std::ifstream file(apps_file, std::ios::binary);
        if (!file)
            return complain("--apps: cannot read '" + apps_file + "'");
        Apps apps = parse_apps(std::string(std::istreambuf_iterator<char>(file), {}), apps_file);
        for (const std::string &error : apps.errors)
            complain(error);
        if (!apps.errors.empty())
            return 2;
        options.apps.insert(options.apps.end(), apps.apps.begin(), apps.apps.end());
    }
    return Server(std::move(options)).run();
}
