#include "product.h"

#include <algorithm>
#include <pixmpi.h>

Grid::Grid(int ranks) {
    while ((side + 1) * (side + 1) <= ranks)
        ++side;
    const int sides[2] = {side, side}, round[2] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, round, 0, &comm);
    if (comm == MPI_COMM_NULL)
        return;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    at[0] = rank / side;
    at[1] = rank % side;
    pixMPI_Comm_attach(comm, nullptr);
}

Grid::~Grid() {
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

Product::Product(const demo::Gpu &gpu, const Grid &grid, const Shape &whole)
    : gpu_(gpu), grid_(grid), whole_(whole), block_{part(whole.rows), part(whole.columns), part(whole.inner)},
      c_(gpu, bytes(block_.rows, block_.columns)) {}

std::vector<float> Product::fill(int rows, int columns, float (*element)(const Shape &, int, int), int all_rows,
                                 int all_columns) const {
    std::vector<float> block(std::size_t(rows) * columns);
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
            const int row = grid_.at[0] * rows + y, column = grid_.at[1] * columns + x;
            if (row < all_rows && column < all_columns)
                block[std::size_t(y) * columns + x] = element(whole_, row, column);
        }
    return block;
}

/// Where a block of the product lies in the whole; beyond its edge there may be nothing of it.
pixMPI_Rect Product::place(int row, int column) const {
    const int x = std::min(column * block_.columns, whole_.columns), y = std::min(row * block_.rows, whole_.rows);
    return {x, y, std::min(block_.columns, whole_.columns - x), std::min(block_.rows, whole_.rows - y)};
}

void Product::collect(const demo::Buffer *product) const {
    constexpr int result = 1; // tag
    std::vector<pixMPI_Request> requests;
    const pixMPI_Rect mine = place(grid_.at[0], grid_.at[1]);
    pixMPI_Region region = PIXMPI_REGION_NULL;
    pixMPI_Region_rect(0, 0, mine.width, mine.height, &region);
    pixMPI_Region_commit(&region);
    vkMPI_Isend(c_.surface(PIXMPI_R32F, block_.columns, block_.rows), region, 0, result, grid_.comm,
                &requests.emplace_back(), nullptr);
    pixMPI_Region_free(&region);
    for (int rank = 0; product && rank < grid_.side * grid_.side; ++rank) {
        const pixMPI_Rect r = place(rank / grid_.side, rank % grid_.side);
        pixMPI_Region_rect(r.x, r.y, r.width, r.height, &region);
        pixMPI_Region_commit(&region);
        vkMPI_Irecv(product->surface(PIXMPI_R32F, whole_.columns, whole_.rows), region, rank, result, grid_.comm,
                    &requests.emplace_back(), nullptr);
        pixMPI_Region_free(&region);
    }
    pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}
