#include "team.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <pixmpi.h>

namespace demo {

void Times::begin_frame(int frame) {
    if (frame <= 1) {
        *this = {};
        begin_ = now();
    }
    ++frames_;
}

void Times::say(const World &world, double alone) const {
    if (frames_ == 0) // the window was closed at once
        return;
    const double mine[] = {draw / frames_, compose / frames_, wait / frames_}, frame = seconds() / frames_;
    double sum[3], most[3];
    MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (world.rank != 0)
        return;
    world.say("%dx%d, %d ranks: %.4g frames a second, %.3f ms a frame", world.options.width, world.options.height,
              world.ranks, 1 / frame, 1e3 * frame);
    const char *const names[] = {"draw", "compose", "wait"};
    for (int i = 0; i < 3; ++i)
        world.say("%-8s %9.3f ms a frame, %9.3f ms on the rank with most", names[i], 1e3 * sum[i] / world.ranks,
                  1e3 * most[i]);
    if (alone > 0)
        world.say("efficiency %.0f%%: one rank alone takes %.3f ms a frame", 100 * alone / (world.ranks * frame),
                  1e3 * alone);
    else
        world.say("efficiency %.0f%%, if one rank alone took all ranks' time to draw (--alone measures it)",
                  100 * sum[0] / (world.ranks * frame));
}

double seconds_alone(const std::function<void(int)> &draw) {
    constexpr int frames = 5;
    draw(0);
    const double begin = now();
    for (int frame = 1; frame <= frames; ++frame)
        draw(frame);
    return (now() - begin) / frames;
}

void Comparison::add(int frame, const std::vector<float> &together, const std::vector<float> &alone) {
    constexpr float rounding = 0.001f; // of integers as floats
    const std::size_t pixels = together.size() / 4;
    std::size_t any = 0, larger = 0;
    for (std::size_t i = 0; i < together.size(); i += 4) {
        float most = 0;
        for (std::size_t c = i; c < i + 4; ++c)
            most = std::max(most, 255 * std::abs(together[c] - alone[c]));
        any += most > 0;
        larger += most > allowed_.levels + rounding;
    }
    const double any_share = static_cast<double>(any) / static_cast<double>(pixels);
    const double larger_share = static_cast<double>(larger) / static_cast<double>(pixels);
    if (any_share > allowed_.any || larger_share > allowed_.larger) {
        char text[200];
        std::snprintf(text, sizeof text,
                      "--compare: frame %d: %zu of %zu pixels differ from one rank's, expected %g%% at most; "
                      "%zu by more than %g/255, expected %g%% at most",
                      frame, any, pixels, 100 * allowed_.any, larger, allowed_.levels, 100 * allowed_.larger);
        throw Error(text);
    }
    any_ = std::max(any_, any_share);
    larger_ = std::max(larger_, larger_share);
    ++frames_;
}

void Comparison::say(const World &world) const {
    world.say("%d frames compared with one rank's: %.4f%% of the pixels differ at most, %.4f%% by more than %g/255",
              frames_, 100 * any_, 100 * larger_, allowed_.levels);
}

std::string TeamOptions::file_of(int frame) const {
    char name[40];
    std::snprintf(name, sizeof name, "/frame-%05d.png", frame);
    return save.empty() ? save : save + name;
}

void present(GlWorld &world, const Texture &picture, const std::string &file) {
    world.show(picture);
    if (file.empty())
        return;
    std::error_code problem;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), problem); // save_png says what fails
    save_png(picture.picture(), file);
}

} // namespace demo
