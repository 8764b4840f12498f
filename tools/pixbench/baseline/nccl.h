// NCCL's messages and collectives of the same bytes, from plain memory of one GPU to plain memory of another: what
// programs with CUDA use. Its library is loaded when it is asked for; multicast is left out.
#pragma once

#include "measure/job.h"

#include <cstddef>
#include <memory>
#include <string>

class Nccl {
  public:
    /// Collective; of two ranks or more, each with its own GPU. `library`: a file, or a name that the system's
    /// loader finds. problem() says what is wrong on this rank, or nothing.
    Nccl(std::size_t bytes, const std::string &library, const Team &team);
    /// Collective.
    ~Nccl();
    Nccl(const Nccl &) = delete;
    Nccl &operator=(const Nccl &) = delete;
    const std::string &problem() const { return problem_; }

    // All return when it is over.
    void send(int dest);
    void receive(int source);
    void exchange(int dest, int source);
    void bcast();
    /// `bytes`: of a rank's part; the whole has one for each rank.
    void gather(std::size_t bytes);
    void scatter(std::size_t bytes);
    void allgather(std::size_t bytes);
    void alltoall(std::size_t bytes);
    /// Of floats, added up.
    void reduce();
    void allreduce();

  private:
    struct Parts;
    std::string open(const std::string &library);
    std::string try_out();
    void run(int dest, int source);
    /// calls() returns NCCL's result.
    template <class Calls> void collective(Calls calls);
    void *out(std::size_t at = 0) const;
    void *in(std::size_t at = 0) const;

    const Team &team_;
    std::unique_ptr<Parts> parts_;
    std::string problem_;
};
