// Where the tiles are: in the file's unit, then in pixels and in millimetres, then the box around them.
#include "draft.h"

#include <algorithm>
#include <cmath>

namespace pixmpi {

namespace {

struct Area {
    double x = 0, y = 0, width = 0, height = 0;
};

class Measure {
  public:
    Measure(const WallText &text, Errors &errors) : text_(text), errors_(errors) {}

    void run(std::vector<Draft> &drafts, Wall &wall) {
        for (const Draft &draft : drafts)
            areas_.push_back(place(draft));
        const std::optional<Vec> density = find_density(drafts);
        if (!density && text_.in_mm && !is_density_unreadable(drafts))
            errors_.add(0, "pixels_per_mm",
                        "expected, or `pixels` with a size: millimetres do not say how many pixels");
        if (errors_.any())
            return;
        for (std::size_t i = 0; i < drafts.size(); ++i)
            text_.in_mm ? from_mm(drafts[i], areas_[i], *density) : from_pixels(drafts[i], areas_[i], density);
        if (!errors_.any())
            close_box(drafts, wall);
    }

  private:
    bool has_grid_size() const { return text_.grid && text_.grid->tile; }
    bool is_grid_size_unreadable() const { return text_.grid && text_.grid->unreadable.contains("tile"); }
    bool is_density_unreadable(const std::vector<Draft> &drafts) const {
        const char *const other = text_.in_mm ? "pixels" : "mm";
        return text_.unreadable.contains("pixels_per_mm") || text_.unreadable.contains("unit") ||
               is_grid_size_unreadable() || (text_.grid && text_.grid->unreadable.contains(other)) ||
               std::ranges::any_of(drafts, [&](const Draft &draft) { return draft.unreadable(other); });
    }

    /// In the file's unit.
    Area place(const Draft &draft) {
        const auto *size = draft.given(&TileText::size);
        const auto *position = draft.given(&TileText::position);
        const auto *nudge = draft.given(&TileText::nudge);
        Area area;
        if (size || has_grid_size())
            area.width = (size ? *size : *text_.grid->tile).value.x,
            area.height = (size ? *size : *text_.grid->tile).value.y;
        else if (!draft.unreadable("size") && !is_grid_size_unreadable())
            errors_.add(draft.line, "tile.size", "expected [width, height], as there is no grid.tile");
        if (position)
            area.x = position->value.x, area.y = position->value.y;
        else if (draft.tile.column >= 0 && has_grid_size()) {
            const Edges bezel = text_.grid->bezel ? text_.grid->bezel->value : Edges{};
            area.x = draft.tile.column * (text_.grid->tile->value.x + bezel.left + bezel.right);
            area.y = draft.tile.row * (text_.grid->tile->value.y + bezel.top + bezel.bottom);
        } else if (!draft.unreadable("position") && !(draft.tile.column >= 0 && is_grid_size_unreadable()))
            errors_.add(draft.line, "tile.position",
                        "expected [x, y], as the tile has no place in a grid with grid.tile");
        if (nudge)
            area.x += nudge->value.x, area.y += nudge->value.y;
        return area;
    }

    /// The tile's size in the unit that the file is not in, where it says so.
    std::optional<Vec> other_size(const Draft &draft) const {
        if (const auto *other = draft.given(&TileText::other))
            return other->value;
        if (text_.grid && text_.grid->other && !draft.given(&TileText::size))
            return text_.grid->other->value;
        return std::nullopt;
    }

    /// Pixels per millimetre: one density for the whole wall, since its pixels are one coordinate system. What the
    /// file says, else the grid's, else that of the first tile with both sizes known.
    std::optional<Vec> find_density(const std::vector<Draft> &drafts) const {
        if (text_.density)
            return text_.density->value;
        const auto ratio = [&](Vec unit, Vec other) {
            return text_.in_mm ? Vec{other.x / unit.x, other.y / unit.y} : Vec{unit.x / other.x, unit.y / other.y};
        };
        if (has_grid_size() && text_.grid->other)
            return ratio(text_.grid->tile->value, text_.grid->other->value);
        for (std::size_t i = 0; i < drafts.size(); ++i) {
            const Vec unit{areas_[i].width, areas_[i].height};
            if (const auto other = other_size(drafts[i]))
                return ratio(unit, *other);
            if (const auto *mm = drafts[i].given(&TileText::mm))
                return ratio(unit, {mm->value[2], mm->value[3]});
        }
        return std::nullopt;
    }

