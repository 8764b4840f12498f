/* Balls that a program draws by the CPU: a ray through the middle of each pixel, by whatever matrices. */
#ifndef BALLS_H
#define BALLS_H

struct ball {
    double center[3], radius;
    float color[4]; /* multiplied by its alpha */
};

/* Matrices are OpenGL's: column by column. */
void perspective(double degrees, double aspect, double near, double far, double matrix[16]);
void look_from(const double eye[3], double turned, double matrix[16]); /* about the vertical axis, in radians */

/* What a ray meets first at the middle of pixel (x, y) of a picture of width x height: the ball, and its depth from 0
 * to 1; or -1. `ray` is from prepare_rays. */
struct rays {
    double clip[16], world[16]; /* projection times modelview, and its inverse */
    int width, height;
};
void prepare_rays(const double projection[16], const double modelview[16], int width, int height, struct rays *rays);
int first_ball(const struct rays *rays, int x, int y, const struct ball *balls, int count, float *depth);

#endif
