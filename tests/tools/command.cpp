#include "command.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

namespace {

std::string contents(const std::filesystem::path &file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

} // namespace

Outcome run_ranks(int ranks, const std::string &program, std::string arguments, const std::string &variables) {
    std::string folder = (std::filesystem::temp_directory_path() / "tools_test.XXXXXX").string();
    if (!mkdtemp(folder.data()))
        return {};
    const std::string json = folder + "/rows.json";
    if (const auto at = arguments.find("{json}"); at != arguments.npos)
        arguments.replace(at, 6, json);
    const std::string command = variables + " timeout " LONGEST_COMMAND " " MPIEXEC " -n " + std::to_string(ranks) +
                                " " + program + " " + arguments + " >" + folder + "/out 2>" + folder +
                                "/error </dev/null";
    const int status = std::system(command.c_str());
    Outcome outcome;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.out = contents(folder + "/out");
    outcome.error = contents(folder + "/error");
    outcome.json = nlohmann::json::parse(contents(json), nullptr, false);
    std::filesystem::remove_all(folder);
    return outcome;
}

int lines_beginning(const std::string &text, const std::string &with) {
    int count = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        count += line.starts_with(with);
    return count;
}
