// A step of the wave equation: second order in time, eighth in space, 25 points. Beside the volume everything is zero.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) readonly buffer Now { float now[]; };
layout(binding = 1, std430) buffer Next { float next[]; }; // holds the step before
layout(push_constant) uniform Push {
    int width, height; // of a plane
    int first, count;  // planes that are computed
    float speed;       // (c dt / dx)^2
};

const float weights[5] = float[](-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0);

float at(int x, int y, int place) {
    return x < 0 || y < 0 || x >= width || y >= height ? 0.0 : now[place];
}

void main() {
    int x = int(gl_GlobalInvocationID.x), row = int(gl_GlobalInvocationID.y);
    if (x >= width || row >= height * count)
        return;
    int y = row % height, plane = width * height, place = first * plane + row * width + x;
    float sum = 3.0 * weights[0] * now[place];
    for (int i = 1; i <= 4; ++i)
        sum += weights[i] * (at(x - i, y, place - i) + at(x + i, y, place + i) + at(x, y - i, place - i * width) +
                             at(x, y + i, place + i * width) + now[place - i * plane] + now[place + i * plane]);
    next[place] = 2.0 * now[place] - next[place] + speed * sum;
}
