// An MPI that fails, or takes its time, where a case wants it to.
#pragma once

#include <mpi.h>

namespace mpi_faults {

enum class Call { none, idup, allgather, alltoall, isend };
/// How many receives have been let go of while MPI might still fill their memory.
int receives_let_go();
/// The next such call of this rank, or the one after so many, is made, and then reported as failed; of a send nothing is
/// made.
void fail(Call call, int after = 0);
/// From now on, what MPI_Imrecv receives has not arrived.
void hold_back(bool yes);
/// MPI_TAG_UB from now on; 0: MPI's own.
void bound_tags(int most);
/// After MPI_Init: requests that have not been given back when MPI ends make the program fail.
void expect_none_open_at_end();

} // namespace mpi_faults
