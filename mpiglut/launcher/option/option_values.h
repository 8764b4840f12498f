// The values that options of mpiglutrun take. Each function returns what is wrong with the text, empty when nothing is.
#pragma once

#include "option/options.h"

#include <string>
#include <vector>

namespace mpiglut::launcher {

std::string read_capture(const std::string &text, RunOptions &options);
std::string read_clock(const std::string &text, RunOptions &options);
std::string read_cut(const std::string &text, RunOptions &options);
/// The argument after --cut, or --balance, is its value, right or wrong, and not the program.
bool is_of_cut(const std::string &text);
bool is_of_balance(const std::string &text);
std::string read_balance(const std::string &text, RunOptions &options);
std::string read_ship(const std::string &text, RunOptions &options);
std::string read_hosts(const std::string &text, std::vector<HostRanks> &hosts);
std::string read_hostfile(const std::string &path, std::vector<HostRanks> &hosts);
/// A file that the run is to read, or to write; made absolute because the program may change directory. Whether one can
/// be written is known where rank 0 runs: its agent looks.
std::string read_input_path(const std::string &text, std::string &path);
/// `PORT`, 0 for any that is free.
std::string read_control(const std::string &text, ControlOptions &control);
/// A value that walld understands, and checks.
std::string read_for_server(const std::string &option, const std::string &text, ControlOptions &control);
std::string read_captures_limit(const std::string &text, ControlOptions &control);
/// Who may connect to the page, and how.
struct PageOptions {
    std::string listen, certificate, key;
    bool insecure = false;
};
/// What is wrong with these together; it begins with the option. walld has the same options.
std::string wrong_page(const PageOptions &page);
/// The number of a descriptor that is open.
std::string read_console(const std::string &text, ControlOptions &control);
std::string read_output_path(const std::string &text, std::string &path);

} // namespace mpiglut::launcher
