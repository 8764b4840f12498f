// C = A B, or C += A B. An invocation computes 4 x 4 elements from 4 rows and 4 columns, so that what it reads is of use four
// times.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) readonly buffer A { vec4 a[]; };
layout(binding = 1, std430) readonly buffer B { vec4 b[]; };
layout(binding = 2, std430) buffer C { vec4 c[]; };
layout(push_constant) uniform Push {
    int rows, columns, inner; // C has rows x columns, A rows x inner, B inner x columns; all are multiples of 4
    int add;
};

void main() {
    int row = 4 * int(gl_GlobalInvocationID.y), column = int(gl_GlobalInvocationID.x);
    int width = columns / 4, depth = inner / 4;
    if (row >= rows || column >= width)
        return;
    vec4 sum[4];
    for (int i = 0; i < 4; ++i)
        sum[i] = add != 0 ? c[(row + i) * width + column] : vec4(0.0);
    for (int k = 0; k < depth; ++k) {
        mat4 of_b;
        for (int j = 0; j < 4; ++j)
            of_b[j] = b[(4 * k + j) * width + column];
        for (int i = 0; i < 4; ++i)
            sum[i] += of_b * a[(row + i) * depth + k];
    }
    for (int i = 0; i < 4; ++i)
        c[(row + i) * width + column] = sum[i];
}
