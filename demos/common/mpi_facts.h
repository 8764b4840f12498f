// What programs ask of MPI about their ranks and itself.
#pragma once

#include <algorithm>
#include <mpi.h>
#include <string>

namespace demo {

/// Which of its host's ranks this one is, from 0: for GPUs that are dealt out. Collective over MPI_COMM_WORLD.
inline int rank_within_host() {
    MPI_Comm host = MPI_COMM_NULL;
    int rank = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    return rank;
}

/// The first line of what MPI says it is.
inline std::string mpi_name() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length); // Open MPI counts the zero at its end
    std::string line(text, std::find(text, text + length, '\0'));
    line.resize(std::min(line.find('\n'), line.size()));
    std::replace(line.begin(), line.end(), '\t', ' ');
    return line;
}

} // namespace demo
