// Reductions by a program's own operation, between ends of all APIs: one that neither commutes nor associates.
#include "collective/collective_ends.h"

#include "api/core.h"
#include "base/format.h"
#include "base/lock.h"
#include "combine/small_float.h"
#include "twice_less.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

using namespace api;

namespace {

constexpr Verb reductions[] = {Verb::reduce, Verb::allreduce, Verb::reduce_scatter, Verb::scan, Verb::exscan};
/// By shaders where these run, except sRGB.
constexpr pixMPI_Format formats[] = {PIXMPI_RGBA8, PIXMPI_BGRA8,   PIXMPI_R8,      PIXMPI_RG16F,     PIXMPI_RGB10_A2,
                                     PIXMPI_R32UI, PIXMPI_RGBA16I, PIXMPI_RGBA32F, PIXMPI_RGBA8_SRGB};

/// Floats become small whole numbers, so that all steps are exact, however many.
void tame(pixMPI_Format format, Bytes &pixels) {
    const pixmpi::FormatInfo &info = pixmpi::format_info(format);
    if (info.numbers != pixmpi::Numbers::sfloat)
        return;
    const auto size = static_cast<std::size_t>(info.channel_bytes);
    for (std::size_t at = 0; at + size <= pixels.size(); at += size) {
        const auto number = static_cast<float>(pixels[at] % 17 - 8);
        const std::uint32_t word = size == 2 ? pixmpi::Half::encode(number) : std::bit_cast<std::uint32_t>(number);
        std::memcpy(&pixels[at], &word, size);
    }
}

Case make_user_case(Verb verb, pixMPI_Format format, std::size_t most, std::uint64_t seed) {
    Case one = make_case(verb, format, PIXMPI_OP_NULL, size, most, seed);
    one.function = twice_less::combine;
    for (RankState &state : one.ranks) {
        tame(format, state.send);
        tame(format, state.recv);
    }
    return one;
}

pixMPI_Op make_op(const char *glsl = twice_less::glsl, std::atomic<int> *calls = nullptr) {
    pixMPI_Op op = PIXMPI_OP_NULL;
    NEED_OK(pixMPI_Op_create(twice_less::combine, glsl, calls, &op));
    return op;
}

void every_reduction(std::size_t most, std::size_t rounds) {
    std::uint64_t seed = seed_of(run_seed(), most);
    for (std::size_t round = 0; round < rounds; ++round)
        for (const Verb verb : reductions) {
            const pixMPI_Format format = formats[round % std::size(formats)];
            const Case one = make_user_case(verb, format, most, ++seed);
            const Form form = forms[seed % 3];
            note("%s, seed %llu, round %zu, format %s, root %d%s", name_of(verb), static_cast<unsigned long long>(seed),
                 round, pixMPI_Format_name(format), one.root, one.in_place ? ", in place" : "");
            pixMPI_Op op = make_op();
            Ends ends = make_ends(one, round);
            run(one, form, ends, op);
            NEED_OK(pixMPI_Op_free(&op));
        }
}

/// Whether shaders combine its pixels where they are. Drivers on the host's cores leave that to the function, and few
/// pixels go by host memory.
bool has_shaders(End &end) {
    const pixmpi::Lock lock;
    std::shared_ptr<pixmpi::Surface> surface;
    NEED_OK(pixmpi::find_surface(end.any(), {true, true}, surface));
    return !surface->device->near_host() && end.bytes() > 4 * eager_setting();
}

const EndKind *kind_named(const char *name) {
    for (const EndKind &kind : end_kinds())
        if (std::strcmp(kind.name, name) == 0)
            return &kind;
    return nullptr;
}

/// In place, with an operation that is freed at once.
int allreduce(End &end, const char *glsl, pixMPI_Op_function function = twice_less::combine) {
    pixMPI_Op op = PIXMPI_OP_NULL;
    NEED_OK(pixMPI_Op_create(function, glsl, nullptr, &op));
    const int code = pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, end.any(), PIXMPI_WHOLE, op, world());
    const std::string text = pixMPI_Error_text();
    NEED_OK(pixMPI_Op_free(&op));
    if (code == PIXMPI_ERR_ARGUMENT)
        CHECK(text.find("op: its glsl does not compile") != std::string::npos);
    return code;
}

} // namespace

