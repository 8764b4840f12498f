#include "../icet_pixmpi_gl.h"

#include <GL/gl.h>
