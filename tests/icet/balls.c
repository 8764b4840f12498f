#include "balls.h"

#include <math.h>
#include <string.h>

static void multiply(const double a[16], const double b[16], double product[16]) {
    for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 4; ++row) {
            double sum = 0;
            for (int k = 0; k < 4; ++k)
                sum += a[4 * k + row] * b[4 * column + k];
            product[4 * column + row] = sum;
        }
}

static void apply(const double matrix[16], const double point[4], double result[4]) {
    for (int row = 0; row < 4; ++row) {
        result[row] = 0;
        for (int column = 0; column < 4; ++column)
            result[row] += matrix[4 * column + row] * point[column];
    }
}

/* By elimination, with the largest pivot of each column. */
static void invert(const double matrix[16], double inverse[16]) {
    double left[16], right[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(left, matrix, sizeof left);
    for (int column = 0; column < 4; ++column) {
        int pivot = column;
        for (int row = column + 1; row < 4; ++row)
            if (fabs(left[4 * column + row]) > fabs(left[4 * column + pivot]))
                pivot = row;
        for (int k = 0; k < 4; ++k) {
            const double a = left[4 * k + column], b = right[4 * k + column];
            left[4 * k + column] = left[4 * k + pivot];
            left[4 * k + pivot] = a;
            right[4 * k + column] = right[4 * k + pivot];
            right[4 * k + pivot] = b;
        }
        const double scale = 1 / left[4 * column + column];
        for (int k = 0; k < 4; ++k) {
            left[4 * k + column] *= scale;
            right[4 * k + column] *= scale;
        }
        for (int row = 0; row < 4; ++row) {
            const double factor = left[4 * column + row];
            for (int k = 0; k < 4 && row != column; ++k) {
                left[4 * k + row] -= factor * left[4 * k + column];
                right[4 * k + row] -= factor * right[4 * k + column];
            }
        }
    }
    memcpy(inverse, right, sizeof right);
}

void perspective(double degrees, double aspect, double near, double far, double matrix[16]) {
    const double scale = 1 / tan(degrees * 3.14159265358979 / 360);
    memset(matrix, 0, 16 * sizeof matrix[0]);
    matrix[0] = scale / aspect;
    matrix[5] = scale;
    matrix[10] = (far + near) / (near - far);
    matrix[11] = -1;
    matrix[14] = 2 * far * near / (near - far);
}

void look_from(const double eye[3], double turned, double matrix[16]) {
    const double c = cos(turned), s = sin(turned);
    const double rotation[16] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, 0, 0, 0, 1};
    const double move[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -eye[0], -eye[1], -eye[2], 1};
    multiply(rotation, move, matrix);
}

void prepare_rays(const double projection[16], const double modelview[16], int width, int height, struct rays *rays) {
    multiply(projection, modelview, rays->clip);
    invert(rays->clip, rays->world);
    rays->width = width;
    rays->height = height;
}

static void at_depth(const struct rays *rays, int x, int y, double z, double point[3]) {
    const double clip[4] = {(x + 0.5) / rays->width * 2 - 1, (y + 0.5) / rays->height * 2 - 1, z, 1};
    double world[4];
    apply(rays->world, clip, world);
    for (int i = 0; i < 3; ++i)
        point[i] = world[i] / world[3];
}

int first_ball(const struct rays *rays, int x, int y, const struct ball *balls, int count, float *depth) {
    double near[3], far[3], direction[3], best = 2;
    int found = -1;
    at_depth(rays, x, y, -1, near);
    at_depth(rays, x, y, 1, far);
    for (int i = 0; i < 3; ++i)
        direction[i] = far[i] - near[i];
    for (int n = 0; n < count; ++n) {
        double a = 0, b = 0, c = -balls[n].radius * balls[n].radius;
        for (int i = 0; i < 3; ++i) {
            const double from = near[i] - balls[n].center[i];
            a += direction[i] * direction[i];
            b += direction[i] * from;
            c += from * from;
        }
        if (b * b < a * c)
            continue;
        const double along = (-b - sqrt(b * b - a * c)) / a;
        if (along < 0 || along > 1 || along >= best)
            continue;
        best = along;
        found = n;
    }
    if (found >= 0) {
        double clip[4];
        const double point[4] = {near[0] + best * direction[0], near[1] + best * direction[1],
                                 near[2] + best * direction[2], 1};
        apply(rays->clip, point, clip);
        *depth = (float)(clip[2] / clip[3] / 2 + 0.5);
    }
    return found;
}
