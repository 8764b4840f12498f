// A rank's part of the product of two matrices: a square grid of ranks, each with a block of A, of B and of the
// product.
#pragma once

#include "matrices.h"
#include "vk_world.h"

#include <memory>

/// The largest square of ranks; MPI_COMM_NULL on those that are left over.
struct Grid {
    explicit Grid(int ranks);
    ~Grid();
    Grid(const Grid &) = delete;
    Grid &operator=(const Grid &) = delete;

    int side = 1;
    MPI_Comm comm = MPI_COMM_NULL;
    int at[2] = {}; ///< row and column
};

class Product {
  public:
    virtual ~Product() = default;
    Product(const Product &) = delete;
    Product &operator=(const Product &) = delete;

    /// Once more, from the blocks as they are at first.
    virtual void run() = 0;
    /// The product, for rank 0, without what the blocks have been rounded up by.
    void collect(const demo::Buffer *product) const;

    double computing = 0; ///< seconds, of all runs

  protected:
    Product(const demo::Gpu &gpu, const Grid &grid, const Shape &whole);

    /// A block as it is at first.
    std::vector<float> block_of_a() const {
        return fill(block_.rows, block_.inner, element_of_a, whole_.rows, whole_.inner);
    }
    std::vector<float> block_of_b() const {
        return fill(block_.inner, block_.columns, element_of_b, whole_.inner, whole_.columns);
    }
    std::size_t bytes_of_a() const { return bytes(block_.rows, block_.inner); }
    std::size_t bytes_of_b() const { return bytes(block_.inner, block_.columns); }

    const demo::Gpu &gpu_;
    const Grid &grid_;
    const Shape whole_, block_;
    demo::Buffer c_;

  private:
    /// A block's size: all are alike, and multiples of 4, rounded up with zeros.
    int part(int size) const { return (size + 4 * grid_.side - 1) / (4 * grid_.side) * 4; }
    static std::size_t bytes(int rows, int columns) { return sizeof(float) * std::size_t(rows) * columns; }
    std::vector<float> fill(int rows, int columns, float (*element)(const Shape &, int, int), int all_rows,
                            int all_columns) const;
    pixMPI_Rect place(int row, int column) const;
};

/// A dispatch for each multiplication, and Sendrecv_replace for each shift.
std::unique_ptr<Product> make_host_product(const demo::Gpu &gpu, const Grid &grid, const Shape &whole);
/// One run of a shader. Its workgroups put the blocks into the neighbours. `groups`: their number; 0: as suits the
/// device.
std::unique_ptr<Product> make_device_product(const demo::Gpu &gpu, const Grid &grid, const Shape &whole, int groups);
