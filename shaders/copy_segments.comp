// Copies a list of byte segments from one buffer to another, whatever their alignment: how regions that are many small
// pieces get into a stage and out of it. One invocation for each word that is written. Its segment is found by binary
// search over the segments' first words, so that all invocations have the same work, however unequal the segments are.
#version 450
layout(local_size_x = 64) in;

struct Segment {
    uint from, to, bytes; // byte offsets
    uint first;           // words that segments before it write
};
layout(std430, set = 0, binding = 0) readonly buffer Segments { Segment segments[]; };
layout(std430, set = 0, binding = 1) readonly buffer From { uint from_words[]; };
layout(std430, set = 0, binding = 2) buffer To { uint to_words[]; };
layout(push_constant) uniform Sizes {
    uint count;        // segments
    uint words;        // that all of them write
    uint row;          // invocations in a row of workgroups
    uint from_offset;  // bytes, added to each segment's
    uint to_offset;
};

uint find(uint word) {
    uint low = 0u, high = count;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (segments[middle].first <= word)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void main() {
    uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * row;
    if (i >= words)
        return;
    Segment s = segments[find(i)];
    uint to = s.to + to_offset, end = to + s.bytes;
    uint word = to / 4u + (i - s.first);
    uint first = max(to, word * 4u), last = min(end, word * 4u + 4u); // bytes of this word that are the segment's
    uint from = s.from + from_offset + (first - to);
    uint shift = from % 4u * 8u, bytes = last - first;
    uint value = from_words[from / 4u] >> shift;
    if (from % 4u + bytes > 4u)
        value |= from_words[from / 4u + 1u] << (32u - shift);
    if (bytes == 4u) {
        to_words[word] = value;
        return;
    }
    // The word's other bytes belong to other segments, which other invocations write at the same time, or to none.
    uint mask = ((1u << bytes * 8u) - 1u) << first % 4u * 8u;
    atomicAnd(to_words[word], ~mask);
    atomicOr(to_words[word], value << first % 4u * 8u & mask);
}
