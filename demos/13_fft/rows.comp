// The Fourier transform of rows of complex numbers, a workgroup for each row: in shared memory, by halves (Cooley and
// Tukey), in place. Afterwards element k of row r may be turned by exp(-2 pi i r k / all).
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) buffer Rows { vec2 rows[]; };
layout(push_constant) uniform Push {
    uint length, bits; // of a row: a power of two, and which one; at most 4096
    uint first;        // number of the first row among those of all ranks
    uint all;          // 0: nothing is turned
};

const float turn = 6.28318530717958647692;
shared vec2 row[4096];

vec2 times(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
vec2 turned(float part) { return vec2(cos(turn * part), -sin(turn * part)); }

void main() {
    uint me = gl_LocalInvocationIndex, base = gl_WorkGroupID.x * length;
    for (uint i = me; i < length; i += 64u)
        row[bitfieldReverse(i) >> (32u - bits)] = rows[base + i];
    barrier();
    for (uint size = 2u; size <= length; size *= 2u) {
        uint part = size / 2u;
        for (uint i = me; i < length / 2u; i += 64u) {
            uint k = i % part, low = (i / part) * size + k;
            vec2 a = row[low], b = times(row[low + part], turned(float(k) / float(size)));
            row[low] = a + b;
            row[low + part] = a - b;
        }
        barrier();
    }
    uint number = first + gl_WorkGroupID.x;
    for (uint k = me; k < length; k += 64u) {
        vec2 value = row[k];
        if (all != 0u) // a power of two: the product may pass the range, what is left of it is right
            value = times(value, turned(float((number * k) & (all - 1u)) / float(all)));
        rows[base + k] = value;
    }
}
