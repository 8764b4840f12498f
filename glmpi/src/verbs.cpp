#include "glmpi.h"