    void from_mm(Draft &draft, const Area &mm, Vec density) {
        const auto pixels = other_size(draft);
        const double left = std::round(mm.x * density.x), top = std::round(mm.y * density.y);
        // From edge to edge, so that tiles that touch in millimetres touch in pixels too.
        const double width = pixels ? pixels->x : std::round((mm.x + mm.width) * density.x) - left;
        const double height = pixels ? pixels->y : std::round((mm.y + mm.height) * density.y) - top;
        set_mm(draft.tile, mm);
        set_rect(draft, {left, top, width, height});
    }

    void from_pixels(Draft &draft, const Area &px, std::optional<Vec> density) {
        set_rect(draft, px);
        if (const auto *mm = draft.given(&TileText::mm))
            return set_mm(draft.tile, {mm->value[0], mm->value[1], mm->value[2], mm->value[3]});
        if (!density)
            return;
        const Vec size = other_size(draft).value_or(Vec{px.width / density->x, px.height / density->y});
        set_mm(draft.tile, {px.x / density->x, px.y / density->y, size.x, size.y});
    }

    static void set_mm(Tile &tile, const Area &mm) {
        tile.mm_x = mm.x;
        tile.mm_y = mm.y;
        tile.mm_width = mm.width;
        tile.mm_height = mm.height;
    }

    void set_rect(Draft &draft, const Area &px) {
        const auto size_fits = [](double size) { return size >= 1 && size <= most_pixels; };
        if (std::abs(px.x) > most_pixels || std::abs(px.y) > most_pixels || !size_fits(px.width) ||
            !size_fits(px.height))
            return errors_.add(draft.line, draft.text ? "tile" : "grid",
                               "expected tile " + draft.tile.name + " to have 1 to " + number(most_pixels) +
                                   " pixels an axis and to lie within that number, not " + number(px.width) + " x " +
                                   number(px.height) + " at " + number(px.x) + ", " + number(px.y));
        draft.tile.rect = {static_cast<int>(px.x), static_cast<int>(px.y), static_cast<int>(px.width),
                           static_cast<int>(px.height)};
    }

    void close_box(std::vector<Draft> &drafts, Wall &wall) {
        Rect box;
        double left = INFINITY, top = INFINITY;
        for (const Draft &draft : drafts) {
            box = unite(box, draft.tile.rect);
            left = std::min(left, draft.tile.mm_x);
            top = std::min(top, draft.tile.mm_y);
        }
        if (box.width > most_pixels || box.height > most_pixels)
            return errors_.add(0, "",
                               "expected a wall of at most " + number(most_pixels) + " pixels an axis, not " +
                                   number(box.width) + " x " + number(box.height));
        for (Draft &draft : drafts) {
            Tile &tile = draft.tile;
            tile.rect.x -= box.x;
            tile.rect.y -= box.y;
            tile.mm_x -= left;
            tile.mm_y -= top;
            wall.mm_width = std::max(wall.mm_width, tile.mm_x + tile.mm_width);
            wall.mm_height = std::max(wall.mm_height, tile.mm_y + tile.mm_height);
        }
        wall.width = box.width;
        wall.height = box.height;
    }

    const WallText &text_;
    Errors &errors_;
    std::vector<Area> areas_; ///< as drafts
};

} // namespace

bool cuts_window(const WallText &text, const std::vector<Draft> &drafts) {
    return text.grid && !text.grid->tile && !text.grid->unreadable.contains("tile") &&
           std::none_of(drafts.begin(), drafts.end(), [](const Draft &draft) {
               return draft.tile.column < 0 || draft.given(&TileText::position) || draft.given(&TileText::size) ||
                      draft.unreadable("position") || draft.unreadable("size");
           });
}

void refuse_sizes(const WallText &text, const std::vector<Draft> &drafts, Errors &errors) {
    const auto refuse = [&](int line, const char *key) {
        errors.add(line, key, "expected grid.tile with it: without a size the wall cuts the program's own window");
    };
    if (text.density)
        refuse(text.density->line, "pixels_per_mm");
    if (text.grid->bezel)
        refuse(text.grid->bezel->line, "grid.bezel");
    if (text.grid->other)
        refuse(text.grid->other->line, text.in_mm ? "grid.pixels" : "grid.mm");
    for (const Draft &draft : drafts) {
        if (const auto *nudge = draft.given(&TileText::nudge))
            refuse(nudge->line, "tile.nudge");
        if (const auto *other = draft.given(&TileText::other))
            refuse(other->line, text.in_mm ? "tile.pixels" : "tile.mm");
        if (const auto *mm = draft.given(&TileText::mm))
            refuse(mm->line, "tile.mm");
    }
}

void measure(const WallText &text, std::vector<Draft> &drafts, Wall &wall, Errors &errors) {
    Measure(text, errors).run(drafts, wall);
}

} // namespace pixmpi
