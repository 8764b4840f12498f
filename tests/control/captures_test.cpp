// What the server keeps in files: captures, films, recordings, and the wall as the operator has adjusted it.
#include "capture/captures.h"
#include "capture/film.h"
#include "capture/stills.h"
#include "capture/thumbnails.h"
#include "desk/adjusted.h"
#include "desk/recording.h"
#include "link/picture_coding.h"
#include "web/http.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace mpiglut;
using namespace mpiglut::walld;

namespace {

TEST(Recordings, AreFilesThatCanBePlayed) {
    const std::string folder = testing::TempDir() + "recording" + std::to_string(::getpid());
    Captures captures(folder);
    Recording recording(captures, 10, 20);
    recording.add("{\"frame\":1,\"after\":0,\"kind\":\"key\",\"a\":97}\n{\"frame\":2,\"after\":3,\"kind\":\"quit\"}\n");
    recording.end();
    EXPECT_EQ(recording.events(), 2u);
    const auto replay = events_of_replay(captures, recording.file(), 7);
    EXPECT_EQ(replay.error, "");
    ASSERT_EQ(replay.value.size(), 4u) << "begin, an instant, its event, play; none of the operator's own";
    EXPECT_EQ(replay.value[2].a, 97);
    EXPECT_EQ(replay.value[3].b, 7);
    EXPECT_NE(events_of_replay(captures, "wall-none.jsonl", 1).error, "");
    EXPECT_NE(events_of_replay(captures, "../" + recording.file(), 1).error, "");
    recording.add("not a line\n");
    EXPECT_EQ(events_of_replay(captures, recording.file(), 1).error, "") << "what comes late is not kept";
    std::filesystem::remove_all(folder);
}

TEST(Adjusted, KeepsAFileThatSomebodyElseChanged) {
    const std::string folder = testing::TempDir() + "adjusted" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    const std::string file = folder + "/lab.toml", text = "[grid]\ncolumns = 2\nrows = 1\ntile = [10, 10]\nbezel = 1\n";
    std::ofstream(file) << text;
    Captures captures(folder);
    launcher::Run facts;
    facts.wall_file = facts.wall_name = file;
    facts.wall = pixmpi::format_wall(*pixmpi::parse_wall(text, "lab").wall);
    Adjusted wall(facts);
    EXPECT_EQ(wall.nudge({.rank = -1, .x = 2, .y = 0}), "");
    EXPECT_TRUE(wall.changed());
    std::string saved;
    EXPECT_EQ(wall.save(captures, saved), "");
    EXPECT_EQ(saved, file);
    EXPECT_FALSE(wall.changed());
    EXPECT_EQ(wall.nudge({.rank = 0, .x = 0, .y = 1}), "");
    std::ofstream(file, std::ios::app) << "# mine\n";
    EXPECT_NE(wall.save(captures, saved).find("has changed"), std::string::npos);
    wall.reset();
    EXPECT_EQ(wall.wall().width, 23);
    facts.wall_file.clear();
    facts.wall_name = "2x1@10x10+1";
    Adjusted spec(facts);
    EXPECT_EQ(spec.recolour({.rank = 1, .brightness = 0.5}), "");
    EXPECT_EQ(spec.save(captures, saved), "");
    EXPECT_EQ(pixmpi::parse_wall(captures.read(saved), saved).wall->tiles[1].correction.brightness, 0.5);
    std::filesystem::remove_all(folder);
}

TEST(Captures, OpenNothingElse) {
    const Captures captures("/etc");
    for (const char *name :
         {"passwd", "../etc/passwd", "wall-/../passwd.png", "wall-..png", "wall-..avi", "wall-..toml", ""})
        EXPECT_EQ(captures.read(name), "");
}

class CapturesFolder : public testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }
    static void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }
    static std::string read(const std::string &path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    const std::string folder = testing::TempDir() + "captures" + std::to_string(::getpid());
};

