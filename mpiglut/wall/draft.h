// A tile between its description and the wall. Private to wall_build.cpp and wall_measure.cpp.
#pragma once

#include "text.h"

namespace pixmpi {

struct Draft {
    const TileText *text = nullptr; ///< what was written about this tile, if anything
    int line = 0;
    Tile tile;

    /// The value that was written about this tile, if there is one.
    template <class T> const Given<T> *given(Maybe<T> TileText::*member) const {
        return text && text->*member ? &*(text->*member) : nullptr;
    }
    /// There is a value, and nothing is known of it.
    bool unreadable(std::string_view key) const { return text && text->unreadable.contains(key); }
};

/// A grid without any size cuts the program's window.
bool cuts_window(const WallText &text, const std::vector<Draft> &drafts);
/// What only makes sense with sizes, in a wall that has none.
void refuse_sizes(const WallText &text, const std::vector<Draft> &drafts, Errors &errors);
/// Fills in the rectangles, in pixels and millimetres, and the wall's size.
void measure(const WallText &text, std::vector<Draft> &drafts, Wall &wall, Errors &errors);

} // namespace pixmpi
