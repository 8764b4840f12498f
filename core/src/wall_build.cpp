// From a written description to a wall, in five steps: which tiles there are, who shows them, where they are in the
// file's unit, what that is in pixels and in millimetres, and the box around them.
#include "wall_text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pixmpi {

namespace {

struct Area {
    double x = 0, y = 0, width = 0, height = 0;
};

/// A tile on its way: what was written about it, if anything, and what is known so far.
struct Draft {
    const TileText *text = nullptr;
    int line = 0;
    Tile tile;
    bool inherited = false; ///< the size is the grid's
    Area area;              ///< in the file's unit
};

class Builder {
  public:
    Builder(const WallText &text, Errors &errors) : text_(text), errors_(errors) {}

    std::optional<Wall> build() {
        collect();
        if (!errors_.any())
            assign_ranks();
        name_tiles();
        if (!errors_.any())
            wall_.from_window = cuts_window();
        if (!errors_.any() && !wall_.from_window)
            measure();
        if (errors_.any())
            return std::nullopt;
        for (Draft &draft : drafts_)
            wall_.tiles.push_back(std::move(draft.tile));
        std::sort(wall_.tiles.begin(), wall_.tiles.end(), [](auto &a, auto &b) { return a.rank < b.rank; });
        return std::move(wall_);
    }

  private:
    // --- which tiles ------------------------------------------------------------------------------------------------
    void collect() {
        std::map<std::pair<int, int>, const TileText *> own; // by row and column, so in the order of default ranks
        for (const TileText &tile : text_.tiles)
            if (place_in_grid(tile))
                if (const auto [it, fresh] = own.emplace(std::pair(tile.row->value, tile.column->value), &tile); !fresh)
                    errors_.add(tile.line, "tile", "expected another grid place: (" + std::to_string(tile.column->value) + "," +
                                                       std::to_string(tile.row->value) + ") is described in line " +
                                                       std::to_string(it->second->line) + " already");
        if (text_.grid && text_.grid->columns && text_.grid->rows)
            collect_grid(own);
        for (const TileText &tile : text_.tiles)
            if (!tile.column && !tile.row && !(tile.enabled && !tile.enabled->value))
                add(&tile, tile.line, -1, -1);
        if (drafts_.empty() && !errors_.any())
            errors_.add(0, "", "expected at least one enabled tile, from a [grid] or from [[tile]] entries");
        if (drafts_.size() > most_tiles)
            errors_.add(0, "", "expected at most " + std::to_string(most_tiles) + " tiles");
    }

    bool place_in_grid(const TileText &tile) {
        if (!tile.column && !tile.row)
            return false;
        if (!text_.grid) {
            errors_.add(tile.line, tile.column ? "tile.column" : "tile.row", "expected a [grid] that it is a place of");
            return false;
        }
        if (!tile.column || !tile.row) {
            errors_.add(tile.line, tile.column ? "tile.row" : "tile.column", "expected beside tile." +
                                                       std::string(tile.column ? "column" : "row"));
            return false;
        }
        return within(tile.column, text_.grid->columns, "tile.column") &
               within(tile.row, text_.grid->rows, "tile.row");
    }

    bool within(const Maybe<int> &place, const Maybe<int> &count, const char *key) {
        if (!count || place->value < count->value)
            return true;
        errors_.add(place->line, key, "expected 0 to " + std::to_string(count->value - 1) + ", the grid's places, not " +
                                          std::to_string(place->value));
        return false;
    }

    void collect_grid(const std::map<std::pair<int, int>, const TileText *> &own) {
        const GridText &grid = *text_.grid;
        wall_.columns = grid.columns->value;
        wall_.rows = grid.rows->value;
        const long long places = static_cast<long long>(wall_.columns) * wall_.rows;
        if (places > most_tiles) {
            errors_.add(grid.columns->line, "grid.columns", "expected at most " + std::to_string(most_tiles) +
                                                                " tiles, not " + std::to_string(places));
            return;
        }
        for (const auto &[list, key] : {std::pair{&grid.hosts, "grid.host"}, std::pair{&grid.displays, "grid.display"}})
            if (*list && static_cast<long long>((*list)->value.size()) > places)
                errors_.add((*list)->line, key, "expected at most one for each of the " + std::to_string(places) + " places");
        for (int row = 0; row < wall_.rows; ++row)
            for (int column = 0; column < wall_.columns; ++column) {
                const auto found = own.find({row, column});
                const TileText *tile = found == own.end() ? nullptr : found->second;
                if (!tile || !tile->enabled || tile->enabled->value)
                    add(tile, tile ? tile->line : grid.line, column, row);
            }
    }

