// What a message cannot beat on this machine: its pixels leave one object and enter another. Both processes do their
// part at once, as in a pipeline, in pieces that stay in the cache; the slower of the two, and a small message that
// says so, is the limit. The size of the pieces and the kind of memory are those that turn out fastest here.
#pragma once

#include "naive.h"

#include <vector>

class Limits {
  public:
    /// For messages of the first `bytes` of both objects, which are as large.
    Limits(Naive &source, Naive &dest, std::size_t bytes, const Team &team);
    ~Limits();
    Limits(const Limits &) = delete;
    Limits &operator=(const Limits &) = delete;

    /// Tries what there is; `run` does one's part, and returns on rank 0 when all have. Collective.
    template <class Run> void find(Run run) {
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            choice_ = i;
            run();
            double seconds = 1e9;
            for (int k = 0; k < 3; ++k) {
                const double before = MPI_Wtime();
                run();
                seconds = std::min(seconds, MPI_Wtime() - before);
            }
            consider(seconds);
        }
        settle();
    }

    /// All bytes out of the source, into the destination; GL's commands included.
    void read();
    void write();
    /// The same by memcpy from and to host memory.
    void copy_out();
    void copy_in();
    double band_bytes() const;

  private:
    struct Choice {
        std::size_t bytes;
        bool pixel_buffer; ///< not client memory but memory of GL's, which cards copy to by themselves
        double seconds = 0;
    };
    void consider(double seconds);
    void settle();
    static void copy(GLuint from, std::size_t from_at, GLuint to, std::size_t to_at, std::size_t bytes);
    template <class Band> void for_each_band(std::size_t bytes, Band band) const;

    Naive &source_, &dest_;
    const std::size_t bytes_;
    const Team &team_;
    std::vector<Choice> choices_;
    std::size_t choice_ = 0;
    std::vector<std::byte> band_, memory_;
    GLuint pixel_buffer_ = 0;
    int rows_; ///< of the object that make `bytes`
};
