// `CxR` and `CxR@WxH[+BX[+BY]]`, as in X geometries.
#include "text.h"

#include <charconv>

namespace pixmpi {

namespace {

class Scanner {
  public:
    Scanner(std::string_view text, Errors &errors) : rest_(text), errors_(errors) {}

    int integer(const char *what, int low, int high) {
        if (failed_)
            return low;
        long long value = 0;
        const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        const std::string_view digits = rest_.substr(0, end - rest_.data());
        rest_.remove_prefix(digits.size());
        if (digits.empty())
            fail(what, "a number", rest_);
        else if (problem != std::errc() || value < low || value > high)
            fail(what, std::to_string(low) + " to " + std::to_string(high), digits);
        return failed_ ? low : static_cast<int>(value);
    }
    bool accept(char c) {
        const bool there = !failed_ && !rest_.empty() && rest_.front() == c;
        if (there)
            rest_.remove_prefix(1);
        return there;
    }
    void expect(char c, const char *after) {
        if (!failed_ && !accept(c))
            fail(after, "\"" + std::string(1, c) + "\" after it", rest_);
    }
    void end() {
        if (!failed_ && !rest_.empty())
            fail("", "CxR or CxR@WxH[+BX[+BY]], with nothing after it", rest_);
    }

  private:
    void fail(const char *what, const std::string &expected, std::string_view found) {
        failed_ = true;
        errors_.add(0, what, "expected " + expected + ", not " + (found.empty() ? "the end" : in_quotes(found)));
    }

    std::string_view rest_;
    Errors &errors_;
    bool failed_ = false;
};

} // namespace

WallText read_spec(std::string_view spec, Errors &errors) {
    Scanner scan(spec, errors);
    WallText text;
    GridText &grid = text.grid.emplace();
    grid.columns = {scan.integer("columns", 1, most_tiles), 0};
    scan.expect('x', "columns");
    grid.rows = {scan.integer("rows", 1, most_tiles), 0};
    if (scan.accept('@')) {
        const int width = scan.integer("tile width", 1, most_pixels);
        scan.expect('x', "tile width");
        const int height = scan.integer("tile height", 1, most_pixels);
        grid.tile = {Vec{double(width), double(height)}, 0};
        if (scan.accept('+')) {
            const int x = scan.integer("bezel", 0, most_pixels);
            const int y = scan.accept('+') ? scan.integer("bezel", 0, most_pixels) : x;
            grid.bezel = {Edges{double(x), 0, double(y), 0}, 0};
        }
    }
    scan.end();
    text.usable = !errors.any();
    return text;
}

} // namespace pixmpi
