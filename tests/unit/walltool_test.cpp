// walltool as people run it: what it prints, draws and returns.
#include "walls.h"

#include <cstdio>
#include <fstream>

#include <png.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Outcome {
    int status = -1;
    std::string output; ///< standard output and standard error
};

Outcome walltool(const std::string &arguments) {
    Outcome outcome;
    std::FILE *pipe = popen(("exec 2>&1; " + std::string(WALLTOOL) + " " + arguments).c_str(), "r");
    if (!pipe)
        return outcome;
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, pipe))
        outcome.output.append(part, got);
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

class Walltool : public testing::Test {
  protected:
    std::string base_ = testing::TempDir() + "walltool." + std::to_string(getpid());
    std::string file_ = base_ + ".toml", png_ = base_ + ".png";
    void write(const std::string &toml) const { std::ofstream(file_) << toml; }
    void TearDown() override {
        unlink(file_.c_str());
        unlink(png_.c_str());
    }
};

void expect_contains(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), text.npos) << "no \"" << part << "\" in:\n" << text;
}

struct Image {
    png_image header{};
    std::vector<unsigned char> rgb;
};

Image read_png(const std::string &path) {
    Image image;
    image.header.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image.header, path.c_str()))
        return image;
    image.header.format = PNG_FORMAT_RGB;
    image.rgb.resize(PNG_IMAGE_SIZE(image.header));
    if (!png_image_finish_read(&image.header, nullptr, image.rgb.data(), 0, nullptr))
        image.rgb.clear();
    return image;
}

TEST_F(Walltool, NewByOptions) {
    const Outcome outcome = walltool("new " + file_ +
                                     " --columns 3 --rows 2 --resolution 1920x1080 --bezel 12.5mm --size 531x299 "
                                     "--hosts left,middle,right --displays :0,:0.1 --rotation 90 </dev/null");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    const pixmpi::WallResult result = pixmpi::read_wall(file_);
    ASSERT_TRUE(result.wall) << result.errors.front();
    const pixmpi::Wall &wall = *result.wall;
    ASSERT_EQ(wall.tiles.size(), 6u);
    EXPECT_EQ(wall.tiles[0].rect, (pixmpi::Rect{0, 0, 1080, 1920}));
    EXPECT_EQ(wall.tiles[1].rect.x, 1080 + 45); // 12.5 mm at 1080 pixels for 299 mm
    EXPECT_EQ(wall.tiles[1].rotation, 90);
    EXPECT_EQ(wall.tiles[5].host, "right");
    EXPECT_EQ(wall.tiles[5].display, ":0.1");
    EXPECT_EQ(walltool("check " + file_).status, 0);
    const Outcome again = walltool("new " + file_ + " --defaults");
    EXPECT_EQ(again.status, 1);
    expect_contains(again.output, "exists, and is not overwritten");
}

TEST_F(Walltool, NewAsksAgain) {
    const Outcome outcome =
        walltool("new " + file_ + " --rows 1 <<'END'\nnone\n0\n3\n1920\n640x480\n45\n\n40,x\n40,30\n\n" +
                 "a b,-c\nleft, right\n0\n\nEND\n");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    expect_contains(outcome.output, "Columns of screens [2]: ");
    for (const char *expected : {"a number from 1 to 1000", "WIDTHxHEIGHT in pixels", "0, 90, 180 or 270",
                                 "a number, or ACROSS,DOWN", "names or addresses of hosts", "displays such as :0"})
        expect_contains(outcome.output, std::string("expected ") + expected);
    EXPECT_EQ(outcome.output.find("Rows of screens"), std::string::npos) << "that was given";
    const pixmpi::WallResult result = pixmpi::read_wall(file_);
    ASSERT_TRUE(result.wall) << result.errors.front();
    ASSERT_EQ(result.wall->tiles.size(), 3u);
    EXPECT_EQ(result.wall->tiles[1].rect, (pixmpi::Rect{680, 0, 640, 480}));
    EXPECT_EQ(result.wall->tiles[1].host, "right");
    EXPECT_EQ(result.wall->tiles[0].rotation, 0);
}

TEST_F(Walltool, NewRefuses) {
    const std::pair<std::string, const char *> cases[]{
        {"new " + base_ + " --defaults", "name that ends with .toml"},
        {"new " + file_ + " </dev/null", "give --columns"},
        {"new " + file_ + " --defaults --columns x", "--columns: expected a number"},
        {"new " + file_ + " --defaults --rows 1.5", "--rows: expected a number"},
        {"new " + file_ + " --defaults --bezel 10mm", "--size: expected WIDTHxHEIGHT in millimetres"},
        {"new " + file_ + " --defaults --hosts a,,b", "--hosts: expected names"},
        {"new " + file_ + " --defaults --displays 0", "--displays: expected displays"},
        {"new " + base_ + "/none/wall.toml --defaults", "cannot write"},
    };
    for (const auto &[arguments, says] : cases) {
        const Outcome outcome = walltool(arguments);
        EXPECT_EQ(outcome.status, 1) << arguments;
        expect_contains(outcome.output, says);
        EXPECT_NE(access(file_.c_str(), F_OK), 0) << arguments;
    }
    EXPECT_EQ(walltool("new " + file_ + " --defaults").status, 0);
    EXPECT_EQ(pixmpi::read_wall(file_).wall->tiles.size(), 4u);
}

} // namespace

