#include "../icet_pixmpi.h"
