#include "../icet_pixmpi_types.h"
