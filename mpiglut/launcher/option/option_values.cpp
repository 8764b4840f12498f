#include "option/option_values.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace mpiglut::launcher {

namespace {

template <class Number> bool read_whole(std::string_view text, Number &value) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

std::string trimmed(const std::string &text) {
    auto first = text.find_first_not_of(" \t\r");
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// `name`, `name:slots`, or `[v6::address]:slots`.
bool read_host(const std::string &text, HostRanks &host) {
    auto colon = text.rfind(':');
    bool bracketed = text.starts_with('[') && text.find(']') != text.npos;
    if (bracketed && text.ends_with(']'))
        colon = text.npos;
    if (!bracketed && text.find(':') != colon) // a bare IPv6 address
        colon = text.npos;
    host.name = text.substr(0, colon);
    if (bracketed)
        host.name = host.name.substr(1, host.name.size() - 2);
    const bool counted = colon == text.npos || (read_whole(text.substr(colon + 1), host.slots) && host.slots > 0);
    return counted && pixmpi::is_host_name(host.name);
}

} // namespace

std::string read_capture(const std::string &text, RunOptions &options) {
    Capture capture;
    std::string file = text;
    // What comes after an @ is a frame unless the @ belongs to the file's name.
    if (auto at = text.rfind('@'); at != text.npos && !text.ends_with(".png")) {
        file = text.substr(0, at);
        if (!read_whole(text.substr(at + 1), capture.frame) || capture.frame <= 0)
            return "expected a frame greater than 0 after '@', not '" + text.substr(at + 1) + "'";
    }
    if (std::filesystem::path(file).extension() != ".png")
        return "expected FILE.png or FILE.png@FRAME, not '" + text + "'";
    const auto is_later = [&](const Capture &other) {
        return capture.frame && (!other.frame || other.frame > capture.frame);
    };
    std::string error = read_output_path(file, capture.file);
    if (error.empty() && std::ranges::find(options.captures, capture.file, &Capture::file) != options.captures.end())
        error = "names '" + file + "' twice";
    options.captures.insert(std::ranges::find_if(options.captures, is_later), capture);
    return error;
}

std::string read_clock(const std::string &text, RunOptions &options) {
    if (text == "wall" || text == "off") {
        options.clock = text == "wall" ? ClockMode::wall : ClockMode::off;
        return {};
    }
    options.clock = ClockMode::step;
    bool read = text.starts_with("step:") && read_whole(text.substr(5), options.step_hz);
    if (read && options.step_hz >= least_step_hz && options.step_hz <= most_step_hz)
        return {};
    return "expected wall, off or step:HZ with HZ from 0.001 to 1000000, not '" + text + "'";
}

std::string read_cut(const std::string &text, RunOptions &options) {
    options.cut = usual_cut;
    if (text.empty() || (read_whole(text, options.cut) && options.cut >= 0 && options.cut <= most_cut))
        return {};
    return "expected a margin in pixels from 0 to " + std::to_string(most_cut) + ", not '" + text + "'";
}

bool is_of_cut(const std::string &text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool is_of_balance(const std::string &text) {
    return text == "show" || text.starts_with("show,") || text.starts_with("latency:");
}

std::string read_balance(const std::string &text, RunOptions &options) {
    options.balance = true;
    std::istringstream list(text);
    std::set<std::string> seen;
    for (std::string word; std::getline(list, word, ',');) {
        const bool latency = word == "latency:0" || word == "latency:1";
        const bool known = latency || word == "show";
        if (!known || !seen.insert(latency ? "latency" : word).second)
            return "expected nothing, show, latency:0 (the default), latency:1, or show,latency:1, not '" + text + "'";
        options.show_cuts |= word == "show";
        options.latency = latency ? word.back() - '0' : options.latency;
    }
    return text.ends_with(',') ? "expected a word after the comma of '" + text + "'" : "";
}

std::string read_ship(const std::string &text, RunOptions &options) {
    options.ship = text;
    int quality = 0;
    const bool jpeg =
        text.starts_with("jpeg:") && read_whole(text.substr(5), quality) && quality >= 1 && quality <= 100;
    if (text == "auto" || text == "raw" || text == "lz4" || jpeg)
        return {};
    return "expected auto, raw, lz4 or jpeg:QUALITY with a quality from 1 to 100, not '" + text + "'";
}

std::string read_hosts(const std::string &text, std::vector<HostRanks> &hosts) {
    std::istringstream list(text + ",");
    for (std::string item; std::getline(list, item, ',');) {
        HostRanks host;
        if (!read_host(trimmed(item), host))
            return "expected host names with commas between them, each with :RANKS after it if wanted, not '" + text +
                   "'";
        hosts.push_back(host);
    }
    return {};
}

std::string read_hostfile(const std::string &path, std::vector<HostRanks> &hosts) {
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path))
        return "cannot read '" + path + "'";
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name, word;
        if (!(words >> name))
            continue;
        HostRanks host;
        bool good = read_host(name, host);
        while (words >> word) // Open MPI's way to say it; MPICH's is name:slots
            good = good && (word.starts_with("slots=") ? read_whole(word.substr(6), host.slots) && host.slots > 0
                                                       : word.starts_with("max"));
        if (!good)
            return path + ":" + std::to_string(number) +
                   ": expected 'name', 'name:RANKS' or 'name slots=RANKS', not '" + trimmed(line) + "'";
        hosts.push_back(host);
    }
    return hosts.empty() ? "'" + path + "' names no host" : "";
}

