// What each rank shows of a picture that all ranks make: rank 0 all of it, or each rank the tile of a wall that it has.
#pragma once

#include "demo.h"

#include <pixmpi_compositor.h>

namespace demo {

class View {
  public:
    /// `wall`: as mpiglutrun's --wall, `CxR`, `CxR@WxH` or a wall file; empty: no wall. Throws Error.
    View(const Start &start, const std::string &wall);

    /// The same start, with the size of the whole picture: the wall's, where it has one.
    Start start() const { return {start_.about, options_, start_.rank, start_.ranks}; }
    /// None without a wall.
    const std::vector<pixMPI_Tile> &tiles() const { return tiles_; }
    /// This rank's part of the picture, lowest row first; without columns: none.
    const pixMPI_Rect &mine() const { return mine_; }
    bool shows() const { return mine_.width > 0; }
    /// A file's name, with the rank before its ending where several ranks show something.
    std::string file(const std::string &name) const { return tiles_.empty() ? name : file_of_rank(name); }
    /// The same always.
    std::string file_of_rank(const std::string &name) const;

  private:
    const Start start_;
    Options options_;
    std::vector<pixMPI_Tile> tiles_;
    pixMPI_Rect mine_{};
};

} // namespace demo
