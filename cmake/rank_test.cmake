# add_rank_test(NAME TARGET RANKS... [ARGS arg...] [ENVIRONMENT name=value...] [TIMEOUT seconds])
# A test NAME.n for each number n of ranks: the program under the mpiexec of the MPI that we build for. More ranks than cores
# are normal here, so ranks are not bound to cores and yield while they wait. Mesa's llvmpipe draws in the thread that asks
# for it (LP_NUM_THREADS=0): handing scenes over to another thread takes twice the processor's time.
set(rank_test_environment
    LP_NUM_THREADS=0
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
    UCX_HANDLE_ERRORS=none
    HWLOC_COMPONENTS=-gl) # else MPICH asks an X server for GPUs, which may be another test's and just ending
# How many times as long as usual a test may take before it counts as hanging: ThreadSanitizer takes ten times as long
# where there is much to compare.
set(patience 1)
if(PIXMPI_SANITIZE MATCHES thread)
    set(patience 5)
elseif(PIXMPI_SANITIZE)
    set(patience 3)
endif()
if(PIXMPI_SANITIZE)
    # MPI libraries and drivers keep memory until the end, and UCX patches what the sanitizer has replaced.
    list(APPEND rank_test_environment ASAN_OPTIONS=detect_leaks=0 UCX_MEM_EVENTS=no)
endif()

function(add_rank_test name target)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "ARGS;ENVIRONMENT")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    math(EXPR arg_TIMEOUT "${patience} * ${arg_TIMEOUT}")
    foreach(ranks ${arg_UNPARSED_ARGUMENTS})
        # Ranks wait for each other by turns: up to four of them leave half of two cores to another test. What needs two
        # places begins first: later on it would wait until two are free, at the very end.
        set(processors 1)
        set(cost 0)
        if(ranks GREATER 4)
            set(processors 2)
            set(cost 110)
        endif()
        add_test(NAME ${name}.${ranks} COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:${target}> ${arg_ARGS})
        set_tests_properties(${name}.${ranks} PROPERTIES
            TIMEOUT ${arg_TIMEOUT} PROCESSORS ${processors} COST ${cost} LABELS ranks
            ENVIRONMENT "${rank_test_environment};${arg_ENVIRONMENT}")
    endforeach()
endfunction()
