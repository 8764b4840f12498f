// Two sorted runs become one: keys [0, run) and [run, pair) of each `pair` of keys. An invocation writes 32 keys, and
// finds by bisection how many of them come from either run. With run 0 it sorts its 32 keys itself.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) readonly buffer From { uint from[]; };
layout(binding = 1, std430) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Push {
    uint count, run, pair; // a pair is a multiple of 32
    uint width;            // invocations in a row
};

void sort_alone(uint first, uint end) {
    uint keys[32];
    uint n = end - first;
    for (uint i = 0u; i < n; ++i) {
        uint key = from[first + i], j = i;
        for (; j > 0u && keys[j - 1u] > key; --j)
            keys[j] = keys[j - 1u];
        keys[j] = key;
    }
    for (uint i = 0u; i < n; ++i)
        to[first + i] = keys[i];
}

void main() {
    uint first = 32u * (gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x);
    if (gl_GlobalInvocationID.x >= width || first >= count)
        return;
    uint end = min(first + 32u, count);
    if (run == 0u) {
        sort_alone(first, end);
        return;
    }
    uint base = first / pair * pair, a = base, a_end = min(base + run, count), b_end = min(base + pair, count);
    uint b = a_end, before = first - base; // keys of the pair that other invocations write
    uint a_count = a_end - a, b_count = b_end - b;
    uint low = before > b_count ? before - b_count : 0u, high = min(before, a_count);
    while (low < high) { // how many of those come from a
        uint middle = (low + high) / 2u;
        if (from[a + middle] <= from[b + before - 1u - middle])
            low = middle + 1u;
        else
            high = middle;
    }
    a += low;
    b += before - low;
    for (uint i = first; i < end; ++i) {
        bool of_a = b >= b_end || (a < a_end && from[a] <= from[b]);
        to[i] = of_a ? from[a++] : from[b++];
    }
}