std::string read_control(const std::string &text, ControlOptions &control) {
    int port = 0;
    if (!read_whole(text, port) || port < 0 || port > 65535)
        return "expected a port from 0 (any) to 65535, not '" + text + "'";
    control.wanted = true;
    return read_for_server("--port", text, control);
}

std::string read_for_server(const std::string &option, const std::string &text, ControlOptions &control) {
    control.server_arguments.insert(control.server_arguments.end(), {option, text});
    return text.empty() ? "expected a value" : "";
}

std::string read_captures_limit(const std::string &text, ControlOptions &control) {
    constexpr int most = 1 << 30;
    int mib = 0;
    if (!read_whole(text, mib) || mib < 1 || mib > most)
        return "expected a number of MiB from 1 to " + std::to_string(most) + ", not '" + text + "'";
    return read_for_server("--captures-limit", text, control);
}

std::string wrong_page(const PageOptions &page) {
    in_addr address{};
    const bool here = page.listen.empty() || page.listen == "localhost" || page.listen == "::1" ||
                      (::inet_pton(AF_INET, page.listen.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
    if (page.certificate.empty() != page.key.empty())
        return std::string(page.key.empty() ? "--certificate" : "--key") + ": expected " +
               (page.key.empty() ? "--key" : "--certificate") + " as well";
    if (!here && page.certificate.empty() && !page.insecure)
        return "--listen " + page.listen + ": expected --certificate and --key, or --insecure";
    if (page.insecure && (here || !page.certificate.empty()))
        return std::string("--insecure: expected ") + (here ? "--listen ADDRESS as well" : "without --certificate");
    return {};
}

std::string read_console(const std::string &text, ControlOptions &control) {
    control.wanted = read_whole(text, control.console_fd) && control.console_fd > 2 &&
                     ::fcntl(control.console_fd, F_SETFD, FD_CLOEXEC) == 0;
    return control.wanted ? "" : "expected an open descriptor, not '" + text + "'";
}

std::string read_input_path(const std::string &text, std::string &path) {
    std::error_code ignored;
    path = std::filesystem::absolute(text, ignored);
    if (text.empty() || ::access(path.c_str(), R_OK) != 0 || std::filesystem::is_directory(path, ignored))
        return "cannot read '" + text + "'";
    return {};
}

std::string read_output_path(const std::string &text, std::string &path) {
    std::error_code ignored;
    path = std::filesystem::absolute(text, ignored);
    return text.empty() ? "expected the name of a file" : "";
}

} // namespace mpiglut::launcher
