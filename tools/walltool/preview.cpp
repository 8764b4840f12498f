// walltool preview: the wall as a picture. Tiles of one host and display have one colour.
#include "canvas.h"
#include "commands.h"
#include "neighbours.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace walltool {

using pixmpi::Rect;
using pixmpi::Tile;
using pixmpi::Wall;

namespace {

constexpr int longest_side = 1200, margin = 12, title_scale = 2, title_height = 30;
constexpr Colour paper{250, 250, 250}, between{70, 70, 74}, ink{25, 25, 30}, faint{120, 120, 126}, alarm{200, 30, 30};

class Preview {
  public:
    explicit Preview(const Wall &wall)
        : wall_(wall), scale_(longest_side / double(std::max(wall.width, wall.height))),
          canvas_(std::max(length(wall.width), 400) + 2 * margin,
                  std::max(length(wall.height), 20) + 2 * margin + title_height, paper) {}

    const mpiglut::Picture &draw(const std::string &spec) {
        canvas_.text(margin, margin, title_scale, title(spec), ink);
        canvas_.fill(placed({0, 0, wall_.width, wall_.height}), between);
        for (const Hole &hole : holes(wall_))
            draw_hole(hole);
        for (const Tile &tile : wall_.tiles)
            colours_.emplace(owner(tile), pastel(colours_.size()));
        // As in a capture, where tiles overlap the lower rank is on top.
        for (auto tile = wall_.tiles.rbegin(); tile != wall_.tiles.rend(); ++tile)
            draw_tile(*tile);
        for (const Overlap &overlap : overlaps(wall_))
            canvas_.hatch(placed(overlap.area), 8, alarm);
        return canvas_.picture();
    }

  private:
    int length(double pixels) const { return std::max(1, static_cast<int>(std::lround(pixels * scale_))); }

    Rect placed(const Rect &rect) const {
        const auto at = [&](int pixels) { return static_cast<int>(std::lround(pixels * scale_)); };
        const int x = at(rect.x), y = at(rect.y);
        return {margin + x, margin + title_height + y, std::max(1, at(rect.right()) - x),
                std::max(1, at(rect.bottom()) - y)};
    }

    std::string title(const std::string &spec) const {
        std::string size = "cuts the program's window";
        if (!wall_.from_window)
            size = std::to_string(wall_.width) + " x " + std::to_string(wall_.height) + " px";
        if (wall_.mm_width > 0)
            size += ", " + std::to_string(std::lround(wall_.mm_width)) + " x " +
                    std::to_string(std::lround(wall_.mm_height)) + " mm";
        const std::size_t room = (canvas_.picture().width - 2 * margin) / title_scale / (glyph_width + 1);
        const std::string name = spec.substr(spec.rfind('/') + 1);
        return name.size() + 3 + size.size() <= room ? name + " - " + size : size;
    }

    void draw_hole(const Hole &hole) {
        const Rect rect = placed(hole.rect);
        if (hole.rect.empty())
            return;
        canvas_.hatch(rect, 12, faint);
        write(rect, {"hole"}, paper, 1);
    }

    static std::string owner(const Tile &tile) { return tile.host + "\n" + tile.display; }

    void draw_tile(const Tile &tile) {
        const Rect rect = placed(tile.rect);
        canvas_.fill(rect, colours_.at(owner(tile)));
        canvas_.frame(rect, rect.width > 20 && rect.height > 20 ? 2 : 1, ink);
        std::vector<std::string> lines{std::to_string(tile.rank), tile.name};
        if (!wall_.from_window)
            lines.push_back(std::to_string(tile.rect.width) + " x " + std::to_string(tile.rect.height));
        if (!tile.host.empty() || !tile.display.empty())
            lines.push_back(tile.host + (tile.host.empty() || tile.display.empty() ? "" : " ") + tile.display);
        if (tile.rotation)
            lines.push_back("turned " + std::to_string(tile.rotation));
        Rect room = rect;
        if (tile.rotation)
            draw_top_mark(tile, rect);
        if (tile.rotation == 180)
            room.height -= rect.height / 6;
        write(room, lines, ink, 4);
    }

    /// At the edge of the tile that is the top of its monitor.
    void draw_top_mark(const Tile &tile, const Rect &rect) {
        const int size = std::max(3, std::min(rect.width, rect.height) / 8), inset = 4;
        Rect mark{rect.x + (rect.width - size) / 2, rect.y + (rect.height - size) / 2, size, size};
        if (tile.rotation == 90)
            mark.x = rect.right() - size - inset;
        else if (tile.rotation == 180)
            mark.y = rect.bottom() - size - inset;
        else
            mark.x = rect.x + inset;
        canvas_.arrow(mark, tile.rotation, alarm);
    }

    /// Lines centred in a tile, the first one twice as large; the last ones are left out where there is no room.
    void write(const Rect &rect, std::vector<std::string> lines, Colour colour, int largest) {
        const auto size = [](std::size_t line, int scale) { return line == 0 ? 2 * scale : scale; };
        const auto fits = [&](int scale) {
            int height = 0;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                height += (glyph_height + 4) * size(i, scale);
                if (text_width(lines[i].size()) * size(i, scale) > rect.width - 8)
                    return false;
            }
            return height <= rect.height - 8;
        };
        while (!lines.empty() && !fits(1))
            lines.pop_back();
        if (lines.empty())
            return;
        int scale = 1;
        while (scale < largest && fits(scale + 1))
            ++scale;
        int height = 0;
        for (std::size_t i = 0; i < lines.size(); ++i)
            height += (glyph_height + 4) * size(i, scale);
        int y = rect.y + (rect.height - height) / 2 + 2 * scale;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const int width = text_width(lines[i].size()) * size(i, scale);
            canvas_.text(rect.x + (rect.width - width) / 2, y, size(i, scale), lines[i], colour);
            y += (glyph_height + 4) * size(i, scale);
        }
    }

    const Wall &wall_;
    double scale_;
    Canvas canvas_;
    std::map<std::string, Colour> colours_; ///< by owner
};

} // namespace

int preview(const std::string &spec, const std::string &png) {
    const std::optional<Wall> wall = load(spec);
    if (!wall)
        return EXIT_FAILURE;
    Preview preview(*wall);
    const mpiglut::Picture &picture = preview.draw(spec);
    std::string error;
    if (!mpiglut::write_png(png, picture, error)) {
        std::fprintf(stderr, "walltool: %s\n", error.c_str());
        return EXIT_FAILURE;
    }
    std::printf("%s: %d x %d pixels\n", png.c_str(), picture.width, picture.height);
    return EXIT_SUCCESS;
}

} // namespace walltool
