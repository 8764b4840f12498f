// What the launcher takes a program for, by its file.
#include "program/program_file.h"

#include <gtest/gtest.h>

#include <elf.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpiglut::launcher;
using mpiglut::System;

namespace {

namespace fs = std::filesystem;

class Kind : public testing::Test {
  protected:
    Kind() : folder_(testing::TempDir() + "kind-" + std::to_string(getpid())) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Kind() override { fs::remove_all(folder_); }

    std::string file(const std::string &name, const std::string &text) const {
        std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
        fs::permissions(folder_ + "/" + name, fs::perms::owner_all);
        return folder_ + "/" + name;
    }
    System of_script(const std::string &text) const {
        return look_at_program({file("script", "#!/usr/bin/env python3\n" + text)}, folder_).system;
    }

    std::string folder_;
};

std::string elf(unsigned char word_size, const std::string &rest) {
    std::string bytes(ELFMAG);
    bytes += static_cast<char>(word_size);
    bytes.resize(EI_NIDENT + 64);
    return bytes + rest;
}

TEST_F(Kind, OfScriptsIsWhatTheyMention) {
    EXPECT_EQ(of_script("print('hello')\n"), System::glut) << "nothing speaks for X11";
    EXPECT_EQ(of_script("import pygame\n"), System::x11);
    EXPECT_EQ(of_script("from OpenGL.GL import *\n"), System::x11);
    EXPECT_EQ(of_script("from OpenGL.GL import *\nfrom OpenGL.GLUT import *\n"), System::glut);
    const std::string script = file("plain.py", "import pyglet\n");
    EXPECT_EQ(look_at_program({"sh", "plain.py"}, folder_).system, System::x11);
    EXPECT_EQ(look_at_program({"sh", "-c", "true"}, folder_).system, System::glut);
    EXPECT_FALSE(look_at_program({"sh", script}, "/").why.empty());
}

TEST_F(Kind, OfScriptsIsThatOfTheProgramsThatTheyName) {
    for (const char *named : {"exec Xvfb\n", "real='Xvfb'\nexec $real\n", "end=fb\nexec \"Xv${end}\"\n"}) // needs libGL
        EXPECT_EQ(of_script(named), System::x11) << named;
}

TEST_F(Kind, OfProgramsIsWhatTheyName) {
    const ProgramKind loads = look_at_program({file("loads", elf(ELFCLASS64, "libX11.so.6"))}, folder_);
    EXPECT_EQ(loads.system, System::x11);
    EXPECT_NE(loads.why.find("libX11.so"), std::string::npos);
    EXPECT_EQ(look_at_program({file("glut", elf(ELFCLASS64, "libX11.so.6 libglut.so.3"))}, folder_).system,
              System::glut);
    const std::string large = file("large", elf(ELFCLASS64, "libX11.so.6"));
    fs::resize_file(large, 100u << 20);
    EXPECT_EQ(look_at_program({large}, folder_).system, System::x11);
    EXPECT_EQ(look_at_program({file("none", elf(ELFCLASS64, "libm.so.6"))}, folder_).system, System::glut);
    EXPECT_EQ(look_at_program({"no-such-program-anywhere"}, folder_).system, System::glut);
}

TEST_F(Kind, OfInterpretersIsThatOfTheirScript) {
    const std::string script = file("plain.py", "import pyglet\n");
    for (const char *name : {"python3.11", "lua5.4", "nodejs", "perl5.36-x86_64-linux-gnu", "sh"})
        EXPECT_EQ(look_at_program({file(name, elf(ELFCLASS64, "")), script}, folder_).system, System::x11) << name;
    for (const char *name : {"shotwell", "nodeeditor", "perlin", "luanti", "pythonista"})
        EXPECT_EQ(look_at_program({file(name, elf(ELFCLASS64, "libglut.so.3")), script}, folder_).system, System::glut)
            << name << " is a program of its own";
}

TEST_F(Kind, NamesWhyNoLibraryCanBePutIntoAProgram) {
    EXPECT_NE(look_at_program({file("static", elf(ELFCLASS64, "libX11.so"))}, folder_).refused.find("statically"),
              std::string::npos);
    EXPECT_NE(look_at_program({file("small", elf(ELFCLASS32, "libX11.so"))}, folder_).refused.find("32-bit"),
              std::string::npos);
    EXPECT_NE(look_at_program({file("go", elf(ELFCLASS64, "\xff Go buildinf: libGL.so.1"))}, folder_).refused.find("Go"),
              std::string::npos);
    EXPECT_EQ(look_at_program({file("cgo", elf(ELFCLASS64, "\xff Go buildinf: libX11.so.6"))}, folder_)
                  .refused.find("Go"),
              std::string::npos)
        << "C libraries talk for it";
    EXPECT_EQ(look_at_program({"sh"}, folder_).refused, "");
}

TEST_F(Kind, NamesThatAProgramIsOfAnotherGroup) {
    constexpr gid_t nobodys = 65534;
    const std::string mine = file("mine", elf(ELFCLASS64, "libX11.so")), games = file("games", elf(ELFCLASS64, ""));
    ASSERT_EQ(chmod(mine.c_str(), 02755), 0);
    EXPECT_EQ(look_at_program({mine}, folder_).refused.find("setgid"), std::string::npos);
    if (chown(games.c_str(), getuid(), nobodys) != 0)
        GTEST_SKIP() << "only root gives files away";
    ASSERT_EQ(chmod(games.c_str(), 02755), 0);
    EXPECT_NE(look_at_program({games}, folder_).refused.find("setgid"), std::string::npos);
}

} // namespace
