// The requests that a call names, one or many: found, moved along, handed over.
#pragma once

#include "request/request.h"

#include <span>
#include <vector>

namespace pixmpi {

/// The request behind a handle. `index`: its place in the call's list, for the text, or -1 where the call has a single
/// one.
Status find_request(Runtime &runtime, pixMPI_Request handle, int index, std::shared_ptr<Request> &request);
/// The same for a persistent one that is not active.
Status find_inactive(Runtime &runtime, pixMPI_Request handle, int index, std::shared_ptr<Request> &request);
Status check_list(int count, const pixMPI_Request requests[]);

class Starter;
/// Start (`single`) and Startall. All are looked at before one is started. `starter` may be null.
Status start_requests(int count, pixMPI_Request requests[], bool single, Starter *starter);

class RequestList {
  public:
    RequestList() : runtime_(runtime()) {}
    /// `single`: the call has one request, not a list of one.
    Status find(int count, pixMPI_Request requests[], bool single = false);

    /// The call waits for all of them.
    void await() {
        for (const auto &request : found_)
            if (request)
                request->await();
    }

    /// Null and inactive requests count as completed ones that have nothing to tell.
    bool none_active() const;
    bool all_over() const;
    bool any_complete() const;
    bool is_complete(int i) const { return at(i) && at(i)->state == State::complete; }

    /// Moves everything along until `enough`, or once unless `blocking`. An error where no context is current for those
    /// that are waited for: with `all` for one of them, else for all of them.
    template <class Enough> Status progress(bool blocking, bool all, Enough enough) {
        return go_on_until(runtime_, lock_, blocking ? pause() : Pause(), [&](bool &yes) {
            yes = enough() || !blocking;
            return yes ? PIXMPI_SUCCESS : check_contexts(all);
        });
    }

    /// How to wait for the first of them, and for GPUs of the next ones.
    Pause pause() const;

    /// What a complete request has to tell, and its error; it stays as it is. An empty status where there is none.
    Status tell(int i, MPI_Status *status) const;
    /// Hands a complete request over to the user; an empty status where there is none. Returns the request's error.
    Status deliver(int i, MPI_Status *status);
    /// Those that `chosen` picks. statuses[k] is that of the k-th of them, with its error; indices may be null.
    template <class Chosen> Status deliver_list(MPI_Status statuses[], int indices[], int &outcount, Chosen chosen) {
        outcount = 0;
        for (int i = 0; i < static_cast<int>(found_.size()); ++i) {
            if (!chosen(i))
                continue;
            const bool ignored = !statuses || statuses == MPI_STATUSES_IGNORE;
            MPI_Status *status = ignored ? MPI_STATUS_IGNORE : &statuses[outcount];
            const Status error = deliver(i, status);
            mpi::fill_error(status, error);
            if (error && !failed_.code)
                failed_ = last_error(error);
            if (indices)
                indices[outcount] = i;
            ++outcount;
        }
        return failed_.code ? fail(PIXMPI_ERR_STATUS, "%s", failed_.text.data()) : PIXMPI_SUCCESS;
    }

  private:
    const std::shared_ptr<Request> &at(int i) const { return found_[static_cast<std::size_t>(i)]; }
    Status check_contexts(bool all) const;

    Runtime &runtime_;
    Lock lock_;
    pixMPI_Request *requests_ = nullptr;
    Error failed_;                 ///< the first of those delivered that has failed
    std::shared_ptr<Request> one_; ///< of a list of one, which takes no memory
    std::vector<std::shared_ptr<Request>> many_;
    std::span<std::shared_ptr<Request>> found_; ///< by index; null for null and inactive requests
};

} // namespace pixmpi
