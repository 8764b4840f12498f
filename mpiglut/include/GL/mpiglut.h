/* mpiglut: GLUT programs on tiled display walls.
 *
 * Include this header instead of <GL/glut.h> and link libmpiglut before libglut (the package does both); or change
 * nothing and let mpiglutrun preload the library. Either way the program goes on using GLUT and GL as before. The few
 * calls below are for programs that want to know about the wall.
 *
 * Words. The *wall* is what all tiles show together; a *tile* is the part that one process shows; *rank* is the number
 * of that process, 0 to size-1. Wall coordinates are pixels, x to the right, y down, (0,0) at the wall's top left.
 *
 * A program may make every call at any time after glutInit, from the thread that runs the GLUT main loop. A program
 * that was started plainly, without mpiglutrun, has one rank, and the wall and its one tile are the first window.
 *
 * Source: the calls and the idea follow O. Lawlor, M. Page, J. Genetti, "MPIglut: Powerwall Programming Made Easier",
 * WSCG 2008.
 */
#ifndef MPIGLUT_H
#define MPIGLUT_H

#include <stddef.h>

#include <GL/freeglut.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return codes of the calls that return int and are not plain getters. */
#define MPIGLUT_SUCCESS 0
#define MPIGLUT_ERR_ARG 1      /* a null pointer where a result belongs */
#define MPIGLUT_ERR_STATE 2    /* before glutInit, or before there is a window where one is needed */
#define MPIGLUT_ERR_DIVERGED 3 /* the ranks did not all make this call, or not with the same size */

/* The rank of this process, and how many there are. 0 and 1 without a launcher. */
int mpiglutGetRank(void);
int mpiglutGetSize(void);

/* The name of this rank's tile as messages write it, such as "(1,0)" for column 1, row 0. Never null; owned by the
 * library and valid until the program ends. */
const char *mpiglutGetTileName(void);

/* The wall's size in pixels. Either pointer may be null. A wall that is cut from the program's windows has the size of
 * the current window, or of the top-level window that the current window lies in.
 * Returns MPIGLUT_SUCCESS; MPIGLUT_ERR_STATE, outputs unchanged, while such a wall has no window yet. */
int mpiglutGetWallSize(int *width, int *height);

/* This rank's tile in wall pixels: rect[0..3] = x, y (top left corner), width, height.
 * This call, mpiglutGetTileRectMillimetres and mpiglutGetTileMatrixf tell a program what is different on each tile.
 * From the first of these calls on the check for divergence does not compare the values that the program hands to GL.
 * Returns MPIGLUT_SUCCESS, MPIGLUT_ERR_ARG, or MPIGLUT_ERR_STATE as mpiglutGetWallSize. */
int mpiglutGetTileRect(int rect[4]);

/* The tile in millimetres, as the wall file gives it: rect[0..3] = x, y, width, height; all 0 when the file gives no
 * millimetres.
 * Return codes as for mpiglutGetTileRect. */
int mpiglutGetTileRectMillimetres(double rect[4]);

/* The matrix (column-major, as for glLoadMatrixf) that the program still has to put in front of its projection to get
 * its tile's part of the picture. In the MPIglut of 2008 that was the tile's scale and shift, for programs that hand
 * matrices to their own shaders. This library shifts viewports instead, which reaches shaders too. So nothing is left
 * to do, and the result is the identity; programs that multiply by it stay right. mpiglutGetTileMatrixf gives the
 * tile's actual place in the window, as frustum culling wants it. A null `m` is ignored. */
void mpiglutGetSubwindowMatrixf(float m[16]);

/* The matrix (column-major) from clip coordinates of the whole current window to clip coordinates of this rank's part
 * of that window. The matrix is for culling and for level of detail; do not put it in front of the projection.
 * Returns MPIGLUT_SUCCESS, MPIGLUT_ERR_ARG, or MPIGLUT_ERR_STATE without a current window. */
int mpiglutGetTileMatrixf(float m[16]);

/* Agreement on a value, for what the library cannot replicate on its own (a file that changes, a random device, a
 * network message): afterwards `value` holds rank 0's `bytes` bytes on every rank. Every rank has to make this call, in
 * the same order and with the same size.
 * Returns MPIGLUT_SUCCESS, MPIGLUT_ERR_ARG (null with bytes > 0), MPIGLUT_ERR_STATE before glutInit, or
 * MPIGLUT_ERR_DIVERGED, value unchanged, when some rank did something else instead. */
int mpiglutAgree(void *value, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