RANK_CASE(operators, of_small_pictures, 1) { every_reduction(300, std::max(std::size(formats), end_kinds().size())); }

RANK_CASE(operators, of_few_pixels, 1) { every_reduction(3, std::size(formats)); }

RANK_CASE(operators, of_large_pictures, 1) { every_reduction(60'000, 4); }

RANK_CASE(operators, in_an_order_of_ranks, 1) {
    std::uint64_t seed = seed_of(run_seed(), 31);
    for (const pixMPI_Format format : {PIXMPI_R32UI, PIXMPI_RGBA32F})
        for (const Verb verb : reductions)
            for (const std::size_t most : {100, 30'000}) {
                Case one = make_user_case(verb, format, most, ++seed);
                std::mt19937_64 random(seed);
                std::shuffle(one.order.begin(), one.order.end(), random);
                note("%s of %s, seed %llu", name_of(verb), pixMPI_Format_name(format),
                     static_cast<unsigned long long>(seed));
                pixMPI_Op op = make_op(), ordered = PIXMPI_OP_NULL;
                NEED_OK(pixMPI_Op_ordered(op, size, one.order.data(), &ordered));
                NEED_OK(pixMPI_Op_free(&op)); // the ordered one goes on
                Ends ends = make_ends(one, seed % 7);
                run(one, forms[seed % 3], ends, ordered);
                NEED_OK(pixMPI_Op_free(&ordered));
            }
}

RANK_CASE(operators, freed_before_the_request_completes, 1) {
    std::uint64_t seed = seed_of(run_seed(), 32);
    for (const Verb verb : reductions)
        for (const Form form : {Form::nonblocking, Form::persistent}) {
            const Case one = make_user_case(verb, PIXMPI_R32UI, 20'000, ++seed);
            note("%s, seed %llu", name_of(verb), static_cast<unsigned long long>(seed));
            Ends ends = make_ends(one, seed % 5);
            fill(one, ends);
            pixMPI_Op op = make_op();
            pixMPI_Request request = PIXMPI_REQUEST_NULL;
            NEED_OK(call(one, form, ends.send.any(), ends.recv.any(), world(), op, &request));
            NEED_OK(pixMPI_Op_free(&op));
            CHECK(op == PIXMPI_OP_NULL);
            for (int turn = 0; turn < (form == Form::persistent ? 3 : 1); ++turn) {
                if (form == Form::persistent) {
                    fill(one, ends);
                    NEED_OK(pixMPI_Start(&request));
                }
                NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
                check(one, ends);
            }
            if (form == Form::persistent)
                NEED_OK(pixMPI_Request_free(&request));
        }
}

RANK_CASE(operators, function_alone, 1) {
    std::uint64_t seed = seed_of(run_seed(), 33);
    for (const Verb verb : reductions)
        for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_RGBA16I}) {
            const Case one = make_user_case(verb, format, 500, ++seed);
            note("%s, seed %llu", name_of(verb), static_cast<unsigned long long>(seed));
            std::atomic<int> calls{0};
            pixMPI_Op op = make_op(nullptr, &calls);
            Ends ends = make_ends(one, seed % 5);
            run(one, Form::blocking, ends, op);
            NEED_OK(pixMPI_Op_free(&op));
            CHECK(everywhere(calls) > 0 || size <= (verb == Verb::exscan ? 2 : 1));
        }
}

namespace {

/// The example of pixmpi_collectives.h.
void brighter(const void *first, const void *second, void *result, size_t n, pixMPI_Format, void *) {
    const auto *a = static_cast<const float *>(first), *b = static_cast<const float *>(second);
    auto *c = static_cast<float *>(result);
    for (size_t i = 0; i < 4 * n; i += 4)
        std::memmove(c + i, a[i] + a[i + 1] + a[i + 2] < b[i] + b[i + 1] + b[i + 2] ? b + i : a + i, 16);
}
const char *const brighter_glsl = "float light(PIXEL p) { return p.r + p.g + p.b; }"
                                  "PIXEL combine(PIXEL a, PIXEL b) { return light(a) < light(b) ? b : a; }";

} // namespace

RANK_CASE(operators, whole_pixels, 1) {
    std::uint64_t seed = seed_of(run_seed(), 34);
    for (std::size_t round = 0; round < end_kinds().size(); ++round)
        for (const Verb verb : reductions) {
            Case one = make_user_case(verb, PIXMPI_RGBA32F, 700, ++seed);
            one.function = brighter;
            note("%s, seed %llu", name_of(verb), static_cast<unsigned long long>(seed));
            pixMPI_Op op = PIXMPI_OP_NULL;
            NEED_OK(pixMPI_Op_create(brighter, brighter_glsl, nullptr, &op));
            Ends ends = make_ends(one, round);
            run(one, forms[seed % 3], ends, op);
            NEED_OK(pixMPI_Op_free(&op));
        }
}

namespace {

/// Both ways to compute it disagree.
void plus_one(const void *first, const void *second, void *result, size_t pixels, pixMPI_Format, void *) {
    const auto *a = static_cast<const std::uint32_t *>(first), *b = static_cast<const std::uint32_t *>(second);
    auto *c = static_cast<std::uint32_t *>(result);
    for (size_t i = 0; i < pixels; ++i)
        c[i] = a[i] + b[i] + 1;
}
const char *const plus_two = "PIXEL combine(PIXEL first, PIXEL second) { return first + second + PIXEL(2); }";

} // namespace

/// Each pixel is computed on one rank, however small the picture is.
RANK_CASE(operators, all_ranks_get_the_same_bits, 2) {
    const auto &kinds = end_kinds();
    for (std::size_t round = 0; round < kinds.size(); ++round)
        for (const int edge : {1, 3, 40, 300}) {
            note("round %zu, edge %d", round, edge);
            const auto end =
                kinds[(static_cast<std::size_t>(rank) + round) % kinds.size()].make(PIXMPI_R32UI, edge, edge);
            end->write(pattern(end->bytes(), seed_of(round, static_cast<unsigned>(rank))));
            CHECK_OK(allreduce(*end, plus_two, plus_one));
            const Bytes mine = end->read();
            Bytes first = mine;
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Ibcast(first.data(), static_cast<int>(first.size()), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
            for (int done = 0; !done; std::this_thread::yield())
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            CHECK_PIXELS(mine, first, edge, 4);
        }
}

/// In images, in buffers and in what schedules fold in, shaders do all of it: the function is never called.
RANK_CASE(operators, shaders_alone, 1) {
    for (const char *name : {"texture", "buffer", "level and layer", "storage buffer"})
        for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_RGBA32F}) {
            const EndKind *const kind = kind_named(name);
            if (!kind || (std::strcmp(name, "buffer") == 0 && std::strcmp(kind->api, "gl") != 0)) // not Vulkan's
                continue;
            constexpr int edge = 520;
            const auto end = kind->make(format, edge, edge);
            std::atomic<int> calls{0};
            pixMPI_Op op = make_op(twice_less::glsl, &calls);
            for (const Verb verb : {Verb::reduce, Verb::allreduce, Verb::scan}) {
                note("%s in place, %s of %s", name_of(verb), name, pixMPI_Format_name(format));
                end->fill(3);
                const pixMPI_Surface here = pixMPI_In_place(), all = end->any();
                if (verb == Verb::reduce)
                    CHECK_OK(pixMPI_Reduce(rank == 0 ? here : all, PIXMPI_WHOLE, all, PIXMPI_WHOLE, op, 0, world()));
                else if (verb == Verb::allreduce)
                    CHECK_OK(pixMPI_Allreduce(here, PIXMPI_WHOLE, all, PIXMPI_WHOLE, op, world()));
                else
                    CHECK_OK(pixMPI_Scan(here, PIXMPI_WHOLE, all, PIXMPI_WHOLE, op, world()));
                const int called = everywhere(calls), without = everywhere(!has_shaders(*end));
                CHECK(called == 0 || without > 0);
            }
            NEED_OK(pixMPI_Op_free(&op));
        }
}

/// A rank that compiles wrong GLSL says so, and no rank hangs; where no rank compiles, the function combines.
RANK_CASE(operators, glsl_that_does_not_compile, 1) {
    for (const char *name : {"texture", "level and layer"})
        for (const int edge : {9, 300}) {
            const EndKind *const kind = kind_named(name);
            if (!kind)
                continue;
            note("%s, edge %d, all ranks", name, edge);
            const auto end = kind->make(PIXMPI_RGBA8, edge, edge);
            end->fill(1);
            const int code = allreduce(*end, "PIXEL combine(PIXEL first, PIXEL second) { return frist; }");
            const bool compiles = has_shaders(*end) && size > 1;
            if (!compiles)
                CHECK_EQ(code, PIXMPI_SUCCESS);
            else
                CHECK(code == PIXMPI_ERR_ARGUMENT || code == PIXMPI_ERR_PEER);
            CHECK_EQ(everywhere(code == PIXMPI_ERR_ARGUMENT), compiles ? 1 : 0);
            note("%s, edge %d, one rank", name, edge);
            const auto mixed = rank == 0 ? kind->make(PIXMPI_RGBA8, edge, edge) : make_memory(PIXMPI_RGBA8, edge, edge);
            mixed->fill(2);
            const int other = allreduce(*mixed, "PIXEL combine(PIXEL first, PIXEL second) { return frist; }");
            CHECK_EQ(other, !compiles ? PIXMPI_SUCCESS : rank == 0 ? PIXMPI_ERR_ARGUMENT : PIXMPI_ERR_PEER);
            after_it_all_is_well();
        }
}

RANK_CASE(operators, do_not_call_the_library, 2) {
    static std::atomic<int> seen;
    seen = -1;
    const auto combine = [](const void *first, const void *second, void *result, std::size_t pixels,
                            pixMPI_Format format, void *) {
        seen = pixMPI_Progress();
        twice_less::combine(first, second, result, pixels, format, nullptr);
    };
    pixMPI_Op op = PIXMPI_OP_NULL;
    NEED_OK(pixMPI_Op_create(combine, nullptr, nullptr, &op));
    const auto end = make_memory(PIXMPI_RGBA8, 20, 10);
    end->fill(1);
    CHECK_OK(pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE, op, world()));
    CHECK_EQ(everywhere(seen), PIXMPI_ERR_ARGUMENT); // of the ranks that have combined anything
    NEED_OK(pixMPI_Op_free(&op));
    after_it_all_is_well();
}

