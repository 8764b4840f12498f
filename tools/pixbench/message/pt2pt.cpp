// Messages between two ranks: the whole of an object, in the shapes that programs have.
#include "message/message.h"

namespace {

std::string sized(int width, int height, const char *what) {
    return std::to_string(width) + "x" + std::to_string(height) + " " + what;
}

std::vector<MessageCase> cases(const Settings &s) {
    const pixMPI_Format format = s.format == PIXMPI_FORMAT_NONE ? PIXMPI_RGBA8 : s.format;
    std::vector<MessageCase> all;
    const auto add = [&](int width, int height, const char *what, Shape shape) {
        all.push_back({sized(width, height, what), width, height, format, shape});
    };
    const auto pick = [&](int width, int height) {
        return s.width ? std::pair(s.width, s.height) : std::pair(width, height);
    };
    const auto [w, h] = pick(4096, 4096);
    add(w, h, "one way", Shape::one_way);
    add(w, h, "both ways at once", Shape::ring);
    const auto [fw, fh] = pick(1920, 1080);
    add(fw, fh, "persistent, every frame", Shape::frames);
    const auto [pw, ph] = pick(64, 64);
    add(pw, ph, "ping-pong", Shape::ping_pong);
    for (int side = 16; s.sweep && side <= 4096; side *= 2)
        add(side, side, "one way, sweep", Shape::one_way);
    return all;
}

} // namespace

void measure_pt2pt(const Job &job, const Settings &settings, Report &report) {
    for (const MessageCase &what : cases(settings))
        if (settings.wants(what.name))
            report.add(what.name, measure_message(what, settings, job.all, settings.seconds));
}
