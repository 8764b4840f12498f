#!/bin/bash
# Who calls MPI, and how; and where the verbs are.  calls.sh SOURCE_DIR
set -u
cd "${1:?the source folder}" || exit 1
failed=0
# Code only: strings and comments may name the functions.
code() { sed -E 's,"([^"\\]|\\.)*","",g; s,//.*,,' "$1" | grep -nE "$2" | sed "s,^,$1:,"; }
# Sources of these folders that name a function of MPI.
naming_mpi() { grep -rlE '\bMPI_[A-Z][a-z_]+\(' "$@" --include='*.cpp' --include='*.h' --exclude-dir=include; }
for file in $(naming_mpi core glmpi vkmpi cudampi); do
    if [[ ! $file =~ ^core/(src/(route/(route_mpi|mpi_)|request/channel)|icet/src/communicator)[^/]*$ ]]; then
        code "$file" '\bMPI_[A-Z][a-z_]+\(' | grep . && { echo "^ MPI is called in core/src/route/route_mpi*, mpi_*, core/src/request/channel* and core/icet/src/communicator*"; failed=1; }
    fi
done
# But for what begins and ends: MPI_Init_thread, MPI_Comm_dup, MPI_Comm_free, MPI_Finalize, and IceT's subsets.
blocking='[SBR]?[Ss]end|M?[Rr]ecv|Sendrecv(_replace)?|M?[Pp]robe|Wait(all|any|some)?|Barrier|Bcast|(All)?[Gg]atherv?|Scatterv?'
blocking+='|Alltoall[vw]?|(All)?[Rr]educe(_scatter(_block)?)?|Scan|Exscan|Comm_(split|create)(_group|_type)?|Win_fence'
for file in $(naming_mpi core glmpi vkmpi cudampi mpiglut); do
    code "$file" "\\bMPI_($blocking)\\(" | grep -v '^core/icet/src/communicator\.cpp:.*MPI_Comm_create(' | grep . &&
        { echo "^ blocks, and spins where there are more ranks than cores"; failed=1; }
done
# A definition's line does not end as a declaration's does.
verbs=$(grep -rnE '^[A-Za-z][A-Za-z_0-9 ]*[ *]pixMPI_[A-Z][A-Za-z_]*\(.*[^;]$' core/src --include='*.cpp' | grep -v 'pixMPI_Internal_')
[ -n "$verbs" ] || { echo "no verbs in core/src"; failed=1; }
grep -v '^core/src/api/' <<<"$verbs" && { echo "^ verbs of the library stand in core/src/api"; failed=1; }
grep -rn 'typedef enum' {core,glmpi,vkmpi,cudampi}/include | grep -v 'PIXMPI_ENUM {' &&
    { echo "^ an enumeration that C programs pass has PIXMPI_ENUM: a wrong number is then an error, not undefined"; failed=1; }
exit $failed
