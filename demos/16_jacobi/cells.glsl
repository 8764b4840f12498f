// What the two shaders share: which cells there are, and what becomes of one. A band of rows lies in memory twice, for
// even and for odd steps, each time between two rows of the neighbouring bands.
layout(push_constant) uniform Push {
    int width, height, rows; // of the field; of a band (the last ones may have fewer)
    uint first, steps, every; // steps that have been done before, steps to do, and after how many the change is summed up
    float enough;             // the change at which that ends
    int band;                 // where the host says which
};

int rows_of(int which) { return clamp(height - which * rows, 0, rows); }
/// Where the row above the first one begins, of the bands of this process.
uint before(uint slot, uint turn) { return (slot * 2u + (turn & 1u)) * uint((rows + 2) * width); }
