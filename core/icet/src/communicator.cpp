#include "communicator.h"

#include "context.h"

namespace icet {

Communicator::Communicator(MPI_Comm original) {
    if (MPI_Comm_dup(original, &comm) != MPI_SUCCESS)
        throw Failure{ICET_SANITY_CHECK_FAIL, "mpi_comm: MPI could not duplicate it"};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

/// Freeing it detaches it. Nothing is left to free where MPI has ended.
Communicator::~Communicator() {
    int ended = 1;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
        MPI_Comm_free(&comm);
}

} // namespace icet

using namespace icet;

IceTCommunicator icetCreateMPICommunicator(MPI_Comm mpi_comm) {
    const char *const call = "icetCreateMPICommunicator";
    int runs = 0, ended = 1;
    if (MPI_Initialized(&runs) != MPI_SUCCESS || !runs || MPI_Finalized(&ended) != MPI_SUCCESS || ended)
        icetInternalRaise(call, ICET_INVALID_OPERATION, "MPI is not running, expected MPI_Init before");
    else if (mpi_comm == MPI_COMM_NULL)
        icetInternalRaise(call, ICET_INVALID_VALUE, "mpi_comm: MPI_COMM_NULL, expected a communicator");
    else
        try {
            return new IceTCommunicatorStruct{std::make_shared<Communicator>(mpi_comm)};
        } catch (const Failure &failure) {
            icetInternalRaise(call, failure.error, failure.text.c_str());
        } catch (const std::bad_alloc &) {
            icetInternalRaise(call, ICET_OUT_OF_MEMORY, "out of memory");
        }
    return ICET_COMM_NULL;
}

void icetDestroyMPICommunicator(IceTCommunicator comm) { delete comm; }
