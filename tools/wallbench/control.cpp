#include "control.h"

#include "inbox.h"
#include "page.h"
#include "visitors.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <thread>

namespace {

constexpr int tiles = 4, clicked_width = 400, clicked_height = 300; // the window of the scene that waits

enum class Visit { no_page, nobody, looks, crowd };

std::vector<std::string> wall_command(const Programs &programs, bool page, const std::vector<std::string> &scene) {
    std::vector<std::string> all{programs.mpiglutrun, "--wall", "2x2"};
    if (page)
        all.insert(all.end(), {"--control", "0"});
    all.insert(all.end(), {"--", programs.scene});
    all.insert(all.end(), scene.begin(), scene.end());
    return all;
}

Link wait_for_link(Child &child) {
    std::string printed, line;
    while (!(line = child.read_line()).empty()) {
        if (const Link link = link_in(line); link.port)
            return link;
        printed += " " + line;
    }
    throw std::runtime_error("mpiglutrun --control gave no link:" + printed);
}

struct Run {
    double fps = 0, pictures = 0, sent = 0;
    int lost = 0;
};

double seconds_since(std::int64_t start) { return static_cast<double>(now_ns() - start) / 1e9; }

Run run(const Programs &programs, const TestScreen &screen, Visit visit, const std::vector<std::string> &scene,
        const PageResult &numbers) {
    Child child(wall_command(programs, visit != Visit::no_page, scene), screen.name(), Child::Reads::output_and_errors);
    std::unique_ptr<Pages> pages;
    std::unique_ptr<Visitors> visitors;
    if (visit != Visit::no_page) {
        const Link link = wait_for_link(child);
        if (visit != Visit::nobody)
            pages =
                std::make_unique<Pages>(link, visit == Visit::crowd ? numbers.idle_clients : 1, visit == Visit::looks);
        if (visit == Visit::crowd)
            visitors = std::make_unique<Visitors>(link);
    }
    std::int64_t first_picture = 0;
    while (visit == Visit::looks && !pages->pictures() && !pages->lost())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    first_picture = now_ns();
    std::string line = child.read_line();
    while (line.starts_with("mpiglutrun: "))
        line = child.read_line();
    Run result;
    try {
        result.fps = std::stod(line);
    } catch (const std::exception &) {
        throw std::runtime_error("a wall of 2x2: expected frames per second, got `" + line + "`");
    }
    const double seconds = seconds_since(first_picture);
    if (pages)
        result.pictures = static_cast<double>(pages->pictures()) / tiles / seconds;
    if (pages && visit == Visit::crowd)
        result.lost = pages->lost();
    if (visitors)
        result.sent = static_cast<double>(visitors->sent()) / seconds;
    return result;
}

/// Milliseconds from each click to the last tile's callback.
std::vector<double> clicks_of(const Programs &programs, TestScreen &screen, int clicks, bool by_page, int &lost) {
    Inbox inbox;
    Child child(wall_command(programs, true, {"wait", inbox.path()}), screen.name(), Child::Reads::output_and_errors);
    Pages pages(wait_for_link(child), 1, true);
    if (inbox.wait_for(0, tiles).size() != tiles)
        throw std::runtime_error("the scene did not come up on all tiles");
    std::this_thread::sleep_for(std::chrono::seconds(1)); // windows are up, everything has settled
    screen.point_at_window();
    std::vector<double> ms;
    for (int i = 1; i <= clicks; ++i) {
        std::int64_t clicked = now_ns();
        if (by_page) { // each time on another tile
            const std::string place =
                "{\"type\": \"mouse\", \"button\": 0, \"x\": " +
                std::to_string(clicked_width / 4 + clicked_width / 2 * (i % 2)) +
                ", \"y\": " + std::to_string(clicked_height / 4 + clicked_height / 2 * (i / 2 % 2)) + ", \"down\": ";
            pages.send("{\"events\": [" + place + "true}, " + place + "false}]}");
        } else {
            clicked = screen.click();
        }
        const auto times = inbox.wait_for(i, tiles);
        if (times.size() < tiles) {
            ++lost;
            continue;
        }
        const auto last = std::ranges::max_element(times, {}, [](const auto &one) { return one.second; });
        ms.push_back(static_cast<double>(last->second - clicked) / 1e6);
        std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * (i % 8))); // at any point of an idle wait
    }
    return ms;
}

} // namespace

PageResult measure_page(const Programs &programs, const TestScreen &screen, int width, int height, int quads,
                        int frames, int repetitions) {
    PageResult result{.width = width, .height = height, .repetitions = repetitions};
    std::vector<std::string> scene{"spin"};
    for (int number : {frames, quads, width, height})
        scene.push_back(std::to_string(number));
    std::vector<double> without, watched, unvisited, crowded, watched_ratios, crowded_ratios, noises, pictures, sent;
    for (int i = 0; i < repetitions; ++i) {
        without.push_back(run(programs, screen, Visit::no_page, scene, result).fps);
        const Run look = run(programs, screen, Visit::looks, scene, result);
        unvisited.push_back(run(programs, screen, Visit::nobody, scene, result).fps);
        const Run crowd = run(programs, screen, Visit::crowd, scene, result);
        watched.push_back(look.fps);
        crowded.push_back(crowd.fps);
        pictures.push_back(look.pictures);
        sent.push_back(crowd.sent);
        result.idle_lost = std::max(result.idle_lost, crowd.lost);
        watched_ratios.push_back(look.fps / without.back());
        crowded_ratios.push_back(crowd.fps / unvisited.back());
        if (i > 0)
            noises.push_back(std::abs(unvisited[unvisited.size() - 2] / unvisited.back() - 1));
    }
    result.without = quantile(without, .5);
    result.watched = quantile(watched, .5);
    result.unvisited = quantile(unvisited, .5);
    result.crowded = quantile(crowded, .5);
    result.watched_ratio = quantile(watched_ratios, .5);
    result.crowded_ratio = quantile(crowded_ratios, .5);
    result.noise = quantile(noises, .5);
    result.pictures = quantile(pictures, .5);
    result.sent_a_second = quantile(sent, .5);
    return result;
}

ClickResult measure_clicks(const Programs &programs, TestScreen &screen, int clicks) {
    ClickResult result{.clicks = clicks};
    std::vector<double> on_screen, on_page;
    for (int half = 0; half < 2; ++half) { // alternately, so that a slow minute of the machine meets both
        int lost_on_screen = 0;
        const auto a = clicks_of(programs, screen, clicks / 2, false, lost_on_screen);
        const auto b = clicks_of(programs, screen, clicks / 2, true, result.lost);
        on_screen.insert(on_screen.end(), a.begin(), a.end());
        on_page.insert(on_page.end(), b.begin(), b.end());
    }
    result.screen_p50 = quantile(on_screen, .5);
    result.screen_p99 = quantile(on_screen, .99);
    result.page_p50 = quantile(on_page, .5);
    result.page_p99 = quantile(on_page, .99);
    return result;
}
