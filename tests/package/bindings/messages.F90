! Messages from Fortran by bind(C): the constructors are functions, a surface is a value.
! On two ranks; rank 1 prints what has arrived.
module pixmpi
    use, intrinsic :: iso_c_binding
    implicit none

    type, bind(C) :: surface
        type(c_ptr) :: data
        integer(c_int64_t) :: offset
        integer(c_intptr_t) :: row_bytes
        integer(c_int) :: format, width, height
        integer(c_int8_t) :: codec(4), api, kind, as, has_part
        integer(c_int) :: part(4), name
    end type

    interface
        function pixmpi_format_named(name) bind(C, name="pixMPI_Format_named") result(format)
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int) :: format
        end function
        function pixmpi_memory(data, format, width, height) bind(C, name="pixMPI_Memory") result(made)
            import
            type(c_ptr), value :: data
            integer(c_int), value :: format, width, height
            type(surface) :: made
        end function
        ! Communicators: a word, of which MPICH looks at the lower half.
        function pixmpi_comm_attach(comm, options) bind(C, name="pixMPI_Comm_attach") result(code)
            import
            integer(c_intptr_t), value :: comm
            type(c_ptr), value :: options
            integer(c_int) :: code
        end function
        function pixmpi_sendrecv_replace(pixels, region, dest, sendtag, source, recvtag, comm, status) &
            bind(C, name="pixMPI_Sendrecv_replace") result(code)
            import
            type(surface), value :: pixels
            integer(c_intptr_t), value :: region, comm, status
            integer(c_int), value :: dest, sendtag, source, recvtag
            integer(c_int) :: code
        end function
        subroutine init(argc, argv) bind(C, name="MPI_Init")
            import
            type(c_ptr), value :: argc, argv
        end subroutine
        subroutine comm_rank(comm, rank) bind(C, name="MPI_Comm_rank")
            import
            integer(c_intptr_t), value :: comm
            integer(c_int), intent(out) :: rank
        end subroutine
        subroutine finalize() bind(C, name="MPI_Finalize")
        end subroutine
    end interface
end module

program messages
    use pixmpi
    implicit none
#ifdef OPEN_MPI
    integer(c_intptr_t), parameter :: ignore = 0
    integer(c_int), bind(C, name="ompi_mpi_comm_world"), target :: world_object
    integer(c_intptr_t) :: world
#else
    integer(c_intptr_t), parameter :: ignore = 1, world = int(z"44000000", c_intptr_t)
#endif
    integer(c_intptr_t), parameter :: whole = 1
    integer(c_int), target :: pixels(2, 3)
    integer(c_int) :: rank
#ifdef OPEN_MPI
    world = transfer(c_loc(world_object), world)
#endif

    call init(c_null_ptr, c_null_ptr)
    call comm_rank(world, rank)
    pixels = 10 * (rank + 1)
    pixels(2, 3) = rank
    if (pixmpi_comm_attach(world, c_null_ptr) /= 0) stop 1
    if (pixmpi_sendrecv_replace( &
            pixmpi_memory(c_loc(pixels), pixmpi_format_named("R32I" // c_null_char), 2, 3), whole, 1 - rank, 1, &
            1 - rank, 1, world, ignore) /= 0) stop 2
    if (rank == 1) print '(6(i0, 1x))', pixels
    call finalize()
end program
