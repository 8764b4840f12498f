#include "capture/stills.h"
#include "link/picture_coding.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr int longest_side = 1 << 16;
constexpr std::int64_t most_pixels = 1 << 28;

} // namespace

bool is_sound(const PictureFacts &facts) {
    constexpr std::int64_t least = -(1 << 24), most = 1 << 30, most_frames = std::int64_t{1} << 48;
    bool sound = true;
    PictureFacts::parts(facts, [&](auto... numbers) {
        sound = ((numbers >= least && numbers <= (sizeof numbers > sizeof(std::int32_t) ? most_frames : most)) && ...);
    });
    return sound;
}

int Stills::begin(std::set<int> ranks, Coding coding, Done done) {
    waiting_[++last_] = {std::move(ranks), std::move(coding), std::move(done), {}};
    return last_;
}

void Stills::add(int rank, const PictureFacts &facts, std::string png) {
    const auto found = waiting_.find(facts.request);
    if (found == waiting_.end())
        return;
    found->second.parts[rank] = {facts, std::move(png)};
    found->second.missing.erase(rank);
    finish_complete();
}

void Stills::lose(int rank) {
    for (auto &[number, waiting] : waiting_)
        waiting.missing.erase(rank);
    finish_complete();
}

/// One by one: a caller that is told of a picture may ask for the next.
void Stills::finish_complete() {
    const auto is_complete = [](const auto &one) { return one.second.missing.empty() && !one.second.parts.empty(); };
    for (auto found = waiting_.end(); (found = std::ranges::find_if(waiting_, is_complete)) != waiting_.end();) {
        auto complete = waiting_.extract(found);
        const int request = complete.key();
        coming_[request] = std::move(complete.mapped().done);
        const auto parts = std::make_shared<Parts>(std::move(complete.mapped().parts));
        elsewhere_([this, request, parts, coding = complete.mapped().coding] {
            const auto still = std::make_shared<Still>();
            try {
                *still = put_together(*parts, coding);
            } catch (const std::bad_alloc &) {
                still->error = "there is not enough memory for the picture";
            }
            return [this, request, still] { finish(request, *still); };
        });
    }
}

/// Nobody may wait for it any more.
void Stills::finish(int request, const Still &still) {
    if (const auto done = coming_.extract(request))
        done.mapped()(still);
}

Still Stills::put_together(const Parts &parts, const Coding &coding) {
    Still still;
    const PictureFacts &first = parts.begin()->second.facts;
    if (first.wall_width <= 0 || first.wall_height <= 0 || first.wall_width > longest_side ||
        first.wall_height > longest_side || std::int64_t{first.wall_width} * first.wall_height > most_pixels) {
        still.error = "the wall's size, " + std::to_string(first.wall_width) + "x" + std::to_string(first.wall_height) +
                      ", is none that a picture can have";
        return still;
    }
    still.frame = first.frame;
    still.width = first.wall_width;
    still.height = first.wall_height;
    Picture picture(still.width, still.height);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) { // the lower rank wins, as in --capture
        const auto &[facts, png] = part->second;
        if (const auto tile = launcher::decode_png(png, facts.columns, facts.rows))
            paste(picture, *tile, facts.x, facts.y);
    }
    still.coded = coding(std::as_bytes(std::span(picture.rgb)), still.width, still.height);
    return still;
}

void Stills::give_up(int request, const std::string &why) {
    Still none;
    none.error = why;
    if (const auto found = waiting_.extract(request))
        found.mapped().done(none);
    else
        finish(request, none);
}

void Stills::give_up_all(const std::string &why) {
    while (!idle())
        give_up(waiting_.empty() ? coming_.begin()->first : waiting_.begin()->first, why);
}

} // namespace mpiglut::walld