RANK_CASE(operators, name_what_is_wrong, 1) {
    pixMPI_Op op = PIXMPI_OP_NULL, other = PIXMPI_OP_NULL;
    CHECK_FAILS(pixMPI_Op_create(nullptr, twice_less::glsl, nullptr, &op), PIXMPI_ERR_ARGUMENT,
                "pixMPI_Op_create function null");
    CHECK_FAILS(pixMPI_Op_create(twice_less::combine, "", nullptr, &op), PIXMPI_ERR_ARGUMENT, "glsl empty");
    CHECK_FAILS(pixMPI_Op_create(twice_less::combine, nullptr, nullptr, nullptr), PIXMPI_ERR_ARGUMENT, "op null");
    CHECK(op == PIXMPI_OP_NULL);
    CHECK_FAILS(pixMPI_Op_free(&op), PIXMPI_ERR_ARGUMENT, "op foreign or freed");
    op = make_op();
    const pixMPI_Op kept = op;
    std::vector<int> order;
    for (int i = 0; i < size; ++i)
        order.push_back(i);
    NEED_OK(pixMPI_Op_ordered(op, size, order.data(), &other));
    pixMPI_Op third = PIXMPI_OP_NULL;
    CHECK_FAILS(pixMPI_Op_ordered(other, size, order.data(), &third), PIXMPI_ERR_ARGUMENT, "op ordered already");
    const auto color = make_memory(PIXMPI_RGBA8, 20, 10), depth = make_memory(PIXMPI_DEPTH32F, 20, 10);
    const WithDepth whole{color->any(), depth->any()};
    CHECK_FAILS(pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, whole, PIXMPI_WHOLE, op, world()), PIXMPI_ERR_FORMAT,
                "USER RGBA8 expected NEAREST");
    NEED_OK(pixMPI_Op_free(&op));
    NEED_OK(pixMPI_Op_free(&other));
    CHECK_FAILS(pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, color->any(), PIXMPI_WHOLE, kept, world()),
                PIXMPI_ERR_ARGUMENT, "op foreign or freed pixMPI_Op_create");
    CHECK_FAILS(pixMPI_Op_ordered(kept, size, order.data(), &third), PIXMPI_ERR_ARGUMENT, "op foreign or freed");
    CHECK(third == PIXMPI_OP_NULL);
    after_it_all_is_well();
}
