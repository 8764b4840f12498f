/* A GLUT program built with the drop-in header. */
#include <GL/glut.h>
#ifndef MPIGLUT_H
#error "the drop-in GL/glut.h is not the one that was found"
#endif
#include "includes_mpiglut.c"
