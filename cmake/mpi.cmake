# Which MPI: MPICH unless PIXMPI_MPI says openmpi. Debian installs both side by side with suffixed tools, so the
# choice does not depend on update-alternatives; `auto` takes whatever FindMPI finds.
set(PIXMPI_MPI mpich CACHE STRING "mpich, openmpi or auto")
set_property(CACHE PIXMPI_MPI PROPERTY STRINGS mpich openmpi auto)

if(NOT PIXMPI_MPI STREQUAL auto)
    find_program(MPI_C_COMPILER NAMES mpicc.${PIXMPI_MPI})
    find_program(MPI_CXX_COMPILER NAMES mpicxx.${PIXMPI_MPI} mpic++.${PIXMPI_MPI})
    find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${PIXMPI_MPI})
endif()
find_package(MPI REQUIRED COMPONENTS C)
# We call MPI's C functions from C++; its C++ bindings would want a library of their own.
target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
