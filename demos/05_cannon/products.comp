// A product in one run: skews the blocks, multiplies, shifts, multiplies, until every block has met all its partners. All
// workgroups of a process are its one slot. Workgroup 0 puts the blocks that this process has into its neighbours as
// soon as they have come, and while they travel all workgroups multiply. A block lies in memory three times: as it is
// at first, and twice, alternately, as it comes from a neighbour. A neighbour puts the next one where the last but one
// was, once all workgroups have read and put that; a signal says so.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 8, local_size_y = 8) in;
#define PM_KEEP_WORDS 2
#include "pixmpi_device.glsl"
PM_BUFFER(0) coherent volatile buffer Blocks { vec4 blocks[]; }; // three of A, three of B
PM_BUFFER(1) buffer C { vec4 c[]; };
PM_BUFFER(2) coherent buffer Arrived { uint arrived[2]; };       // workgroups, in all even and all odd steps
layout(push_constant) uniform Push {
    int rows, columns, inner; // C has rows x columns, A rows x inner, B inner x columns; all are multiples of 4
    int side;                 // of the grid of processes
    uint before;              // products that have been counted so far
    uint alone;               // 1: without messages, of whatever there is
};

#define DONE pm_keep[0]  // steps
#define ROUND pm_keep[1] // of this workgroup's tiles
// Signals, and what they count: blocks that have come, neighbours that may be put into, steps that are computed.
const uint skewed_a = 0u, skewed_b = 1u, came_a = 2u, came_b = 3u, free_a = 4u, free_b = 5u, computed = 6u;
const int edge = 32, depth = 16; // of a tile of C, in elements; elements of `inner` that are summed up at a time

shared vec4 part_of_a[edge * depth / 4], part_of_b[depth * edge / 4];

int size_a() { return rows * (inner / 4); }
int size_b() { return inner * (columns / 4); }
int begin_a(uint which) { return int(which) * size_a(); } // 0: as it is at first; then turn by turn
int begin_b(uint which) { return 3 * size_a() + int(which) * size_b(); }
uint turn() { return 1u + (DONE & 1u); }
uint next_turn() { return 2u - (DONE & 1u); }
int process_at(int row, int column) { return (row + side) % side * side + (column + side) % side; }
int row() { return int(pm_process()) / side; }
int column() { return int(pm_process()) % side; }
uint shifts() { return uint(side - 1); }
uint frees() { return uint(max(side - 2, 0)); }

bool put_a(int to, uint from, uint where, uint signal) {
    return pm_put_signal(to, 0u, 16u * uint(begin_a(where)), 0u, 16u * uint(begin_a(from)), 16u * uint(size_a()), signal,
                         PM_SIGNAL_ADD, 1u);
}
bool put_b(int to, uint from, uint where, uint signal) {
    return pm_put_signal(to, 0u, 16u * uint(begin_b(where)), 0u, 16u * uint(begin_b(from)), 16u * uint(size_b()), signal,
                         PM_SIGNAL_ADD, 1u);
}
bool has_come(uint skewed, uint came) {
    return DONE == 0u ? pm_signal_wait_until(skewed, PM_GE, before + 1u)
                      : pm_signal_wait_until(came, PM_GE, before * shifts() + DONE);
}
bool is_free(uint signal) { return DONE == 0u || pm_signal_wait_until(signal, PM_GE, before * frees() + DONE); }