TEST_F(Walltool, CheckExplainsAWall) {
    write(pixmpi::samples()[0]);
    const Outcome outcome = walltool("check " + file_);
    EXPECT_EQ(outcome.status, 0);
    expect_contains(outcome.output, ": 5 tiles, grid of 3 by 2\n");
    expect_contains(outcome.output, "size: 5921 x 2248 pixels, 1842.8 x 699.");
    expect_contains(outcome.output, "holes: (1,0)");
    expect_contains(outcome.output, "gaps side by side: ");
    expect_contains(outcome.output, "the \"crooked\" one");
    expect_contains(outcome.output, "4 v"); // upside down in the sketch
    expect_contains(outcome.output, "fullscreen");
}

TEST_F(Walltool, CheckMentionsOverlaps) {
    write(pixmpi::samples()[2]);
    const Outcome outcome = walltool("check " + file_);
    EXPECT_EQ(outcome.status, 0);
    expect_contains(outcome.output, "by 24 x 758 px");
}

TEST_F(Walltool, CheckWarns) {
    write("[grid]\ncolumns = 2\nrows = 1\ntile = [10, 10]\nbezel = 11\n");
    const Outcome outcome = walltool("check " + file_);
    EXPECT_EQ(outcome.status, 0);
    expect_contains(outcome.output, "warning: " + file_ + ":5: grid.bezel: ");
}

TEST_F(Walltool, CheckNamesEveryMistake) {
    write("[grid]\ncolumns = 0\nrows = 1\nhosts = \"a\"\n");
    const Outcome outcome = walltool("check " + file_);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.output, file_ + ":2: grid.columns: expected a whole number from 1 to 4096, not 0\n" + file_ +
                                  ":4: grid: unknown key \"hosts\", did you mean host?\n");
}

TEST_F(Walltool, ComplainsAboutItsUse) {
    for (const char *arguments :
         {"", "check", "preview", "check 2x2 3x3", "chekc 2x2", "pattern --frames -1", "pattern --frames x"})
        EXPECT_EQ(walltool(arguments).status, 2) << arguments;
    EXPECT_EQ(walltool("--help").status, 0);
    EXPECT_EQ(walltool("preview --help").status, 0);
}

TEST_F(Walltool, PreviewDrawsEachHostInItsColour) {
    const std::string grid = "[grid]\ncolumns = 2\nrows = 1\ntile = [600, 400]\nhost = ";
    write(grid + "\"a\"\n");
    EXPECT_EQ(walltool("preview " + file_ + " -o " + png_).status, 0);
    const Image one = read_png(png_);
    write(grid + "[\"a\", \"b\"]\n");
    EXPECT_EQ(walltool("preview " + file_ + " -o " + png_).status, 0);
    const Image two = read_png(png_);
    ASSERT_FALSE(one.rgb.empty());
    ASSERT_EQ(one.header.width, two.header.width);
    // The left tile's middle is free of text a quarter of the way down; its mirror image is the right tile's.
    const auto pixel = [](const Image &image, double x, double y) {
        const std::size_t at =
            (std::size_t(y * image.header.height) * image.header.width + std::size_t(x * image.header.width)) * 3;
        return std::vector<int>{image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
    };
    EXPECT_EQ(pixel(one, 0.05, 0.3), pixel(one, 0.95, 0.3));
    EXPECT_EQ(pixel(one, 0.05, 0.3), pixel(two, 0.05, 0.3));
    EXPECT_NE(pixel(two, 0.05, 0.3), pixel(two, 0.95, 0.3));
}

TEST_F(Walltool, PreviewOfExtremeWallsStaysSmall) {
    for (const char *wall : {"1x1@1048576x1", "1x1@1x1048576", "1x1@1x1", "64x64", "4096x1@1x1+100"}) {
        EXPECT_EQ(walltool(std::string("preview ") + wall + " -o " + png_).status, 0) << wall;
        const Image image = read_png(png_);
        ASSERT_FALSE(image.rgb.empty()) << wall;
        EXPECT_LE(image.header.width, 1300u) << wall;
        EXPECT_LE(image.header.height, 1300u) << wall;
    }
}

TEST_F(Walltool, PreviewSaysWhyItCannotWrite) {
    const Outcome outcome = walltool("preview 2x2 -o " + base_ + "/no/such/folder.png");
    EXPECT_EQ(outcome.status, 1);
    expect_contains(outcome.output, "No such file");
}