/// Other users may also write in that folder. An entry that looks like a capture may be a link to any file that the
/// server can read.
TEST_F(CapturesFolder, FollowsNoLinks) {
    const std::string secret = folder + "/secret", shot = folder + "/wall-20260102-030405-001.png";
    write(secret, "secret");
    std::filesystem::create_symlink(secret, shot);
    std::filesystem::create_directory(folder + "/wall-1.png");
    ASSERT_EQ(::mkfifo((folder + "/wall-2.png").c_str(), 0600), 0);
    std::filesystem::create_hard_link(secret, folder + "/wall-3.png");
    write(folder + "/wall-4.png", "another user's"); // below, where this user may give a file away
    const bool given_away = ::chown((folder + "/wall-4.png").c_str(), 12345, static_cast<gid_t>(-1)) == 0;
    if (!given_away)
        std::filesystem::remove(folder + "/wall-4.png");
    Captures captures(folder);
    EXPECT_TRUE(captures.names().empty());
    for (const char *name : {"wall-20260102-030405-001.png", "wall-1.png", "wall-2.png", "wall-3.png", "wall-4.png"})
        EXPECT_EQ(captures.read(name), "") << name;
    errno = 0;
    EXPECT_FALSE(OwnFile::create(folder, "wall-20260102-030405-001.png"));
    EXPECT_EQ(errno, EEXIST) << "what is there is never written to";
    EXPECT_EQ(read(secret), "secret");
}

TEST_F(CapturesFolder, IsNotFilledWithoutEnd) {
    Captures captures(folder, 10);
    std::string name, error;
    OwnFile file = captures.create(".png", name, error);
    ASSERT_TRUE(file) << error;
    EXPECT_TRUE(file.append("0123456789"));
    EXPECT_EQ(captures.read(name), "0123456789");
    EXPECT_FALSE(captures.create(".png", name, error));
    EXPECT_NE(error.find("remove some"), std::string::npos) << error;
    Film film(captures, 1);
    EXPECT_FALSE(film.runs());
    EXPECT_EQ(film.error(), error);
    EXPECT_FALSE(Recording(captures, 1, 1).runs());
}

/// A link with the name of the new file was written through, and then took the wall file's place.
TEST_F(CapturesFolder, WallFilesAreReplacedNotWrittenThrough) {
    const std::string victim = folder + "/victim", file = folder + "/lab.toml", link = folder + "/link.toml";
    write(victim, "untouched");
    write(file, "old");
    std::filesystem::permissions(file, std::filesystem::perms(0640));
    std::filesystem::create_symlink(victim, file + ".new");
    std::filesystem::create_symlink(file, link);
    EXPECT_EQ(replace_file(link, "new"), "");
    EXPECT_EQ(read(victim), "untouched");
    EXPECT_EQ(read(file), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << "the user's own link stays";
    EXPECT_FALSE(std::filesystem::is_symlink(file));
    EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
    EXPECT_NE(replace_file(folder + "/none/lab.toml", "x"), "");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 4) << "nothing is left lying about";
}

/// In a folder like /tmp: a link to a file of this user's would have had it replaced, a pipe would have been waited for.
TEST_F(CapturesFolder, WhatOthersMayHavePutThereIsNotTheirs) {
    std::filesystem::permissions(folder, std::filesystem::perms(01777));
    const std::string victim = folder + "/victim", planted = folder + "/planted", pipe = folder + "/pipe";
    std::string error;
    write(victim, "untouched");
    std::filesystem::create_symlink(victim, planted);
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
    EXPECT_EQ(read_kept_file(planted, 100, error), "untouched") << "a link of this user's";
    EXPECT_EQ(error, "");
    EXPECT_EQ(read_kept_file(folder + "/none", 100, error), "");
    EXPECT_EQ(error, "");
    for (const auto &[path, most] : {std::pair{pipe, 100}, std::pair{folder, 100}, std::pair{victim, 8}}) {
        error.clear();
        EXPECT_EQ(read_kept_file(path, static_cast<std::size_t>(most), error), "");
        EXPECT_NE(error.find("cannot be read"), std::string::npos) << path;
    }
    constexpr uid_t another = 12345;
    if (::lchown(planted.c_str(), another, static_cast<gid_t>(-1)) != 0)
        GTEST_SKIP() << "skipped: only root can give a link away";
    EXPECT_EQ(read_kept_file(planted, 100, error), "");
    EXPECT_NE(error.find("another user"), std::string::npos) << error;
    EXPECT_EQ(replace_file(planted, "new"), "");
    EXPECT_EQ(read(victim), "untouched");
    EXPECT_EQ(read(planted), "new");
    EXPECT_FALSE(std::filesystem::is_symlink(planted)) << "it has taken the link's place";
}

TEST(Stills, FactsAreChecked) {
    EXPECT_FALSE(is_sound({.x = -(1 << 25)}));
    EXPECT_FALSE(is_sound({.columns = std::numeric_limits<std::int32_t>::max()}));
    EXPECT_FALSE(is_sound({.frame = std::int64_t{1} << 50}));
    EXPECT_TRUE(is_sound({.x = -7, .columns = 7, .frame = std::int64_t{1} << 40}));
}

