// Messages from inside a running compute shader: what a shader includes. One file for Vulkan GLSL, OpenGL GLSL 4.50
// and, through glslang, SPIR-V. docs/reference/device.md says what there is; <pixmpi_device.h> has the host's side.
//
//     layout(local_size_x = 64) in;
//     #define PM_KEEP_WORDS 1                          // registers of a workgroup that survive a suspension
//     #include "pixmpi_device.glsl"
//     void main() {
//         PM_BEGIN(pm_workgroup())                       // which slot this workgroup is
//         PM_STEP(1) PM_AWAIT(pm_send(1, TAG, 0, 0, 256))
//         PM_STEP(2) PM_AWAIT(pm_recv(1, TAG, 0, 0, 256))
//         pm_set(0, pm_keep[0] + 1);
//         if (pm_keep[0] < ROUNDS) PM_GOTO(1)
//         PM_END
//     }
//
// All calls are the workgroup's: all its invocations make them, with the same arguments, and share the copying. If a
// call in PM_AWAIT waits for longer than its budget, the workgroup ends. The host dispatches it again when the wait is
// over, and it begins at its last PM_STEP. So a step has one PM_AWAIT and is repeatable up to it, and variables do not
// outlive the step. Values that must are in pm_keep (of the workgroup) and pm_own (of an invocation). All invocations
// also make the calls named _each or _subgroup, but with their own arguments.
//
// The words below are the one description of what lies in the memory that shader and host share. C++ includes them too.
#ifndef PIXMPI_DEVICE_GLSL
#define PIXMPI_DEVICE_GLSL

// pm_in: written by the host. First a header.
#define PM_IN_GROUPS 0u         // workgroups of the run
#define PM_IN_SLOTS 1u          // of this process
#define PM_IN_FIRST 2u          // the rank of its first one
#define PM_IN_ALL_SLOTS 3u      // of all processes; ranks from there on are the processes
#define PM_IN_PROCESSES 4u
#define PM_IN_PROCESS 5u        // which of them this is
#define PM_IN_BUDGET 6u         // how often a wait looks again
#define PM_IN_MOST_TURNS 7u     // of all loops, in one dispatch
#define PM_IN_RING 8u           // entries of a workgroup's ring, a power of two
#define PM_IN_CALLS 9u          // of a workgroup that are under way at once, at most 32
#define PM_IN_PAYLOAD 10u       // words of data in an entry, and in a result
#define PM_IN_STATE 11u         // words of a workgroup's state in pm_kept
#define PM_IN_LIST 12u          // where the workgroups of this dispatch are listed
#define PM_IN_SIGNALS 13u       // where the signals lie, slot after slot
#define PM_IN_SIGNAL_COUNT 14u  // of a slot
#define PM_IN_RESULTS 15u       // where the results lie, workgroup after workgroup
#define PM_IN_RINGS 16u         // how many there are: workgroup w has ring w % rings; 0: each has its own
#define PM_IN_RING_STATES 17u   // where the states of the rings lie, ring after ring
#define PM_IN_RING_ENTRIES 18u  // where the rings lie in pm_out
#define PM_IN_HEADER 20u
#define PM_LIST_FRESH 0x80000000u // in the list: the workgroup has no state yet
// The state of a ring.
#define PM_RING_CONSUMED 0u     // entries that the host has read
#define PM_RING_CLAIMED 1u      // entries that workgroups have claimed, where they share it: theirs, not the host's
#define PM_RING_WORDS 4u
// A result for each call of a workgroup.
#define PM_RESULT_NUMBER 0u     // the number of the call that is over; written last
#define PM_RESULT_SOURCE 1u
#define PM_RESULT_TAG 2u
#define PM_RESULT_BYTES 3u
#define PM_RESULT_HEADER 4u

