/* Drop-in for <GL/glut.h>: put this folder first on the include path and a GLUT program is an mpiglut program. */
#ifndef MPIGLUT_DROPIN_GLUT_H
#define MPIGLUT_DROPIN_GLUT_H
#include <GL/mpiglut.h>
#endif