TEST(Stills, WaitForTheLivingAlone) {
    std::vector<Stills::Work> elsewhere;
    Stills stills([&](Stills::Work work) { elsewhere.push_back(std::move(work)); });
    const auto as_it_is = [](std::span<const std::byte> rgb, int, int) {
        return std::string(reinterpret_cast<const char *>(rgb.data()), rgb.size());
    };
    Still taken;
    int times = 0;
    const auto take = [&](const Still &still) { taken = still, ++times; };
    const auto tile = [](int request, int x) {
        return PictureFacts{.x = x,
                            .width = 1,
                            .height = 1,
                            .wall_width = 3,
                            .wall_height = 1,
                            .columns = 1,
                            .rows = 1,
                            .request = request,
                            .frame = 9};
    };
    const std::vector<std::byte> white(3, std::byte{255});
    const std::string png = mpiglut::launcher::encode_png(white, 1, 1);
    const int request = stills.begin({0, 1, 2}, as_it_is, take);
    stills.add(0, tile(request, 0), png);
    stills.add(2, tile(request, 2), png);
    EXPECT_TRUE(elsewhere.empty());
    stills.lose(1);
    ASSERT_EQ(elsewhere.size(), 1u);
    EXPECT_EQ(times, 0) << "it is put together elsewhere";
    EXPECT_FALSE(stills.idle());
    elsewhere[0]()();
    EXPECT_EQ(times, 1);
    EXPECT_EQ(taken.coded, std::string("\xff\xff\xff\0\0\0\xff\xff\xff", 9));
    EXPECT_TRUE(stills.idle());
    const int late = stills.begin({0}, as_it_is, take);
    stills.add(0, tile(late, 0), png);
    stills.give_up_all("the run is over");
    EXPECT_EQ(std::tie(times, taken.error), std::tuple(2, "the run is over"));
    elsewhere[1]()();
    EXPECT_EQ(times, 2) << "nobody waits any more";
}

std::uint32_t number_at(const std::string &bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number |= std::uint32_t{static_cast<unsigned char>(bytes.at(at + i))} << (8 * i);
    return number;
}

TEST(Film, IsOneFileWithAnIndex) {
    const std::string folder = testing::TempDir() + "film" + std::to_string(::getpid());
    Captures captures(folder);
    Film film(captures, 3);
    const std::vector<std::byte> pixels(std::size_t{3} * 31 * 17);
    Still still{.coded = launcher::encode_jpeg(pixels, 31, 17), .width = 31, .height = 17, .frame = 5, .error = {}};
    EXPECT_EQ(film.add(still), 8);
    still.frame = 9;
    EXPECT_EQ(film.add(still), 12);
    still.width = 30;
    EXPECT_EQ(film.add(still), std::nullopt);
    EXPECT_FALSE(film.runs());
    EXPECT_NE(film.error(), "");
    EXPECT_EQ(film.frames(), 2u);
    {
        Film empty(captures, 1);
        EXPECT_EQ(captures.names().size(), 2u);
        empty.end();
    }
    EXPECT_EQ(captures.names(), std::vector{film.file()}) << "no frame, no film";
    const std::string bytes = captures.read(film.file());
    EXPECT_EQ(bytes.substr(0, 4) + bytes.substr(8, 4), "RIFFAVI ");
    EXPECT_EQ(number_at(bytes, 4), bytes.size() - 8);
    const std::size_t movie = bytes.find("movi"), index = bytes.find("idx1");
    ASSERT_NE(index, bytes.npos);
    EXPECT_EQ(number_at(bytes, movie - 4), index - movie);
    EXPECT_EQ(number_at(bytes, index + 4), 32u);
    for (std::size_t entry = index + 8; entry < bytes.size(); entry += 16) {
        const std::size_t at = movie + number_at(bytes, entry + 8);
        EXPECT_EQ(bytes.substr(at, 4), "00dc");
        EXPECT_EQ(bytes.substr(at + 8, 2), "\xff\xd8");
        EXPECT_EQ(number_at(bytes, at + 4), number_at(bytes, entry + 12));
    }
    std::filesystem::remove_all(folder);
}

