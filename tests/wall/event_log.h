// The program event_log on a wall in real windows, and what each rank says.
#pragma once

#include "pointer.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace wall_test {

/// The lines that one tile's rank printed, without the tile's name in front.
std::vector<std::string> lines_of_tile(const std::string &output, const std::string &tile);
/// Those with another first word.
std::vector<std::string> without(const std::vector<std::string> &lines, const std::string &word);

class EventLog : public testing::Test {
  protected:
    EventLog() : server_(1280, 1024), hand_(server_.display()) {}

    /// Starts the program and waits until every rank has drawn.
    void start(const std::string &wall, const std::vector<std::string> &options,
               const std::vector<std::string> &arguments);
    /// Waits until every rank has said this line (so far); a test failure when one does not.
    void expect_everywhere(const std::string &line);
    /// Waits for the end; every tile's lines, by rank.
    std::vector<std::vector<std::string>> finish();

    Xvfb server_;
    Hand hand_;
    std::unique_ptr<Process> process_;
    pixmpi::Wall wall_;
};

} // namespace wall_test
