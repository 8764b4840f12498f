#include "event_log.h"

#include <algorithm>
#include <sstream>

namespace wall_test {

// "[(1,0)] key 97 ..." with whatever the launcher puts around the tile's name.
std::vector<std::string> lines_of_tile(const std::string &output, const std::string &tile) {
    std::vector<std::string> lines;
    std::istringstream text(output);
    for (std::string line; std::getline(text, line);)
        if (const std::size_t end = line.find(tile); end != std::string::npos && end < 3)
            lines.push_back(line.substr(line.find_first_not_of(" ]:", end + tile.size())));
    return lines;
}

std::vector<std::string> without(const std::vector<std::string> &lines, const std::string &word) {
    std::vector<std::string> rest;
    for (const std::string &line : lines)
        if (line != word && line.rfind(word + " ", 0) != 0)
            rest.push_back(line);
    return rest;
}

void EventLog::start(const std::string &wall, const std::vector<std::string> &options,
                     const std::vector<std::string> &arguments) {
    ASSERT_TRUE(hand_.ready()) << "no X server with XTEST";
    const std::string spec = wall.rfind("walls/", 0) == 0 ? source_path(wall) : wall;
    wall_ = pixmpi::read_wall(spec).wall.value().cut(403, 301);
    std::vector<std::string> all{"--wall", spec, "--output", "all"};
    all.insert(all.end(), options.begin(), options.end());
    auto environment = wall_environment();
    environment["DISPLAY"] = server_.display();
    process_ = std::make_unique<Process>(wall_command(all, support_path("event_log"), arguments), environment);
    expect_everywhere("ready");
}

void EventLog::expect_everywhere(const std::string &line) {
    const auto said_by_all = [&] {
        const std::string output = process_->output_so_far();
        return std::all_of(wall_.tiles.begin(), wall_.tiles.end(), [&](const pixmpi::Tile &tile) {
            const auto lines = lines_of_tile(output, tile.name);
            return std::find_if(lines.begin(), lines.end(), [&](const std::string &one) {
                       return one.size() >= line.size() &&
                              one.compare(one.size() - line.size(), line.size(), line) == 0;
                   }) != lines.end();
        });
    };
    if (!process_->wait_until(said_by_all, longest_run))
        FAIL() << "not every rank said '" << line << "'; they said\n" << process_->output_so_far();
}

std::vector<std::vector<std::string>> EventLog::finish() {
    const Finished finished = process_->finish(longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    std::vector<std::vector<std::string>> all;
    for (const pixmpi::Tile &tile : wall_.tiles)
        all.push_back(lines_of_tile(finished.output, tile.name));
    return all;
}

} // namespace wall_test
