// With --balance: which programs begin each frame anew, so that ranks may render what others have rendered before, and
// which go on with pixels of an earlier frame. The library has to see that by what they draw.
#include "cases.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

namespace wall_test {
namespace {

/// The reason why each tile renders what it shows; empty while the work is shared out.
std::string reason_of(const std::string &way, const std::string &wall = "2x1") {
    const Finished finished = run(wall_command({"--wall", wall, "--headless", "--clock", "step:60", "--balance"},
                                               support_path("overdrawing"), {way}),
                                  wall_environment(), longest_run);
    EXPECT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    const std::string note = "because the program goes on with pixels of an earlier frame: ";
    const auto at = finished.errors.find(note);
    if (at == finished.errors.npos)
        return "";
    const std::string reason = finished.errors.substr(at + note.size());
    return reason.substr(0, reason.find('\n'));
}

class BeginsAnew : public testing::TestWithParam<const char *> {};

TEST_P(BeginsAnew, AndIsSharedOut) { EXPECT_EQ(reason_of(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(Wall, BeginsAnew,
                         testing::Values("rectangle", "array", "quad", "list", "pixels", "engine", "blit", "buffer",
                                         "named", "unread", "always"),
                         [](const auto &param) { return std::string(param.param); });

struct Going {
    const char *way, *reason;
};
void PrintTo(const Going &going, std::ostream *out) { *out << going.way; }

class GoesOn : public testing::TestWithParam<Going> {};

TEST_P(GoesOn, AndIsNotSharedOut) { EXPECT_EQ(reason_of(GetParam().way), GetParam().reason); }

const char *const colours = "it does not clear all of the window's colours";

INSTANTIATE_TEST_SUITE_P(Wall, GoesOn,
                         testing::Values(Going{"nearly", colours}, Going{"holes", colours},
                                         Going{"larger blit", colours}, Going{"blended", colours},
                                         Going{"masked", colours}, Going{"scissored", colours},
                                         Going{"read", "it reads the window before it clears it"},
                                         Going{"depths", "it does not clear all of the window's depths"}),
                         [](const auto &param) {
                             std::string name = param.param.way;
                             std::replace(name.begin(), name.end(), ' ', '_');
                             return name;
                         });

} // namespace
} // namespace wall_test