// pm_out: written by the shader. For each workgroup a report, of how it has left a dispatch; and the rings.
#define PM_REPORT_STATUS 0u     // PM_LEFT_*
#define PM_REPORT_STEP 1u
#define PM_REPORT_SLOT 2u       // of this process, counted from 0
#define PM_REPORT_WAIT 3u       // PM_WAIT_*
#define PM_REPORT_WHAT 4u       // a set of calls; or a signal, how it is compared, and with what
#define PM_REPORT_COMPARE 5u
#define PM_REPORT_VALUE 6u
#define PM_REPORT_ERROR 7u      // PM_ERROR_*
#define PM_REPORT_WORDS 8u
#define PM_LEFT_NOT 0u
#define PM_LEFT_DONE 1u
#define PM_LEFT_WAITING 2u
#define PM_LEFT_TIRED 3u        // its turns are used up: it goes on at once
#define PM_LEFT_FAILED 4u
#define PM_WAIT_CALLS 0u
#define PM_WAIT_SIGNAL 1u
#define PM_WAIT_ROOM 2u         // in the ring
#define PM_ERROR_STATE 1u       // the state is too small; PM_REPORT_WHAT: how many words it takes
#define PM_ERROR_CALLS 2u       // too many calls under way
#define PM_ERROR_DATA 3u        // too many words of pm_data; PM_REPORT_WHAT: how many
#define PM_ERROR_SLOT 4u        // no such slot
#define PM_ERROR_SIGNAL 5u      // no such signal
// An entry of the ring.
#define PM_ENTRY_SEQUENCE 0u    // counts entries from 1; written last
#define PM_ENTRY_OP 1u          // PM_OP_*, and the call in the upper half, PM_NO_CALL if none waits for it
#define PM_ENTRY_NUMBER 2u      // of the call
#define PM_ENTRY_SLOT 3u
#define PM_ENTRY_STEP 4u
#define PM_ENTRY_PEER 5u
#define PM_ENTRY_TAG 6u
#define PM_ENTRY_WINDOW 7u
#define PM_ENTRY_OFFSET 8u
#define PM_ENTRY_BYTES 9u       // or words of data
#define PM_ENTRY_ARGUMENT 10u   // five more, what they are depends on the operation
#define PM_ENTRY_GROUP 15u      // that has called
#define PM_ENTRY_WORDS 16u      // payload behind them
#define PM_NO_CALL 0xffffu
#define PM_OP_SEND 1u
#define PM_OP_RECV 2u
#define PM_OP_REPLACE 3u        // arguments: source, its tag
#define PM_OP_PROBE 4u
#define PM_OP_IPROBE 5u
#define PM_OP_SEND_DATA 6u
#define PM_OP_RECV_DATA 7u
#define PM_OP_PUT 8u            // arguments: their window and offset; signal, what happens to it, value
#define PM_OP_GET 9u            // arguments: their window and offset
#define PM_OP_SIGNAL 10u        // arguments 2 to 4
#define PM_OP_QUIET 11u
#define PM_OP_BARRIER 12u
#define PM_OP_BCAST 13u         // peer: the root
#define PM_OP_REDUCE 14u        // arguments: operation, type
#define PM_OP_ALLREDUCE 15u
// What happens to a signal.
#define PM_SIGNAL_NONE 0u
#define PM_SIGNAL_SET 1u
#define PM_SIGNAL_ADD 2u
// How a signal is compared.
#define PM_EQ 0u
#define PM_GE 1u
// Reductions.
#define PM_SUM 0u
#define PM_MIN 1u
#define PM_MAX 2u
#define PM_INT 0u
#define PM_UINT 1u
#define PM_FLOAT 2u
#define PM_ANY_SOURCE (-1)
#define PM_ANY_TAG (-1)
// pm_kept: the state of each workgroup.
#define PM_KEPT_STEP 0u
#define PM_KEPT_POSTED 1u
#define PM_KEPT_NUMBER 2u
#define PM_KEPT_PENDING 3u
#define PM_KEPT_BUSY 4u
#define PM_KEPT_EACH 5u
#define PM_KEPT_HEADER 8u

#ifndef __cplusplus

#ifndef PM_SET
#define PM_SET 0 // of Vulkan's descriptor sets: it is the endpoint's
#endif
#ifndef PM_BINDING
#define PM_BINDING 0 // of the first of the endpoint's three buffers; in Vulkan always 0
#endif
#ifndef PM_KEEP_WORDS
#define PM_KEEP_WORDS 1
#endif
#ifndef PM_OWN_WORDS
#define PM_OWN_WORDS 1
#endif
#ifndef PM_DATA_WORDS
#define PM_DATA_WORDS 16
#endif

#ifdef VULKAN
#define PM_BLOCK(n) layout(std430, set = PM_SET, binding = PM_BINDING + n)
// The program's own storage buffer n, for shaders of both APIs: of descriptor set 1, or of glMPI_Kernel::buffers.
#define PM_BUFFER(n) layout(std430, set = PM_SET + 1, binding = n)
#else
#define PM_BLOCK(n) layout(std430, binding = PM_BINDING + n)
#define PM_BUFFER(n) layout(std430, binding = PM_BINDING + 3 + n)
#endif
// Volatile, all of it: a host's writes reach a running dispatch by such loads alone.
PM_BLOCK(0) coherent volatile buffer PmIn { uint pm_in[]; };
PM_BLOCK(1) coherent volatile buffer PmOut { uint pm_out[]; };
PM_BLOCK(2) coherent buffer PmKept { uint pm_kept[]; };

shared uint pm_keep[PM_KEEP_WORDS];  // survives suspensions; written by pm_set()
shared uint pm_data[PM_DATA_WORDS];  // what calls with data send and receive; does not survive
shared uint pm_vote[2];
const uint pm_at_once_ = 8u;                          // entries that invocations write together
shared uint pm_parts_[32];                            // a bit for each invocation that takes part
shared uint pm_entries_[pm_at_once_ * PM_ENTRY_WORDS];
uint pm_own[PM_OWN_WORDS];           // of the invocation; survives suspensions

struct pm_Status { int source, tag; uint bytes; };
pm_Status pm_status; // of the last call that was waited for: of its message

// Of the workgroup; all invocations have the same.
uint pm_group_, pm_slot_, pm_turn = 0u;
int pm_at;
uint pm_posted, pm_number, pm_pending, pm_busy, pm_turns, pm_left, pm_wait_, pm_what, pm_compare, pm_value, pm_error;
// What does not change in a dispatch is read once: each look at pm_in takes a GPU most of a microsecond.
uint pm_first_, pm_ring_, pm_calls_, pm_payload_, pm_budget_, pm_most_turns_, pm_state_words_, pm_signal_count_;
uint pm_signals_;                        // where those of its slot are
uint pm_results_, pm_report_, pm_state_; // where those of this workgroup are
uint pm_ring_state_, pm_ring_entries_;   // where those of its ring are
bool pm_ring_is_shared_;
uint pm_consumed_;                       // entries of its ring that the host has read, at least
uint pm_entry_;                          // the first one that has been claimed, counted from 0
uint pm_each_;                           // calls of the _each at hand that have been posted

