#include "../icet_pixmpi_mpi.h"
