#include "subject.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

Scratch::Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "demos-XXXXXX").string();
    path_ = mkdtemp(pattern.data()) ? pattern : ".";
}

Scratch::~Scratch() { std::filesystem::remove_all(path_); }

std::vector<std::string> ranks_command(const char *program, int ranks, const std::vector<std::string> &arguments,
                                       const std::vector<std::string> &environment) {
    std::vector<std::string> command{"env", ENVIRONMENT};
    command.insert(command.end(), environment.begin(), environment.end());
    command.insert(command.end(), {MPIEXEC, "-n", std::to_string(ranks), program});
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

Outcome run(const char *program, int ranks, const std::vector<std::string> &arguments,
            const std::vector<std::string> &environment) {
    return run_command(ranks_command(program, ranks, arguments, environment), 100);
}

std::string described(const Outcome &outcome) {
    return "status " + std::to_string(outcome.status) + "\n" + outcome.output + outcome.errors;
}

std::size_t colours(const demo::Picture &picture) {
    std::vector<std::array<std::uint8_t, 4>> all(picture.rgba.size() / 4);
    for (std::size_t i = 0; i < all.size(); ++i)
        std::copy_n(&picture.rgba[4 * i], 4, all[i].begin());
    std::sort(all.begin(), all.end());
    return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}