    void add(const TileText *text, int line, int column, int row) {
        Draft draft{text, line, {}, false, {}};
        Tile &tile = draft.tile;
        tile.column = column;
        tile.row = row;
        if (column >= 0) {
            const GridText &grid = *text_.grid;
            const std::size_t place = static_cast<std::size_t>(row) * wall_.columns + column;
            if (grid.hosts && !grid.hosts->value.empty())
                tile.host = grid.hosts->value[place % grid.hosts->value.size()];
            if (grid.displays && !grid.displays->value.empty())
                tile.display = grid.displays->value[place % grid.displays->value.size()];
            tile.rotation = grid.rotation ? grid.rotation->value : 0;
            tile.mode = grid.mode ? grid.mode->value : Mode::automatic;
        }
        if (text) {
            const auto take = [](auto &to, const auto &from) {
                if (from)
                    to = from->value;
            };
            take(tile.name, text->name);
            take(tile.host, text->host);
            take(tile.display, text->display);
            take(tile.rotation, text->rotation);
            take(tile.mode, text->mode);
            if (text->screen) {
                tile.screen_x = static_cast<int>(text->screen->value.x);
                tile.screen_y = static_cast<int>(text->screen->value.y);
            }
        }
        drafts_.push_back(std::move(draft));
    }

    // --- who shows them ---------------------------------------------------------------------------------------------
    void assign_ranks() {
        const int count = static_cast<int>(drafts_.size());
        std::vector<int> line_of(count, 0); // of the tile that has this rank; 0: free
        for (const Draft &draft : drafts_) {
            if (!draft.text || !draft.text->rank)
                continue;
            const auto &[rank, line] = *draft.text->rank;
            if (rank >= count)
                errors_.add(line, "tile.rank", "expected 0 to " + std::to_string(count - 1) + ", as there are " +
                                                   std::to_string(count) + " tiles, not " + std::to_string(rank));
            else if (line_of[rank])
                errors_.add(line, "tile.rank", "expected a rank of its own: line " + std::to_string(line_of[rank]) +
                                                   " has " + std::to_string(rank) + " already");
            else
                line_of[rank] = std::max(1, line);
        }
        int next = 0;
        for (Draft &draft : drafts_) {
            if (draft.text && draft.text->rank) {
                draft.tile.rank = draft.text->rank->value;
                continue;
            }
            while (next < count && line_of[next])
                ++next;
            draft.tile.rank = next++;
        }
    }

    void name_tiles() {
        std::map<std::string, int> lines;
        for (Draft &draft : drafts_) {
            Tile &tile = draft.tile;
            if (!tile.name.empty()) {
                if (const auto [it, fresh] = lines.emplace(tile.name, draft.text->name->line); !fresh)
                    errors_.add(draft.text->name->line, "tile.name", "expected a name of its own: line " +
                                                       std::to_string(it->second) + " has " + quoted(tile.name) + " already");
            } else if (tile.column >= 0)
                tile.name = "(" + std::to_string(tile.column) + "," + std::to_string(tile.row) + ")";
            else
                tile.name = "tile " + std::to_string(tile.rank);
        }
    }

    // --- where they are ---------------------------------------------------------------------------------------------
    /// A grid without any size cuts the program's window; what only makes sense with sizes is an error then.
    bool cuts_window() {
        if (!text_.grid || text_.grid->tile)
            return false;
        for (const Draft &draft : drafts_)
            if (draft.tile.column < 0 || (draft.text && (draft.text->position || draft.text->size)))
                return false;
        const std::string needs = "expected grid.tile beside it: without a size the wall cuts the program's own window";
        const auto refuse = [&](const auto &given, const char *key) {
            if (given)
                errors_.add(given->line, key, needs);
        };
        refuse(text_.density, "pixels_per_mm");
        refuse(text_.grid->bezel, "grid.bezel");
        refuse(text_.grid->other, text_.in_mm ? "grid.pixels" : "grid.mm");
        for (const Draft &draft : drafts_)
            if (draft.text) {
                refuse(draft.text->nudge, "tile.nudge");
                refuse(draft.text->other, text_.in_mm ? "tile.pixels" : "tile.mm");
                refuse(draft.text->mm, "tile.mm");
            }
        return true;
    }

    void measure() {
        for (Draft &draft : drafts_)
            place(draft);
        if (errors_.any())
            return;
        const std::optional<Vec> density = find_density();
        if (!density && text_.in_mm)
            return errors_.add(0, "pixels_per_mm", "expected, or `pixels` beside a size: millimetres alone say nothing of pixels");
        for (Draft &draft : drafts_)
            text_.in_mm ? from_mm(draft, *density) : from_pixels(draft, density);
        if (!errors_.any())
            close_box();
    }

    void place(Draft &draft) {
        const TileText *text = draft.text;
        const GridText *grid = text_.grid ? &*text_.grid : nullptr;
        Area &area = draft.area;
        draft.inherited = !(text && text->size);
        if (draft.inherited && !(grid && grid->tile))
            return errors_.add(draft.line, "tile.size", "expected [width, height], as there is no grid.tile");
        const Vec size = draft.inherited ? grid->tile->value : text->size->value;
        area.width = size.x;
        area.height = size.y;
        if (text && text->position) {
            area.x = text->position->value.x;
            area.y = text->position->value.y;
        } else if (draft.tile.column >= 0 && grid->tile) {
            const Edges bezel = grid->bezel ? grid->bezel->value : Edges{};
            area.x = draft.tile.column * (grid->tile->value.x + bezel.left + bezel.right);
            area.y = draft.tile.row * (grid->tile->value.y + bezel.top + bezel.bottom);
        } else
            return errors_.add(draft.line, "tile.position", "expected [x, y], as the tile has no place in a grid with grid.tile");
        if (text && text->nudge) {
            area.x += text->nudge->value.x;
            area.y += text->nudge->value.y;
        }
    }