#define PM_LANES (gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z)
#define PM_LANE gl_LocalInvocationIndex

// The number of this workgroup in the run, in the place of gl_WorkGroupID: a dispatch has those that can go on.
uint pm_workgroup() { return pm_in[pm_in[PM_IN_LIST] + gl_WorkGroupID.x] & ~PM_LIST_FRESH; }
uint pm_workgroups() { return pm_in[PM_IN_GROUPS]; }
// Slots of this process; of all; the rank of this workgroup's slot; the rank of a process, of this one.
uint pm_slots() { return pm_in[PM_IN_SLOTS]; }
int pm_all_slots() { return int(pm_in[PM_IN_ALL_SLOTS]); }
int pm_rank() { return int(pm_first_ + pm_slot_); }
// Whether a slot is one of this process. The shaders of a process share its windows: their stores there need no put,
// only memoryBarrierBuffer() before the slot is signalled.
bool pm_is_here(int slot) {
    return slot >= int(pm_first_) && slot < int(pm_first_ + pm_in[PM_IN_SLOTS]);
}
int pm_host(uint process) { return int(pm_in[PM_IN_ALL_SLOTS] + process); }
uint pm_process() { return pm_in[PM_IN_PROCESS]; }
uint pm_processes() { return pm_in[PM_IN_PROCESSES]; }

uint pm_result(uint call) { return pm_results_ + call * (PM_RESULT_HEADER + pm_payload_); }
uint pm_entry_at(uint number) { return pm_ring_entries_ + (number & (pm_ring_ - 1u)) * (PM_ENTRY_WORDS + pm_payload_); }
void pm_read_header() {
    pm_first_ = pm_in[PM_IN_FIRST];
    pm_ring_ = pm_in[PM_IN_RING];
    pm_calls_ = pm_in[PM_IN_CALLS];
    pm_payload_ = pm_in[PM_IN_PAYLOAD];
    pm_budget_ = pm_in[PM_IN_BUDGET];
    pm_most_turns_ = pm_in[PM_IN_MOST_TURNS];
    pm_state_words_ = pm_in[PM_IN_STATE];
    pm_signal_count_ = pm_in[PM_IN_SIGNAL_COUNT];
    pm_signals_ = pm_in[PM_IN_SIGNALS] + pm_slot_ * pm_signal_count_;
    pm_results_ = pm_in[PM_IN_RESULTS] + pm_group_ * pm_calls_ * (PM_RESULT_HEADER + pm_payload_);
    pm_report_ = pm_group_ * PM_REPORT_WORDS;
    pm_state_ = pm_group_ * pm_state_words_;
    uint rings = pm_in[PM_IN_RINGS], ring = rings == 0u ? pm_group_ : pm_group_ % rings;
    pm_ring_is_shared_ = rings != 0u;
    pm_ring_state_ = pm_in[PM_IN_RING_STATES] + ring * PM_RING_WORDS;
    pm_ring_entries_ = pm_in[PM_IN_RING_ENTRIES] + ring * pm_ring_ * (PM_ENTRY_WORDS + pm_payload_);
    pm_consumed_ = pm_in[pm_ring_state_ + PM_RING_CONSUMED];
}

// The value of the first invocation, for all. Two words alternately, so that one barrier is enough: an invocation that
// writes a word has passed the barrier after the last reads of it.
uint pm_agree(uint value) {
    pm_turn ^= 1u;
    if (PM_LANE == 0u) pm_vote[pm_turn] = value;
    barrier();
    return pm_vote[pm_turn];
}
bool pm_fail(uint error, uint what) {
    pm_left = PM_LEFT_FAILED;
    pm_error = error;
    pm_what = what;
    return false;
}
// Turns of loops count: drivers end invocations that make too many.
void pm_count(uint turns) { pm_turns += turns; }
bool pm_tired() { return ++pm_turns >= pm_most_turns_; }
uint pm_looks() {
    return 1u + min(pm_budget_, pm_turns < pm_most_turns_ ? pm_most_turns_ - pm_turns : 0u);
}

void pm_set(uint word, uint value) {
    barrier();
    if (PM_LANE == 0u) pm_keep[word] = value;
    barrier();
}

