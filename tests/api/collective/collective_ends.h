// The surfaces of a collective's case, and running it: what collective_model.h says against what the library does.
#pragma once

#include "collective/collective_model.h"

namespace api {

/// PIXMPI_SEEDS, or 1.
std::uint64_t run_seed();

/// Pixels of one plane, or colours and depths.
class Picture {
  public:
    Picture(std::unique_ptr<End> colors, std::unique_ptr<End> depths = nullptr)
        : colors_(std::move(colors)), depths_(std::move(depths)) {}
    /// Lives as long as this or what has been moved from it.
    pixMPI_Surface any() const {
        *planes_ = {colors_->any(), depths_ ? depths_->any() : pixMPI_No_surface()};
        return depths_ ? *planes_ : planes_->colors;
    }
    /// A pixel with depth has it behind its colour.
    void write(const Bytes &pixels);
    Bytes read();
    void check_surroundings();

  private:
    /// Without the bits that mean nothing.
    Bytes meaning(Bytes depths) const;
    std::unique_ptr<End> colors_, depths_;
    std::unique_ptr<WithDepth> planes_ = std::make_unique<WithDepth>();
};

struct Ends {
    Picture send, recv;
};

Ends in_memory(const Case &one);
/// This rank's surfaces, of kinds that differ from rank to rank; `offset`: which.
Ends make_ends(const Case &one, std::size_t offset);

void fill(const Case &one, Ends &ends);
void check(const Case &one, Ends &ends);
/// In this form, a persistent request twice.
void run(const Case &one, Form form, Ends &ends, pixMPI_Op op);

constexpr Form forms[] = {Form::blocking, Form::nonblocking, Form::persistent};

/// What went wrong on one rank is an error on all that have not completed, and the next call is right.
void after_it_all_is_well();

} // namespace api