// An invocation computes 4 x 4 elements of a tile. The blocks are read by volatile loads, once by each workgroup.
void multiply(int tile) {
    int across = (columns + edge - 1) / edge, wide = columns / 4, deep = inner / 4;
    int first_row = tile / across * edge, first_column = tile % across * (edge / 4);
    int my_row = int(gl_LocalInvocationID.y), my_column = int(gl_LocalInvocationID.x), lane = int(PM_LANE);
    vec4 sum[4] = vec4[](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
    for (int begin = 0; begin < deep; begin += depth / 4) {
        for (int i = lane; i < edge * depth / 4; i += 64) {
            int y = first_row + i / (depth / 4), k = begin + i % (depth / 4);
            part_of_a[i] = y < rows && k < deep ? blocks[begin_a(turn()) + y * deep + k] : vec4(0.0);
            int row_of_b = 4 * begin + i / (edge / 4), x = first_column + i % (edge / 4);
            part_of_b[i] = row_of_b < inner && x < wide ? blocks[begin_b(turn()) + row_of_b * wide + x] : vec4(0.0);
        }
        barrier();
        for (int k = 0; k < depth / 4; ++k) {
            mat4 of_b;
            for (int j = 0; j < 4; ++j)
                of_b[j] = part_of_b[(4 * k + j) * (edge / 4) + my_column];
            for (int i = 0; i < 4; ++i)
                sum[i] += of_b * part_of_a[(4 * my_row + i) * (depth / 4) + k];
        }
        barrier();
    }
    int y = first_row + 4 * my_row, x = first_column + my_column;
    for (int i = 0; i < 4 && y < rows && x < wide; ++i) {
        int at = (y + i) * wide + x;
        c[at] = DONE == 0u ? sum[i] : c[at] + sum[i];
    }
}
int tiles() { return (rows + edge - 1) / edge * ((columns + edge - 1) / edge); }
int tile() { return int(ROUND * pm_workgroups() + pm_workgroup()); }
bool talks() { return alone == 0u; }
bool leads() { return talks() && pm_workgroup() == 0u; }

void main() {
    PM_BEGIN(0u)
    PM_STEP(1) if (leads()) PM_AWAIT(put_a(process_at(row(), column() - row()), 0u, 1u, skewed_a))
    PM_STEP(2) if (leads()) PM_AWAIT(put_b(process_at(row() - column(), column()), 0u, 1u, skewed_b))

    PM_STEP(3) if (talks()) PM_AWAIT(has_come(skewed_a, came_a))
    PM_STEP(4) if (talks()) PM_AWAIT(has_come(skewed_b, came_b))
    if (!leads() || DONE == shifts()) PM_GOTO(9)
    PM_STEP(5) PM_AWAIT(is_free(free_a))
    PM_STEP(6) PM_AWAIT(put_a(process_at(row(), column() - 1), turn(), next_turn(), came_a))
    PM_STEP(7) PM_AWAIT(is_free(free_b))
    PM_STEP(8) PM_AWAIT(put_b(process_at(row() - 1, column()), turn(), next_turn(), came_b))

    PM_STEP(9)
    if (tile() < tiles()) multiply(tile());
    pm_count(uint(2 * inner));
    pm_set(1u, ROUND + 1u);
    if (tile() < tiles()) PM_GOTO(9)
    pm_set(1u, 0u);
    PM_STEP(10) // the last workgroup that has computed this step says so; others may be one step ahead
    {
        uint others = 0u;
        if (PM_LANE == 0u) others = atomicAdd(arrived[DONE & 1u], 1u);
        pm_set(1u, (others + 1u) % pm_workgroups() == 0u ? 1u : 0u);
    }
    PM_STEP(11) if (talks() && ROUND == 1u) PM_AWAIT(pm_signal_add(pm_rank(), computed, 1u))
    if (!leads() || DONE + 2u > shifts()) PM_GOTO(16)
    PM_STEP(12) PM_AWAIT(pm_signal_wait_until(computed, PM_GE, before * uint(side) + DONE + 1u))
    PM_STEP(13) PM_AWAIT(pm_quiet())
    PM_STEP(14) PM_AWAIT(pm_signal_add(process_at(row(), column() + 1), free_a, 1u))
    PM_STEP(15) PM_AWAIT(pm_signal_add(process_at(row() + 1, column()), free_b, 1u))
    PM_STEP(16)
    pm_set(1u, 0u);
    pm_set(0u, DONE + 1u);
    if (DONE <= shifts()) PM_GOTO(3)
    PM_END
}
