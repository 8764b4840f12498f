// Reports are single lines in single writes, and never stop or end the program.

#include "run/report.h"

#include <gtest/gtest.h>

#include <climits>
#include <fcntl.h>
#include <unistd.h>

using mpiglut::Report;

namespace {

class ReportTest : public testing::Test {
  protected:
    ReportTest() {
        EXPECT_EQ(pipe(ends_), 0);
        fcntl(ends_[0], F_SETFL, O_NONBLOCK);
        mpiglut::set_report_fd(ends_[1]);
    }
    ~ReportTest() override {
        mpiglut::set_report_fd(-1);
        close_reader();
        close(ends_[1]);
    }
    std::string read_all() {
        std::string all(1 << 17, '\0');
        const ssize_t size = read(ends_[0], all.data(), all.size());
        all.resize(size > 0 ? size : 0);
        return all;
    }
    void close_reader() {
        if (ends_[0] >= 0)
            close(ends_[0]);
        ends_[0] = -1;
    }
    int ends_[2]{-1, -1};
};

} // namespace

TEST_F(ReportTest, IsOneLine) {
    report(Report::error, "glutInit:\nno display\x1b[1m");
    EXPECT_EQ(read_all(), "error: glutInit: no display [1m\n");
    report(Report::note, "swap: barrier");
    EXPECT_EQ(read_all(), "note: swap: barrier\n");
}

TEST_F(ReportTest, OnceMeansOnce) {
    report_once(Report::note, "only this time");
    report_once(Report::note, "only this time");
    report_once(Report::note, "and this");
    EXPECT_EQ(read_all(), "note: only this time\nnote: and this\n");
}

TEST_F(ReportTest, AFloodNeitherBlocksNorTearsLines) {
    testing::internal::CaptureStderr(); // what the pipe has no room for
    for (int i = 0; i < 40; ++i)
        report(Report::note, std::string(10'000, 'x'));
    testing::internal::GetCapturedStderr();
    const std::string all = read_all();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.size() % PIPE_BUF, 0u);
    for (std::size_t i = PIPE_BUF; i <= all.size(); i += PIPE_BUF)
        EXPECT_EQ(all[i - 1], '\n');
}

TEST_F(ReportTest, WithoutAReaderGoesToStandardError) {
    close_reader();
    testing::internal::CaptureStderr();
    report(Report::error, "nobody listens");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("nobody listens"), std::string::npos);
}
