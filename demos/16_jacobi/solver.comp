// All steps of all bands of a process, in one run: a workgroup has a band, puts its outer rows into the neighbouring
// bands, waits for theirs, and computes. Bands of the same process lie in the same memory, so their rows are stored
// there. The change is the maximum of all workgroups of all processes.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define PM_KEEP_WORDS 3
#define PM_OWN_WORDS 1
#include "pixmpi_device.glsl"
#include "cells.glsl"
PM_BUFFER(0) coherent volatile buffer Field { float field[]; };

#define DONE pm_keep[0]
#define CELL pm_keep[1]
#define CHANGE pm_keep[2]
const uint from_below = 0u, from_above = 1u; // signals
const uint piece = 16u;                      // cells of an invocation between two looks at its turns
const uint at_once = 8u;                     // of these that are read before the first one is written

shared uint largest;

uint turn() { return first + DONE; }
uint cells() { return uint(width * rows_of(pm_rank())); }
bool is_band(int which) { return which >= 0 && which < pm_all_slots() && rows_of(which) > 0; }
uint slot_of(int which) { return uint(which) % pm_slots(); }
bool put_row(int to, uint their_row, uint row, uint signal) {
    uint theirs = before(slot_of(to), turn()) + their_row * uint(width);
    uint mine = before(pm_workgroup(), turn()) + row * uint(width);
    if (!pm_is_here(to))
        return pm_put_signal(to, 0u, theirs * 4u, 0u, mine * 4u, uint(width) * 4u, signal, PM_SIGNAL_ADD, 1u);
    for (uint x = PM_LANE; x < uint(width); x += PM_LANES) field[theirs + x] = field[mine + x];
    pm_count(uint(width) / PM_LANES + 1u);
    memoryBarrierBuffer();
    return pm_signal_add(to, signal, 1u);
}
void compute(uint first_cell) {
    uint base = before(pm_workgroup(), turn()) + uint(width), next = before(pm_workgroup(), turn() + 1u) + uint(width);
    float old[at_once], value[at_once];
    for (uint i = 0u; i < at_once; ++i) {
        uint cell = min(first_cell + i * PM_LANES, cells() - 1u), x = cell % uint(width), at = base + cell;
        float left = x > 0u ? field[at - 1u] : 0.0, right = x + 1u < uint(width) ? field[at + 1u] : 0.0;
        old[i] = field[at];
        value[i] = 0.25 * ((field[at - uint(width)] + field[at + uint(width)]) + (left + right));
    }
    for (uint i = 0u; i < at_once; ++i) {
        uint cell = first_cell + i * PM_LANES;
        if (cell >= cells()) break;
        field[next + cell] = value[i];
        // Positive numbers are in the order of their bits.
        pm_own[0] = max(pm_own[0], floatBitsToUint(abs(value[i] - old[i])));
    }
}

void main() {
    PM_BEGIN(pm_workgroup())
    // A row may be put again two steps later only. The neighbouring band has sent its own row of the step between by
    // then, and before that it had this one: no workgroup has to wait for puts.
    PM_STEP(1)
    if (cells() > 0u && is_band(pm_rank() - 1)) PM_AWAIT(put_row(pm_rank() - 1, uint(rows) + 1u, 1u, from_below))
    PM_STEP(2)
    if (is_band(pm_rank() + 1)) PM_AWAIT(put_row(pm_rank() + 1, 0u, uint(rows), from_above))
    PM_STEP(3)
    if (cells() > 0u && is_band(pm_rank() - 1)) PM_AWAIT(pm_signal_wait_until(from_above, PM_GE, turn() + 1u))
    PM_STEP(4)
    if (is_band(pm_rank() + 1)) PM_AWAIT(pm_signal_wait_until(from_below, PM_GE, turn() + 1u))
    pm_set(1u, 0u);
    PM_STEP(5)
    if (cells() > 0u)
        for (uint i = 0u; i < piece; i += at_once) compute(CELL + i * PM_LANES + PM_LANE);
    pm_count(piece);
    pm_set(1u, CELL + piece * PM_LANES);
    if (CELL < cells()) PM_GOTO(5)
    memoryBarrierBuffer();
    pm_set(0u, DONE + 1u);
    if (DONE % every != 0u) PM_GOTO(1)
    PM_STEP(6)
    barrier();
    if (PM_LANE == 0u) largest = 0u;
    barrier();
    atomicMax(largest, pm_own[0]);
    barrier();
    if (PM_LANE == 0u) pm_data[0] = largest;
    PM_AWAIT(pm_allreduce(PM_MAX, PM_FLOAT, 1u))
    pm_own[0] = 0u;
    pm_set(2u, pm_data[0]);
    if (DONE < steps && uintBitsToFloat(CHANGE) > enough) PM_GOTO(1)
    if (pm_workgroup() == 0u && PM_LANE == 0u) { // behind all bands: how it ended
        field[before(pm_slots(), 0u)] = uintBitsToFloat(CHANGE);
        field[before(pm_slots(), 0u) + 1u] = float(DONE);
    }
    PM_END
}