    // --- pixels and millimetres -------------------------------------------------------------------------------------
    /// The tile's size in the unit that the file is not in, where it says so.
    std::optional<Vec> other_size(const Draft &draft) const {
        if (draft.text && draft.text->other)
            return draft.text->other->value;
        if (draft.inherited && text_.grid->other)
            return text_.grid->other->value;
        return std::nullopt;
    }

    /// One density for the whole wall, since its pixels are one coordinate system: what the file says, else the
    /// grid's, else the first tile's of which both sizes are known.
    std::optional<Vec> find_density() const {
        if (text_.density)
            return text_.density->value;
        const auto ratio = [&](Vec unit, Vec other) {
            return text_.in_mm ? Vec{other.x / unit.x, other.y / unit.y} : Vec{unit.x / other.x, unit.y / other.y};
        };
        if (text_.grid && text_.grid->tile && text_.grid->other)
            return ratio(text_.grid->tile->value, text_.grid->other->value);
        for (const Draft &draft : drafts_) {
            const Vec unit{draft.area.width, draft.area.height};
            if (const auto other = other_size(draft))
                return ratio(unit, *other);
            if (draft.text && draft.text->mm)
                return ratio(unit, {draft.text->mm->value[2], draft.text->mm->value[3]});
        }
        return std::nullopt;
    }

    void from_mm(Draft &draft, Vec density) {
        const Area &mm = draft.area;
        const auto pixels = other_size(draft);
        const double left = std::round(mm.x * density.x), top = std::round(mm.y * density.y);
        // From edge to edge, so that tiles that touch in millimetres touch in pixels too.
        const double width = pixels ? pixels->x : std::round((mm.x + mm.width) * density.x) - left;
        const double height = pixels ? pixels->y : std::round((mm.y + mm.height) * density.y) - top;
        set_mm(draft.tile, mm);
        set_rect(draft, {left, top, width, height});
    }

    void from_pixels(Draft &draft, std::optional<Vec> density) {
        const Area &px = draft.area;
        set_rect(draft, px);
        if (draft.text && draft.text->mm) {
            const auto &mm = draft.text->mm->value;
            return set_mm(draft.tile, {mm[0], mm[1], mm[2], mm[3]});
        }
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
        const bool fits = std::abs(px.x) <= most_pixels && std::abs(px.y) <= most_pixels && px.width >= 1 &&
                          px.height >= 1 && px.width <= most_pixels && px.height <= most_pixels;
        if (!fits)
            return errors_.add(draft.line, draft.tile.column >= 0 && !draft.text ? "grid" : "tile",
                               "expected tile " + draft.tile.name + " to have 1 to " + std::to_string(most_pixels) +
                                   " pixels an axis and to lie within as many, not " + number(px.width) + " x " +
                                   number(px.height) + " at " + number(px.x) + ", " + number(px.y));
        draft.tile.rect = {static_cast<int>(px.x), static_cast<int>(px.y), static_cast<int>(px.width),
                           static_cast<int>(px.height)};
    }

    // --- the box around them ----------------------------------------------------------------------------------------
    void close_box() {
        Rect box;
        double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
        for (const Draft &draft : drafts_) {
            const Tile &tile = draft.tile;
            box = unite(box, tile.rect);
            left = std::min(left, tile.mm_x);
            top = std::min(top, tile.mm_y);
        }
        for (Draft &draft : drafts_) {
            Tile &tile = draft.tile;
            tile.rect.x -= box.x;
            tile.rect.y -= box.y;
            tile.mm_x -= left;
            tile.mm_y -= top;
            right = std::max(right, tile.mm_x + tile.mm_width);
            bottom = std::max(bottom, tile.mm_y + tile.mm_height);
        }
        wall_.width = box.width;
        wall_.height = box.height;
        wall_.mm_width = right;
        wall_.mm_height = bottom;
        if (box.width > most_pixels || box.height > most_pixels)
            errors_.add(0, "", "expected a wall of at most " + std::to_string(most_pixels) + " pixels an axis, not " +
                                   std::to_string(box.width) + " x " + std::to_string(box.height));
    }

    const WallText &text_;
    Errors &errors_;
    Wall wall_;
    std::vector<Draft> drafts_;
};

} // namespace

std::optional<Wall> build_wall(const WallText &text, Errors &errors) {
    if (errors.any()) {
        // What could be read is still checked as far as it goes, so that one run names as much as possible.
        Builder(text, errors).build();
        return std::nullopt;
    }
    return Builder(text, errors).build();
}

} // namespace pixmpi