// Saves the state and says why the workgroup ends. Vulkan and OpenGL end dispatches before they begin the next one, so
// what is written here is there then.
void pm_leave(uint left) {
    barrier();
    uint at = pm_state_, report = pm_report_;
    if (left != PM_LEFT_FAILED && left != PM_LEFT_DONE) {
        for (uint i = PM_LANE; i < uint(PM_KEEP_WORDS); i += PM_LANES) pm_kept[at + PM_KEPT_HEADER + i] = pm_keep[i];
        uint mine = at + PM_KEPT_HEADER + uint(PM_KEEP_WORDS) + PM_LANE * uint(PM_OWN_WORDS);
        for (uint i = 0u; i < uint(PM_OWN_WORDS); ++i) pm_kept[mine + i] = pm_own[i];
    }
    if (PM_LANE != 0u) return;
    if (left != PM_LEFT_FAILED && left != PM_LEFT_DONE) {
        pm_kept[at + PM_KEPT_STEP] = uint(pm_at);
        pm_kept[at + PM_KEPT_POSTED] = pm_posted;
        pm_kept[at + PM_KEPT_NUMBER] = pm_number;
        pm_kept[at + PM_KEPT_PENDING] = pm_pending;
        pm_kept[at + PM_KEPT_BUSY] = pm_busy;
        pm_kept[at + PM_KEPT_EACH] = pm_each_;
    }
    pm_out[report + PM_REPORT_STEP] = uint(pm_at);
    pm_out[report + PM_REPORT_SLOT] = pm_slot_;
    pm_out[report + PM_REPORT_WAIT] = pm_wait_;
    pm_out[report + PM_REPORT_WHAT] = pm_what;
    pm_out[report + PM_REPORT_COMPARE] = pm_compare;
    pm_out[report + PM_REPORT_VALUE] = pm_value;
    pm_out[report + PM_REPORT_ERROR] = pm_error;
    memoryBarrierBuffer();
    pm_out[report + PM_REPORT_STATUS] = left;
}
void pm_suspend() { pm_leave(pm_left == PM_LEFT_FAILED ? PM_LEFT_FAILED : PM_LEFT_WAITING); }

bool pm_begin(uint slot) {
    uint listed = pm_in[pm_in[PM_IN_LIST] + gl_WorkGroupID.x];
    bool fresh = (listed & PM_LIST_FRESH) != 0u;
    pm_group_ = listed & ~PM_LIST_FRESH;
    pm_slot_ = slot;
    pm_at = 0;
    pm_posted = pm_number = pm_pending = pm_busy = pm_turns = pm_each_ = 0u;
    pm_left = PM_LEFT_NOT;
    pm_wait_ = pm_what = pm_compare = pm_value = pm_error = 0u;
    pm_read_header();
    uint needs = PM_KEPT_HEADER + uint(PM_KEEP_WORDS) + PM_LANES * uint(PM_OWN_WORDS);
    if (needs > pm_state_words_ || slot >= pm_in[PM_IN_SLOTS]) {
        if (needs > pm_state_words_) pm_fail(PM_ERROR_STATE, needs);
        else pm_fail(PM_ERROR_SLOT, slot);
        pm_leave(PM_LEFT_FAILED);
        return false;
    }
    uint at = pm_state_;
    uint mine = at + PM_KEPT_HEADER + uint(PM_KEEP_WORDS) + PM_LANE * uint(PM_OWN_WORDS);
    for (uint i = 0u; i < uint(PM_OWN_WORDS); ++i) pm_own[i] = fresh ? 0u : pm_kept[mine + i];
    for (uint i = PM_LANE; i < uint(PM_KEEP_WORDS); i += PM_LANES)
        pm_keep[i] = fresh ? 0u : pm_kept[at + PM_KEPT_HEADER + i];
    if (!fresh) {
        pm_at = int(pm_kept[at + PM_KEPT_STEP]);
        pm_posted = pm_kept[at + PM_KEPT_POSTED];
        pm_number = pm_kept[at + PM_KEPT_NUMBER];
        pm_pending = pm_kept[at + PM_KEPT_PENDING];
        pm_busy = pm_kept[at + PM_KEPT_BUSY];
        pm_each_ = pm_kept[at + PM_KEPT_EACH];
    }
    barrier();
    return true;
}

