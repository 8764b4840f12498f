# Which MPI: MPICH unless PIXMPI_MPI says openmpi. Debian installs both side by side with suffixed tools, so the
# choice does not depend on update-alternatives; `auto` takes whatever FindMPI finds.
set(PIXMPI_MPI mpich CACHE STRING "mpich, openmpi or auto")
set_property(CACHE PIXMPI_MPI PROPERTY STRINGS mpich openmpi auto)

if(NOT PIXMPI_MPI MATCHES "^(mpich|openmpi|auto)$")
    message(FATAL_ERROR "PIXMPI_MPI=${PIXMPI_MPI}: expected mpich, openmpi or auto")
endif()
if(NOT PIXMPI_MPI STREQUAL auto)
    find_program(MPI_C_COMPILER NAMES mpicc.${PIXMPI_MPI})
    find_program(MPI_CXX_COMPILER NAMES mpicxx.${PIXMPI_MPI} mpic++.${PIXMPI_MPI})
    find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${PIXMPI_MPI})
endif()
find_package(MPI REQUIRED COMPONENTS C)
include(mpi_kind)
mpi_kind(PIXMPI_MPI_FOUND)
if(PIXMPI_MPI STREQUAL openmpi AND NOT PIXMPI_MPI_FOUND STREQUAL openmpi)
    message(FATAL_ERROR "PIXMPI_MPI=openmpi: the MPI found is ${PIXMPI_MPI_FOUND} (${MPI_C_COMPILER}). Install Open MPI "
        "(Debian: libopenmpi-dev, openmpi-bin), or name its compiler: -DMPI_C_COMPILER=FILE -DMPI_CXX_COMPILER=FILE")
elseif(NOT PIXMPI_MPI STREQUAL auto AND NOT PIXMPI_MPI_FOUND STREQUAL PIXMPI_MPI) # the default: what is there will do
    message(STATUS "PIXMPI_MPI=${PIXMPI_MPI}: not found, so ${PIXMPI_MPI_FOUND} is used (${MPI_C_COMPILER})")
endif()
# We call MPI's C functions from C++; its C++ bindings would want a library of their own.
target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
