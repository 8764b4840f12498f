// Structures of other versions: shorter ones of older programs, longer ones of newer programs.
#include "base/struct_size.h"

#include <gtest/gtest.h>

namespace {

/// The library's.
struct Now {
    std::size_t struct_size;
    int first;
    double second;
};
/// A program's that was compiled before `second` came.
struct Before {
    std::size_t struct_size;
    int first;
};
struct Later : Now {
    double third;
};

const Now *as_now(const void *of_program) { return static_cast<const Now *>(of_program); }

} // namespace

TEST(struct_size, what_an_old_program_does_not_have_is_zero) {
    struct {
        Before program{sizeof(Before), 5};
        double beyond = 1.5; // must not be read
    } memory;
    Now seen{};
    ASSERT_EQ(pixmpi::read_struct("options", as_now(&memory.program), seen), PIXMPI_SUCCESS);
    EXPECT_EQ(seen.struct_size, sizeof(Now));
    EXPECT_EQ(seen.first, 5);
    EXPECT_EQ(seen.second, 0);
}

TEST(struct_size, nothing_is_written_beyond_an_old_programs) {
    struct {
        Before program{sizeof(Before), 0};
        double beyond = 1.5;
    } memory;
    auto *const given = reinterpret_cast<Now *>(&memory.program);
    ASSERT_EQ(pixmpi::check_struct("stats", given), PIXMPI_SUCCESS);
    pixmpi::write_struct(Now{sizeof(Now), 7, 2.5}, given);
    EXPECT_EQ(memory.program.first, 7);
    EXPECT_EQ(memory.program.struct_size, sizeof(Before));
    EXPECT_EQ(memory.beyond, 1.5);
}

TEST(struct_size, what_a_new_program_says_must_be_known) {
    Later program{{sizeof(Later), 5, 2.5}, 0};
    Now seen{};
    ASSERT_EQ(pixmpi::read_struct("options", as_now(&program), seen), PIXMPI_SUCCESS);
    EXPECT_EQ(seen.second, 2.5);
    program.third = 1;
    EXPECT_EQ(pixmpi::read_struct("options", as_now(&program), seen), PIXMPI_ERR_ARGUMENT);
    EXPECT_NE(std::string(pixMPI_Error_text()).find("options: says something in the 8 bytes"), std::string::npos);
    pixmpi::write_struct(Now{sizeof(Now), 7, 3.5}, static_cast<Now *>(&program));
    EXPECT_EQ(program.third, 0);
    EXPECT_EQ(program.struct_size, sizeof(Later));
}

TEST(struct_size, a_structure_without_a_size_is_refused) {
    Now seen{};
    for (const std::size_t size : {std::size_t{0}, std::size_t{4}, sizeof(Now) + 1, std::size_t{1} << 40}) {
        const Now program{size, 5, 2.5};
        EXPECT_EQ(pixmpi::read_struct("options", &program, seen), PIXMPI_ERR_ARGUMENT);
        EXPECT_EQ(pixmpi::check_struct("options", &program), PIXMPI_ERR_ARGUMENT);
        EXPECT_NE(std::string(pixMPI_Error_text()).find("options.struct_size"), std::string::npos);
    }
    EXPECT_EQ(pixmpi::check_struct<Now>("stats", nullptr), PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(pixmpi::read_struct<Now>("options", nullptr, seen), PIXMPI_SUCCESS);
    EXPECT_EQ(seen.first, 0);
}
