// What the operator's page costs a wall, compared with the same wall without the page in the same run.
#pragma once

#include "measure.h"

struct PageResult {
    int width = 0, height = 0, tiles = 4, repetitions = 0;
    double without = 0, watched = 0;   ///< medians, frames per second: no page; one browser that looks
    double unvisited = 0, crowded = 0; ///< the same: the page, without visitors; idle and hostile clients
    double watched_ratio = 0;          ///< median of the pairs' ratios, to `without`
    double crowded_ratio = 0;          ///< median of the pairs' ratios, to `unvisited`
    double noise = 0;                  ///< how far apart two runs without visitors are, as a share: the median
    double pictures = 0;               ///< whole live pictures a second that came, the median
    int idle_clients = 50, hostile_clients = 5;
    int idle_lost = 0;        ///< idle clients that the server has hung up on
    double sent_a_second = 0; ///< by hostile clients, the median
};
/// A scene on 2x2 tiles without the page, with one browser that looks, without visitors, and with a crowd, alternately.
PageResult measure_page(const Programs &programs, const TestScreen &screen, int width, int height, int quads,
                        int frames, int repetitions);

struct ClickResult {
    int clicks = 0, lost = 0; ///< lost: no callback on every tile within two seconds
    double screen_p50 = 0, screen_p99 = 0, page_p50 = 0, page_p99 = 0; ///< ms, click to callback on the last tile
};
/// Clicks on the page of a wall of 2x2 tiles, while a browser looks, and clicks on the X screen of the same wall.
ClickResult measure_clicks(const Programs &programs, TestScreen &screen, int clicks);
