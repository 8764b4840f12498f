// Demos as tests run them.
#pragma once

#include "command.h"
#include "picture.h"

#include <string>
#include <vector>

/// A folder that is gone afterwards.
class Scratch {
  public:
    Scratch();
    ~Scratch();
    std::string file(const std::string &name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

/// The command that runs a program with so many ranks, with variables (NAME=value) in its environment.
std::vector<std::string> ranks_command(const char *program, int ranks, const std::vector<std::string> &arguments,
                                       const std::vector<std::string> &environment = {});
Outcome run(const char *program, int ranks, const std::vector<std::string> &arguments,
            const std::vector<std::string> &environment = {});

/// For the message of a test that failed.
std::string described(const Outcome &outcome);

/// How many colours a picture has; a picture that was never drawn has one.
std::size_t colours(const demo::Picture &picture);
