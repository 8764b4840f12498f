#!/bin/bash
# Who calls MPI, and how.  calls.sh SOURCE_DIR
set -u
cd "${1:?the source folder}" || exit 1
failed=0
# Code only: strings and comments may name the functions.
code() { sed -E 's,"([^"\\]|\\.)*","",g; s,//.*,,' "$1" | grep -nE "$2" | sed "s,^,$1:,"; }
for file in $(find core glmpi vkmpi \( -name '*.cpp' -o -name '*.h' \) -not -path '*/include/*'); do
    if [[ ! $file =~ ^core/src/(route/(route_mpi|mpi_)|request/channel)[^/]*$ ]]; then
        code "$file" '\bMPI_[A-Z][a-z_]+\(' | grep . && { echo "^ MPI is called in core/src/route/route_mpi*, mpi_* and core/src/request/channel*"; failed=1; }
    fi
    code "$file" '\bMPI_(Send|Ssend|Recv|Sendrecv|Probe|Mprobe|Wait|Waitall|Waitany|Barrier|Bcast)\(' | grep . &&
        { echo "^ blocks, and spins where there are more ranks than cores"; failed=1; }
done
exit $failed
