// A file name of this test's own, gone when the test is over.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

class ScratchFile {
  public:
    explicit ScratchFile(const std::string &ending) {
        const auto *test = testing::UnitTest::GetInstance()->current_test_info();
        path_ = testing::TempDir() + "mpiglut_" + std::to_string(getpid()) + "_" + test->name() + ending;
    }
    ScratchFile(const std::string &ending, const std::string &text) : ScratchFile(ending) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~ScratchFile() { std::remove(path_.c_str()); }
    ScratchFile(const ScratchFile &) = delete;
    ScratchFile &operator=(const ScratchFile &) = delete;

    const std::string &path() const { return path_; }
    std::string text() const {
        std::ostringstream all;
        all << std::ifstream(path_, std::ios::binary).rdbuf();
        return all.str();
    }

  private:
    std::string path_;
};