/// In the place of ffmpeg, or ffmpeg itself.
class CodedFilm : public testing::Test {
  protected:
    std::string folder_ = testing::TempDir() + "coded-film" + std::to_string(::getpid());
    Captures captures_{folder_};
    void SetUp() override {
        std::signal(SIGPIPE, SIG_IGN);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    /// A program of these lines.
    std::string stand_in(const std::string &lines) const {
        const std::string path = folder_ + "/coder";
        std::ofstream(path) << "#!/bin/sh\n" << lines;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return path;
    }
    std::string error_of(const std::string &lines, int pictures) const {
        const FilmTool tool{.program = stand_in(lines), .encoder = "libx264", .ending = ".mp4", .note = {}};
        FilmCoder coder(tool, ::open((folder_ + "/film").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600),
                        std::chrono::milliseconds(200));
        const std::vector<std::byte> pixels(std::size_t{3} * 1024 * 1024);
        for (int i = 0; i < pictures && coder.add(pixels, 1024, 1024); ++i) {
        }
        coder.finish();
        return coder.error();
    }
    /// As the worker does it, at once.
    static void at_once(const Stills::Work &work) { work()(); }
};

TEST_F(CodedFilm, IsAFileThatBrowsersPlay) {
    const FilmTool tool = find_film_tool();
    if (tool.encoder.empty())
        GTEST_SKIP() << tool.note;
    int told = 0;
    Film film(captures_, 2, {.tool = tool, .elsewhere = at_once, .done = [&](const Film &) { ++told; }});
    const Stills::Coding coding = film.coding();
    std::vector<std::byte> pixels(std::size_t{3} * 31 * 17);
    Still still{.coded = coding(pixels, 31, 17), .width = 31, .height = 17, .frame = 5, .error = {}};
    EXPECT_EQ(film.add(still), 7);
    pixels.assign(pixels.size(), std::byte{200});
    still.coded = coding(pixels, 31, 17);
    EXPECT_EQ(film.add(still), 7);
    film.end({}, [&](const Film &one) { told += one.runs() ? 100 : 10; });
    EXPECT_EQ(told, 11);
    EXPECT_EQ(film.error(), "");
    EXPECT_EQ(film.frames(), 2u);
    const std::string bytes = captures_.read(film.file());
    if (tool.ending == ".mp4") {
        EXPECT_EQ(bytes.substr(4, 4), "ftyp");
        EXPECT_LT(bytes.find("moov"), bytes.find("mdat")) << "a browser would have to wait for the end";
    } else {
        EXPECT_EQ(bytes.substr(0, 4), "\x1a\x45\xdf\xa3");
    }
    still.coded = coding(std::vector<std::byte>(std::size_t{3} * 32 * 17), 32, 17);
    EXPECT_EQ(still.coded, "") << "the film is over";
}

TEST_F(CodedFilm, EndsWithTheWallsSize) {
    const FilmTool tool = find_film_tool();
    if (tool.encoder.empty())
        GTEST_SKIP() << tool.note;
    Film film(captures_, 1, {.tool = tool, .elsewhere = at_once, .done = {}});
    Still still{.coded = film.coding()(std::vector<std::byte>(std::size_t{3} * 32 * 16), 32, 16), .width = 32, .height = 16, .frame = 1, .error = {}};
    EXPECT_EQ(film.add(still), 2);
    still.coded = film.coding()(std::vector<std::byte>(std::size_t{3} * 32 * 18), 32, 18);
    still.height = 18;
    EXPECT_EQ(film.add(still), std::nullopt);
    EXPECT_EQ(film.error(), "the wall got another size");
    EXPECT_NE(captures_.read(film.file()), "") << "what there was is kept";
}

TEST_F(CodedFilm, WithoutAFrameIsNone) {
    const FilmTool tool{.program = stand_in("exit 1\n"), .encoder = "libx264", .ending = ".mp4", .note = {}};
    Film film(captures_, 1, {.tool = tool, .elsewhere = at_once, .done = {}});
    EXPECT_EQ(captures_.names().size(), 1u);
    film.end();
    EXPECT_EQ(captures_.names().size(), 0u);
}

TEST_F(CodedFilm, WaitsForNoCoderThatHangs) {
    EXPECT_NE(error_of("exec sleep 600\n", 5).find("takes no pictures"), std::string::npos);
    EXPECT_NE(error_of("cat >/dev/null\nexec sleep 600\n", 2).find("does not come to an end"), std::string::npos);
    const std::string ended = error_of("echo it has no licence\nexit 1\n", 5);
    EXPECT_NE(ended.find("ended: it has no licence"), std::string::npos) << ended;
    EXPECT_EQ(error_of("exec cat >/dev/null\n", 5), "");
}

TEST_F(CodedFilm, WithoutFfmpegIsAnAviFile) {
    ::setenv("MPIGLUT_FFMPEG", (folder_ + "/none").c_str(), 1);
    const FilmTool none = find_film_tool();
    EXPECT_EQ(none.encoder + none.ending, ".avi");
    EXPECT_NE(none.note.find("does not run, so films are AVI files"), std::string::npos) << none.note;
    ::setenv("MPIGLUT_FFMPEG", stand_in("echo ' V..... libvpx   coder'\n").c_str(), 1);
    EXPECT_EQ(find_film_tool().ending, ".webm");
    ::unsetenv("MPIGLUT_FFMPEG");
}

TEST_F(CodedFilm, IsSentInParts) {
    {
        std::string name, error;
        OwnFile file = captures_.create(".mp4", name, error);
        file.append("0123456789");
    }
    const auto file = std::make_shared<const OwnFile>(captures_.open(captures_.names().at(0)));
    const auto sent = [&](const char *range) {
        const Response part = file_response("video/mp4", file, range);
        return std::to_string(part.status) + " " + (part.file ? part.file->read_at(part.first, part.length()) : "");
    };
    EXPECT_EQ(sent(""), "200 0123456789");
    EXPECT_EQ(sent("bytes=0-"), "206 0123456789");
    EXPECT_EQ(sent("bytes=2-4"), "206 234");
    EXPECT_EQ(sent("bytes=8-99"), "206 89");
    EXPECT_EQ(sent("bytes=-3"), "206 789");
    EXPECT_EQ(sent("bytes=10-"), "416 ");
    EXPECT_EQ(sent("bytes=-0"), "416 ");
    EXPECT_EQ(sent("bytes=5-3"), "416 ");
    EXPECT_EQ(sent("bytes=1-2,4-5"), "200 0123456789") << "several parts at once are not offered";
    EXPECT_EQ(sent("lines=1-2"), "200 0123456789");
}

TEST(Gallery, HasThumbnailsOfScreenshotsOnly) {
    std::vector<std::byte> rgb(std::size_t{3} * 700 * 350, std::byte{90});
    const std::string png = launcher::encode_png(rgb, 700, 350), jpeg = Thumbnails::make(png, 320);
    ASSERT_EQ(jpeg.substr(0, 2), "\xff\xd8");
    const std::size_t frame = jpeg.find("\xff\xc0");
    ASSERT_NE(frame, jpeg.npos);
    EXPECT_EQ(jpeg.substr(frame + 5, 4), std::string({0, char(160), 1, 64})) << "height and width";
    EXPECT_NE(Thumbnails::make(launcher::encode_png(std::span(rgb).first(3), 1, 1), 320), "");
    EXPECT_EQ(Thumbnails::make(png.substr(0, 300), 320), "") << "half a file";
    std::string huge = png;
    huge[17] = char(0xff);
    for (const std::string &wrong : {huge, std::string("\x89PNG"), std::string("RIFF and more than a head"), std::string()})
        EXPECT_EQ(Thumbnails::make(wrong, 320), "");
}

TEST(Gallery, KeepsThumbnailsAndWaitsForSoManyOnly) {
    const std::string folder = testing::TempDir() + "gallery" + std::to_string(::getpid());
    Captures captures(folder);
    std::string name, error;
    const std::vector<std::byte> rgb(std::size_t{3} * 8 * 8);
    captures.create(".png", name, error).append(launcher::encode_png(rgb, 8, 8));
    std::vector<Stills::Work> work;
    Thumbnails thumbnails(captures, [&](Stills::Work one) { work.push_back(std::move(one)); });
    int got = 0, none = 0;
    const auto count = [&](const Thumbnails::Jpeg &jpeg) { ++(jpeg ? got : none); };
    EXPECT_TRUE(thumbnails.get(name, count));
    EXPECT_TRUE(thumbnails.get(name, count));
    EXPECT_TRUE(thumbnails.get("../secret.png", count));
    ASSERT_EQ(work.size(), 2u) << "one for each name";
    for (const Stills::Work &one : work)
        one()();
    EXPECT_EQ(std::pair(got, none), std::pair(2, 1));
    EXPECT_TRUE(thumbnails.get(name, count));
    EXPECT_EQ(got, 3) << "at once";
    EXPECT_EQ(captures.remove(name), "");
    thumbnails.forget(name);
    EXPECT_TRUE(thumbnails.get(name, count));
    ASSERT_EQ(work.size(), 3u);
    work.back()()();
    EXPECT_EQ(none, 2);
    bool room = true;
    for (int i = 0; i < 100 && room; ++i)
        room = thumbnails.get("wall-" + std::to_string(i) + ".png", count);
    EXPECT_FALSE(room);
    EXPECT_NE(captures.remove("../secret.png"), "");
    std::filesystem::remove_all(folder);
}

} // namespace
