#include "../icet_pixmpi_gl3.h"
