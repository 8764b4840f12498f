// A collective's call, from its arguments to its request. If they are wrong on this rank, the other ranks learn of it,
// and their calls fail as well. So each rank takes part in the numbering of schedules, whatever its arguments are.
#pragma once

#include "api/launch.h"
#include "collective/collective.h"
#include "pixmpi_collectives.h"

#include <functional>

namespace pixmpi {

/// PIXMPI_ERR_COMM: it is not attached, or no intracommunicator.
Status find_intracommunicator(MPI_Comm comm, std::shared_ptr<Channel> &channel);

/// What a call names on one of its sides, checked.
struct CallEnd {
    std::shared_ptr<Surface> surface;
    Plan::Part part;
};
struct CallEnds {
    std::shared_ptr<Surface> surface;
    std::vector<Plan::Part> parts; ///< by rank, or by neighbour: null for MPI_PROC_NULL
    CallEnd of(int rank) const { return {surface, parts[static_cast<std::size_t>(rank)]}; }
};

/// Checks arguments.
class CallArguments {
  public:
    const int rank, size;
    const bool one_host; ///< else some ranks hand on what they have received

    Status check_root(int root) const;
    Status find(const pixMPI_Surface &surface, pixMPI_Region region, const char *argument, const Use &use,
                CallEnd &end) const;
    Status find(const pixMPI_Surface &surface, const pixMPI_Region regions[], const char *argument, const Use &use,
                CallEnds &ends) const;
    /// A region for each neighbour. A side without neighbours is not looked at.
    Status find(const pixMPI_Surface &surface, const pixMPI_Region regions[], const std::vector<Edge> &neighbors,
                const char *argument, const Use &use, CallEnds &ends) const;
    /// As many pixels of as many bytes on both sides of this rank.
    Status check_alike(const CallEnd &send, const CallEnd &recv) const;
    Status check_same_format(const Surface &send, const Surface &recv) const;
    /// The same for what this rank sends to itself as its own neighbour.
    Status check_loops(const Topology &topology, const CallEnds &send, const CallEnds &recv) const;
    Status find(pixMPI_Op op, const Surface &surface, Reduction &how) const;
};

/// Adds the steps, under the lock, when all arguments were right.
using WriteSteps = std::function<Status(Plan &)>;

/// Reads the arguments and says what is to be written. By reference, as copies need memory: nothing may fail outside of
/// the call.
class CheckArguments {
  public:
    template <class Check>
    explicit CheckArguments(Check &check)
        : check_(&check), call_([](void *one, const CallArguments &arguments, WriteSteps &write) -> Status {
              return (*static_cast<Check *>(one))(arguments, write);
          }) {}
    Status operator()(const CallArguments &arguments, WriteSteps &write) const {
        return call_(check_, arguments, write);
    }

  private:
    void *const check_;
    Status (*const call_)(void *, const CallArguments &, WriteSteps &);
};

int collective(const char *name, const Form &form, MPI_Comm comm, const CheckArguments &check);
template <class Check> int collective(const char *name, const Form &form, MPI_Comm comm, Check check) {
    return collective(name, form, comm, CheckArguments(check));
}

inline bool is_in_place(const pixMPI_Surface &surface) { return surface.api == PIXMPI_API_IN_PLACE; }

} // namespace pixmpi
