// Choices by environment variables.
#include "base/environment.h"

#include "file/io_queue.h"

#include <gtest/gtest.h>

namespace {

using pixmpi::read_word;

constexpr const char *variable = "PIXMPI_TEST_WORD";

std::string text_of(pixmpi::Status status) { return pixmpi::last_error(status).text.data(); }

class Environment : public testing::Test {
  protected:
    ~Environment() override { ::unsetenv(variable); }

    static pixmpi::Status read(const char *text, int &chosen) {
        text ? ::setenv(variable, text, 1) : ::unsetenv(variable);
        return read_word(variable, "apple|pear|plum", chosen);
    }
};

TEST_F(Environment, NothingIsTheUsual) {
    for (const char *text : {static_cast<const char *>(nullptr), ""}) {
        int chosen = 2;
        EXPECT_EQ(read(text, chosen), PIXMPI_SUCCESS);
        EXPECT_EQ(chosen, 2);
    }
}

TEST_F(Environment, AWordIsItsPlace) {
    int chosen = 2;
    EXPECT_EQ(read("apple", chosen), PIXMPI_SUCCESS);
    EXPECT_EQ(chosen, 0);
    bool yes = false;
    ::setenv(variable, "on", 1);
    EXPECT_EQ(read_word(variable, "off|on", yes), PIXMPI_SUCCESS);
    EXPECT_TRUE(yes);
}

TEST_F(Environment, AnyOtherIsRefusedByName) {
    for (const char *text : {"Apple", "apples", "1", " plum"}) {
        int chosen = 1;
        const pixmpi::Status status = read(text, chosen);
        EXPECT_EQ(status, PIXMPI_ERR_ARGUMENT) << text;
        EXPECT_EQ(chosen, 1);
        EXPECT_EQ(text_of(status), "PIXMPI_TEST_WORD: \"" + std::string(text) + "\", expected apple, pear or plum");
    }
}

TEST_F(Environment, QueuesOfFiles) {
    ::setenv("PIXMPI_FILE_IO", "thread", 1);
    std::unique_ptr<pixmpi::IoQueue> queue;
    const pixmpi::Status status = pixmpi::IoQueue::make(queue);
    EXPECT_EQ(status, PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(text_of(status), "PIXMPI_FILE_IO: \"thread\", expected uring or threads");
    EXPECT_EQ(queue, nullptr);
    ::setenv("PIXMPI_FILE_IO", "threads", 1);
    EXPECT_EQ(pixmpi::IoQueue::make(queue), PIXMPI_SUCCESS);
    ::unsetenv("PIXMPI_FILE_IO");
}

} // namespace
