#include "composite/composite_target.h"

#include "measure/compare.h"

#include <cmath>

CompositeTarget::CompositeTarget(const CompositeCase &what, const std::string &kind, const Team &team) : what_(what) {
    std::string problem;
    const auto make = [&](pixMPI_Format format, std::unique_ptr<Object> &object) {
        if (problem.empty())
            object = make_object(*team.api, kind, {format, what.width, what.height}, problem);
    };
    make(what.format(), color_);
    if (what.merge == Merge::nearest)
        make(PIXMPI_DEPTH32F, depth_);
    if (team.rank == 0)
        make(what.format(), picture_);
    check_all(problem.empty(), problem, team.comm);
    const CompositePicture mine = what.drawn_by(team.rank, team.ranks);
    draw(mine);
    from_ = std::make_unique<Naive>(*color_, team);
    if (depth_)
        depth_from_ = std::make_unique<Naive>(*depth_, team);
    if (picture_)
        to_ = std::make_unique<Naive>(*picture_, *from_);
    const CompositePicture::Box box = mine.box();
    check(pixMPI_Region_rect(box.x, box.y, box.width, box.height, &active_));
    check(pixMPI_Region_commit(&active_));
}

void CompositeTarget::draw(const CompositePicture &mine) {
    const auto pixels = static_cast<std::size_t>(what_.width) * static_cast<std::size_t>(what_.height);
    std::vector<unsigned char> bytes(4 * pixels);
    std::vector<float> depths(pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
        const int x = static_cast<int>(i) % what_.width, y = static_cast<int>(i) / what_.width;
        depths[i] = mine.depth(x, y);
        what_.merge == Merge::nearest ? mine.opaque(x, y, &bytes[4 * i]) : mine.translucent(x, y, &bytes[4 * i]);
    }
    color_->use_layout(0);
    if (what_.merge == Merge::over_floats) {
        const std::vector<float> floats = [&] {
            std::vector<float> all(bytes.begin(), bytes.end());
            for (float &one : all)
                one /= 255;
            return all;
        }();
        color_->write(color_->whole(), floats.data());
    } else {
        color_->write(color_->whole(), bytes.data());
    }
    color_->finish();
    if (!depth_)
        return;
    depth_->use_layout(0);
    depth_->write(depth_->whole(), depths.data());
    depth_->finish();
}

pixMPI_Surface CompositeTarget::drawn() {
    colors_ = color_->end().surface;
    depths_ = depth_ ? depth_->end().surface : pixMPI_No_surface();
    return depth_ ? pixMPI_With_depth(&colors_, &depths_) : colors_;
}

pixMPI_Surface CompositeTarget::picture() { return picture_ ? picture_->end().surface : pixMPI_No_surface(); }

void CompositeTarget::compose_by_hand(CompositeByHand &by_hand) {
    const pixMPI_Rect all = color_->whole();
    const std::byte *const colors = from_->read_back(all), *const depths =
                                                               depth_ ? depth_from_->read_back(all) : nullptr;
    by_hand.compose(colors, depths, picture_ ? to_->landing(all) : nullptr);
    if (picture_)
        to_->upload(all);
}

void CompositeTarget::await_picture() {
    if (picture_)
        picture_->await_received();
}

std::vector<std::byte> CompositeTarget::picture_pixels() {
    return picture_ ? pixels_of(*picture_) : std::vector<std::byte>();
}

void CompositeTarget::forget_picture() {
    if (picture_)
        put_test_pixels(*picture_, 99);
}

pixMPI_Compositor make_compositor(Merge merge, pixMPI_Strategy strategy, const Team &team) {
    pixMPI_Compositor compositor = PIXMPI_COMPOSITOR_NULL;
    check(pixMPI_Compositor_create(merge == Merge::nearest ? PIXMPI_NEAREST : PIXMPI_OVER, 0, team.comm, &compositor));
    check(pixMPI_Compositor_set_strategy(compositor, strategy, 0));
    return compositor;
}

namespace {

/// Pictures that were merged in another order of rounds.
bool alike(Merge merge, const std::vector<std::byte> &a, const std::vector<std::byte> &b, int ranks) {
    constexpr float rounding = 1e-4F; // of what is left behind many ranks
    if (merge == Merge::nearest || a.size() != b.size())
        return a == b;
    if (merge == Merge::over_bytes)
        return std::equal(a.begin(), a.end(), b.begin(), [&](std::byte x, std::byte y) {
            return std::abs(std::to_integer<int>(x) - std::to_integer<int>(y)) <= ranks - 1; // half of one each, twice
        });
    for (std::size_t i = 0; i < a.size(); i += sizeof(float)) {
        float x = 0, y = 0;
        std::memcpy(&x, &a[i], sizeof x);
        std::memcpy(&y, &b[i], sizeof y);
        if (!(std::fabs(x - y) <= rounding * std::fabs(y)))
            return false;
    }
    return true;
}

} // namespace

void check_same_picture(const CompositeCase &what, const std::vector<std::byte> &ours,
                        const std::vector<std::byte> &theirs, const std::string &strategy, const Team &team) {
    check_all(alike(what.merge, ours, theirs, team.ranks),
              what.name + " " + strategy + ": the library's picture is another one than that by hand", team.comm);
}