// A switch from the step where the workgroup was; steps behind it follow by falling through. A suspended workgroup
// skips what stands before its step, so variables must not come from there. Hence each step has its own scope, and
// PM_BEGIN ends in the middle of a statement that PM_STEP ends: anything else behind it is a syntax error.
#define PM_BEGIN(slot)                                                                                                 \
    if (!pm_begin(uint(slot))) return;                                                                                 \
    for (bool pm_again = true; pm_again;) {                                                                            \
        pm_again = false;                                                                                              \
        switch (pm_at) {                                                                                               \
        case 0: {                                                                                                      \
            bool pm_step_follows_begin = true
#define PM_STEP(number)                                                                                                \
    ;                                                                                                                  \
    }                                                                                                                  \
    case number: {                                                                                                     \
        pm_at = number;
#define PM_SUSPEND                                                                                                     \
    {                                                                                                                  \
        pm_suspend();                                                                                                  \
        return;                                                                                                        \
    }
#define PM_AWAIT(call)                                                                                                 \
    if (!(call)) PM_SUSPEND
// Not from within a loop or switch of the program.
#define PM_GOTO(number)                                                                                                \
    {                                                                                                                  \
        pm_at = number;                                                                                                \
        if (pm_tired()) {                                                                                              \
            pm_leave(PM_LEFT_TIRED);                                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        pm_again = true;                                                                                               \
        break;                                                                                                         \
    }
#define PM_END                                                                                                         \
    ;                                                                                                                  \
    }                                                                                                                  \
    }                                                                                                                  \
    }                                                                                                                  \
    pm_leave(PM_LEFT_DONE);

// ---- calls: an entry in the ring, and for most a result

struct pm_Call { uint op; int peer, tag; uint window, offset, bytes, a, b, c, d, e, words; };
pm_Call pm_call(uint op, int peer, int tag) { return pm_Call(op, peer, tag, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u); }
pm_Call pm_on_window(uint op, int peer, int tag, uint window, uint offset, uint bytes) {
    return pm_Call(op, peer, tag, window, offset, bytes, 0u, 0u, 0u, 0u, 0u, 0u);
}

// Room for calls, up to `most` of them: how many there is room for, from entry pm_entry_ on. None: it waits for room. A
// workgroup fills its claim at once, so that no workgroup waits for one that has ended.
uint pm_claim_own(uint most) {
    uint looks = pm_looks(), i = 0u, consumed = pm_consumed_;
    if (pm_posted - consumed >= pm_ring_) {
        if (PM_LANE == 0u)
            for (; i < looks && pm_posted - consumed >= pm_ring_; ++i)
                consumed = pm_in[pm_ring_state_ + PM_RING_CONSUMED];
        pm_consumed_ = pm_agree(consumed);
    }
    uint claimed = min(most, pm_ring_ - (pm_posted - pm_consumed_));
    pm_entry_ = pm_posted;
    pm_posted += claimed;
    return claimed;
}
uint pm_claim_shared(uint most) {
    const uint tries = 16u; // others may be faster
    uint looks = max(pm_looks(), tries), i = 0u, claimed = 0u, first = 0u;
    if (PM_LANE == 0u)
        for (; i < looks && claimed == 0u; ++i) {
            first = pm_in[pm_ring_state_ + PM_RING_CLAIMED];
            claimed = min(most, pm_ring_ - (first - pm_in[pm_ring_state_ + PM_RING_CONSUMED]));
            if (claimed != 0u &&
                atomicCompSwap(pm_in[pm_ring_state_ + PM_RING_CLAIMED], first, first + claimed) != first)
                claimed = 0u;
        }
    claimed = pm_agree(claimed);
    pm_entry_ = pm_agree(first);
    return claimed;
}
uint pm_claim(uint most) {
    uint claimed = pm_ring_is_shared_ ? pm_claim_shared(most) : pm_claim_own(most);
    pm_count(claimed != 0u ? 1u : pm_looks());
    pm_wait_ = PM_WAIT_ROOM;
    pm_what = pm_posted;
    return claimed;
}

uint[PM_ENTRY_WORDS] pm_entry_of(pm_Call call, uint index, uint number) {
    return uint[](0u, call.op | index << 16, number, pm_slot_, uint(pm_at), uint(call.peer), uint(call.tag),
                  call.window, call.offset, call.bytes, call.a, call.b, call.c, call.d, call.e, pm_group_);
}

// Posts a call; `request` names it, unless no wait for it follows. The invocations write the entry together: to the
// host's memory each store of a single one takes a third of a microsecond.
bool pm_post(pm_Call call, bool waited, out uint request) {
    request = 0u;
    uint index = PM_NO_CALL;
    if (call.words > pm_payload_ || call.words > uint(PM_DATA_WORDS)) return pm_fail(PM_ERROR_DATA, call.words);
    if (waited) {
        int unused = findLSB(~pm_busy);
        if (unused < 0 || uint(unused) >= pm_calls_) return pm_fail(PM_ERROR_CALLS, pm_calls_);
        index = uint(unused);
    }
    if (pm_claim(1u) == 0u) return false;
    uint at = pm_entry_at(pm_entry_);
    pm_number += 1u;
    uint head[PM_ENTRY_WORDS] = pm_entry_of(call, index, pm_number);
    if (call.words != 0u) barrier(); // invocations have written pm_data
    for (uint i = 1u + PM_LANE; i < PM_ENTRY_WORDS; i += PM_LANES) pm_out[at + i] = head[i];
    for (uint i = PM_LANE; i < call.words; i += PM_LANES) pm_out[at + PM_ENTRY_WORDS + i] = pm_data[i];
    pm_count((PM_ENTRY_WORDS + call.words) / PM_LANES + 1u);
    memoryBarrierBuffer();
    barrier();
    if (PM_LANE == 0u) pm_out[at + PM_ENTRY_SEQUENCE] = pm_entry_ + 1u;
    if (waited) {
        pm_busy |= 1u << index;
        request = pm_number << 5 | index;
    }
    return true;
}

// Whether a call is over; a null request, and one that has been waited for, are.
bool pm_over(uint request, uint looks) {
    uint index = request & 31u, i = 0u, over = 0u;
    if (request == 0u || (pm_busy & 1u << index) == 0u) return true;
    uint at = pm_result(index);
    if (PM_LANE == 0u)
        for (; i < looks && over == 0u; ++i) over = pm_in[at + PM_RESULT_NUMBER] == request >> 5 ? 1u : 0u;
    over = pm_agree(over);
    pm_count(over != 0u ? 1u : looks);
    if (over == 0u) return false;
    memoryBarrierBuffer();
    pm_status = pm_Status(int(pm_in[at + PM_RESULT_SOURCE]), int(pm_in[at + PM_RESULT_TAG]),
                          pm_in[at + PM_RESULT_BYTES]);
    pm_busy &= ~(1u << index);
    return true;
}
bool pm_wait(uint request) {
    pm_wait_ = PM_WAIT_CALLS;
    pm_what = 1u << (request & 31u);
    return pm_over(request, pm_looks());
}
// What has not come within a few looks will not come before the dispatch ends, unless the host writes meanwhile: such
// tests use up the turns soon.
void pm_count_vain_test() { pm_count(pm_budget_ == 0u ? pm_most_turns_ / 4u : 4u); }
bool pm_test(uint request) {
    if (pm_over(request, 1u)) return true;
    pm_count_vain_test();
    return false;
}

// Posted when the step comes here first, waited for until it is over.
bool pm_complete(pm_Call call) {
    if (pm_pending == 0u && !pm_post(call, true, pm_pending)) return false;
    uint request = pm_pending;
    if (!pm_wait(request)) return false;
    pm_pending = 0u;
    return true;
}
void pm_read_data(uint request, uint words) {
    uint at = pm_result(request & 31u) + PM_RESULT_HEADER;
    for (uint i = PM_LANE; i < words; i += PM_LANES) pm_data[i] = pm_in[at + i];
    pm_count(words / PM_LANES + 1u);
    barrier();
}
bool pm_complete_with_data(pm_Call call, uint words) {
    if (words > uint(PM_DATA_WORDS) || words > pm_payload_) return pm_fail(PM_ERROR_DATA, words);
    if (pm_pending == 0u && !pm_post(call, true, pm_pending)) return false;
    uint request = pm_pending;
    if (!pm_wait(request)) return false;
    pm_pending = 0u;
    pm_read_data(request, words);
    return true;
}
bool pm_post_only(pm_Call call) {
    uint none;
    return pm_post(call, false, none);
}

// Posts a call of each invocation that takes part, in their order, without a wait. As many as fit into the ring are
// posted, and the others when there is room.
bool pm_post_each(pm_Call call, bool takes_part) {
    for (uint i = PM_LANE; i < 32u; i += PM_LANES) pm_parts_[i] = 0u;
    barrier();
    if (takes_part) atomicOr(pm_parts_[PM_LANE / 32u], 1u << (PM_LANE & 31u));
    barrier();
    uint all = 0u, mine = 0u;
    for (uint i = 0u; i < (PM_LANES + 31u) / 32u; ++i) {
        if (i == PM_LANE / 32u) mine = all + bitCount(pm_parts_[i] & ((1u << (PM_LANE & 31u)) - 1u));
        all += bitCount(pm_parts_[i]);
    }
    pm_count((PM_LANES + 31u) / 32u);
    while (pm_each_ < all) {
        uint count = pm_claim(min(pm_at_once_, all - pm_each_));
        if (count == 0u) return false;
        if (takes_part && mine >= pm_each_ && mine < pm_each_ + count) {
            uint head[PM_ENTRY_WORDS] = pm_entry_of(call, PM_NO_CALL, pm_number + 1u + mine - pm_each_);
            for (uint i = 0u; i < PM_ENTRY_WORDS; ++i) pm_entries_[(mine - pm_each_) * PM_ENTRY_WORDS + i] = head[i];
        }
        barrier();
        for (uint i = PM_LANE; i < count * PM_ENTRY_WORDS; i += PM_LANES)
            if (i % PM_ENTRY_WORDS != PM_ENTRY_SEQUENCE)
                pm_out[pm_entry_at(pm_entry_ + i / PM_ENTRY_WORDS) + i % PM_ENTRY_WORDS] = pm_entries_[i];
        memoryBarrierBuffer();
        barrier();
        for (uint i = PM_LANE; i < count; i += PM_LANES)
            pm_out[pm_entry_at(pm_entry_ + i) + PM_ENTRY_SEQUENCE] = pm_entry_ + i + 1u;
        pm_count(PM_ENTRY_WORDS + count * PM_ENTRY_WORDS / PM_LANES);
        pm_number += count;
        pm_each_ += count;
    }
    return true;
}

// ---- two-sided, on windows: `bytes` of one, from `offset` on. Over when the window may be used again.

bool pm_send(int dest, int tag, uint window, uint offset, uint bytes) {
    return pm_complete(pm_on_window(PM_OP_SEND, dest, tag, window, offset, bytes));
}
bool pm_recv(int source, int tag, uint window, uint offset, uint bytes) {
    return pm_complete(pm_on_window(PM_OP_RECV, source, tag, window, offset, bytes));
}
// Over when posted: its own step. `request` goes to pm_keep, by pm_set() behind the PM_AWAIT.
bool pm_isend(int dest, int tag, uint window, uint offset, uint bytes, out uint request) {
    return pm_post(pm_on_window(PM_OP_SEND, dest, tag, window, offset, bytes), true, request);
}
bool pm_irecv(int source, int tag, uint window, uint offset, uint bytes, out uint request) {
    return pm_post(pm_on_window(PM_OP_RECV, source, tag, window, offset, bytes), true, request);
}
bool pm_sendrecv_replace(int dest, int sendtag, int source, int recvtag, uint window, uint offset, uint bytes) {
    pm_Call call = pm_on_window(PM_OP_REPLACE, dest, sendtag, window, offset, bytes);
    call.a = uint(source);
    call.b = uint(recvtag);
    return pm_complete(call);
}
// pm_status describes the message; it is still to be received.
bool pm_probe(int source, int tag) { return pm_complete(pm_call(PM_OP_PROBE, source, tag)); }
// Over when the host has looked. `found`: whether there is one.
bool pm_iprobe(int source, int tag, out bool found) {
    found = false;
    if (!pm_complete(pm_call(PM_OP_IPROBE, source, tag))) return false;
    found = pm_status.tag >= 0;
    return true;
}

// ---- two-sided, on words of pm_data, without a window. pm_send_data is over when posted.

bool pm_send_data(int dest, int tag, uint words) {
    pm_Call call = pm_call(PM_OP_SEND_DATA, dest, tag);
    call.bytes = call.words = words;
    return pm_post_only(call);
}
bool pm_recv_data(int source, int tag, uint words) {
    pm_Call call = pm_call(PM_OP_RECV_DATA, source, tag);
    call.bytes = words;
    return pm_complete_with_data(call, words);
}

// ---- one-sided. Over when posted; the source of a put may change after the next pm_quiet(). Operations of one process
// on another happen there in the order of their posts.

pm_Call pm_put_call(int rank, uint their_window, uint their_offset, uint window, uint offset, uint bytes, uint signal,
                    uint what, uint value) {
    pm_Call call = pm_on_window(PM_OP_PUT, rank, 0, window, offset, bytes);
    call.a = their_window;
    call.b = their_offset;
    call.c = signal;
    call.d = what;
    call.e = value;
    return call;
}
pm_Call pm_get_call(int rank, uint their_window, uint their_offset, uint window, uint offset, uint bytes) {
    pm_Call call = pm_on_window(PM_OP_GET, rank, 0, window, offset, bytes);
    call.a = their_window;
    call.b = their_offset;
    return call;
}
pm_Call pm_signal_call(int rank, uint signal, uint what, uint value) {
    pm_Call call = pm_call(PM_OP_SIGNAL, rank, 0);
    call.c = signal;
    call.d = what;
    call.e = value;
    return call;
}
bool pm_put_signal(int rank, uint their_window, uint their_offset, uint window, uint offset, uint bytes, uint signal,
                   uint what, uint value) {
    return pm_post_only(
        pm_put_call(rank, their_window, their_offset, window, offset, bytes, signal, what, value));
}
bool pm_put(int rank, uint their_window, uint their_offset, uint window, uint offset, uint bytes) {
    return pm_put_signal(rank, their_window, their_offset, window, offset, bytes, 0u, PM_SIGNAL_NONE, 0u);
}
// Over when the bytes are in the window.
bool pm_get(int rank, uint their_window, uint their_offset, uint window, uint offset, uint bytes) {
    return pm_complete(pm_get_call(rank, their_window, their_offset, window, offset, bytes));
}
bool pm_signal_set(int rank, uint signal, uint value) {
    return pm_post_only(pm_signal_call(rank, signal, PM_SIGNAL_SET, value));
}
bool pm_signal_add(int rank, uint signal, uint value) {
    return pm_post_only(pm_signal_call(rank, signal, PM_SIGNAL_ADD, value));
}
// A signal of this workgroup's slot.
uint pm_signal(uint signal) { return pm_in[pm_signals_ + signal]; }
bool pm_signal_is(uint signal, uint compare, uint value) {
    uint now = pm_signal(signal);
    return compare == PM_GE ? int(now - value) >= 0 : now == value;
}
bool pm_wait_until(uint signal, uint compare, uint value, uint looks) {
    uint i = 0u, over = 0u;
    if (signal >= pm_signal_count_) return pm_fail(PM_ERROR_SIGNAL, signal);
    if (PM_LANE == 0u)
        for (; i < looks && over == 0u; ++i) over = pm_signal_is(signal, compare, value) ? 1u : 0u;
    over = pm_agree(over);
    pm_count(over != 0u ? 1u : looks);
    pm_wait_ = PM_WAIT_SIGNAL;
    pm_what = signal;
    pm_compare = compare;
    pm_value = value;
    memoryBarrierBuffer();
    return over != 0u;
}
bool pm_signal_wait_until(uint signal, uint compare, uint value) {
    return pm_wait_until(signal, compare, value, pm_looks());
}
bool pm_signal_test(uint signal, uint compare, uint value) {
    if (pm_wait_until(signal, compare, value, 1u)) return true;
    pm_count_vain_test();
    return false;
}
// Order among puts is kept in any case.
bool pm_fence() { return true; }
// Over when all that this workgroup has put and signalled has happened.
bool pm_quiet() { return pm_complete(pm_call(PM_OP_QUIET, 0, 0)); }

// ---- one-sided, by each invocation: all of the workgroup make the call, and those that take part have arguments of
// their own. They are posted in the order of the invocations.

bool pm_each_posted(pm_Call call, bool takes_part) {
    if (!pm_post_each(call, takes_part)) return false;
    pm_each_ = 0u;
    return true;
}
bool pm_put_signal_each(bool takes_part, int rank, uint their_window, uint their_offset, uint window, uint offset,
                        uint bytes, uint signal, uint what, uint value) {
    return pm_each_posted(pm_put_call(rank, their_window, their_offset, window, offset, bytes, signal, what, value),
                          takes_part);
}
bool pm_put_each(bool takes_part, int rank, uint their_window, uint their_offset, uint window, uint offset,
                 uint bytes) {
    return pm_put_signal_each(takes_part, rank, their_window, their_offset, window, offset, bytes, 0u, PM_SIGNAL_NONE,
                              0u);
}
bool pm_signal_set_each(bool takes_part, int rank, uint signal, uint value) {
    return pm_each_posted(pm_signal_call(rank, signal, PM_SIGNAL_SET, value), takes_part);
}
bool pm_signal_add_each(bool takes_part, int rank, uint signal, uint value) {
    return pm_each_posted(pm_signal_call(rank, signal, PM_SIGNAL_ADD, value), takes_part);
}
// Over when the bytes of all are in the windows, and all that a quiet waits for has happened.
bool pm_get_each(bool takes_part, int rank, uint their_window, uint their_offset, uint window, uint offset,
                 uint bytes) {
    if (pm_pending == 0u &&
        !pm_post_each(pm_get_call(rank, their_window, their_offset, window, offset, bytes), takes_part))
        return false;
    if (!pm_quiet()) return false;
    pm_each_ = 0u;
    return true;
}
// Over when it is so for all that take part.
bool pm_signal_wait_until_each(bool takes_part, uint signal, uint compare, uint value) {
    uint looks = pm_looks(), i = 0u;
    bool over = !takes_part;
    if (signal < pm_signal_count_)
        for (; i < looks && !over; ++i) over = pm_signal_is(signal, compare, value);
    barrier();
    if (PM_LANE == 0u) pm_parts_[0] = PM_LANES;
    barrier();
    if (!over) atomicMin(pm_parts_[0], PM_LANE);
    barrier();
    uint waits = pm_parts_[0]; // the first one where it is not so
    pm_count(waits == PM_LANES ? 1u : looks);
    memoryBarrierBuffer();
    if (waits == PM_LANES) return true;
    if (PM_LANE == waits) {
        pm_entries_[0] = signal;
        pm_entries_[1] = compare;
        pm_entries_[2] = value;
    }
    barrier();
    pm_wait_ = PM_WAIT_SIGNAL;
    pm_what = pm_entries_[0];
    pm_compare = pm_entries_[1];
    pm_value = pm_entries_[2];
    return pm_what < pm_signal_count_ ? false : pm_fail(PM_ERROR_SIGNAL, pm_what);
}

// ---- one-sided, by each subgroup: as by each invocation, with the same arguments throughout a subgroup. For shaders
// that say `#extension GL_KHR_shader_subgroup_basic : require` and `#define PM_SUBGROUPS`.
#ifdef PM_SUBGROUPS
bool pm_put_signal_subgroup(bool takes_part, int rank, uint their_window, uint their_offset, uint window, uint offset,
                            uint bytes, uint signal, uint what, uint value) {
    return pm_put_signal_each(takes_part && subgroupElect(), rank, their_window, their_offset, window, offset, bytes,
                              signal, what, value);
}
bool pm_put_subgroup(bool takes_part, int rank, uint their_window, uint their_offset, uint window, uint offset,
                     uint bytes) {
    return pm_put_each(takes_part && subgroupElect(), rank, their_window, their_offset, window, offset, bytes);
}
bool pm_get_subgroup(bool takes_part, int rank, uint their_window, uint their_offset, uint window, uint offset,
                     uint bytes) {
    return pm_get_each(takes_part && subgroupElect(), rank, their_window, their_offset, window, offset, bytes);
}
bool pm_signal_set_subgroup(bool takes_part, int rank, uint signal, uint value) {
    return pm_signal_set_each(takes_part && subgroupElect(), rank, signal, value);
}
bool pm_signal_add_subgroup(bool takes_part, int rank, uint signal, uint value) {
    return pm_signal_add_each(takes_part && subgroupElect(), rank, signal, value);
}
bool pm_signal_wait_until_subgroup(bool takes_part, uint signal, uint compare, uint value) {
    return pm_signal_wait_until_each(takes_part, signal, compare, value);
}
#endif

// ---- collectives: of all workgroups of all runs of the endpoint, once each; on words of pm_data

bool pm_barrier() { return pm_complete(pm_call(PM_OP_BARRIER, 0, 0)); }
// The words of the root, a slot's rank.
bool pm_bcast(int root, uint words) {
    pm_Call call = pm_call(PM_OP_BCAST, root, 0);
    call.bytes = call.words = words;
    return pm_complete_with_data(call, words);
}
bool pm_allreduce(uint operation, uint type, uint words) {
    pm_Call call = pm_call(PM_OP_ALLREDUCE, 0, 0);
    call.bytes = call.words = words;
    call.a = operation;
    call.b = type;
    return pm_complete_with_data(call, words);
}
// The result is the root's alone; others keep their words.
bool pm_reduce(uint operation, uint type, uint words, int root) {
    pm_Call call = pm_call(PM_OP_REDUCE, root, 0);
    call.bytes = call.words = words;
    call.a = operation;
    call.b = type;
    return pm_rank() == root ? pm_complete_with_data(call, words) : pm_complete(call);
}

#endif // __cplusplus
#endif
