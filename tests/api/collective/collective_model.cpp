#include "collective/collective_model.h"

#include "combine/combine.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace api {
namespace {

using Random = std::mt19937_64;

std::size_t number(Random &random, std::size_t least, std::size_t most) {
    return least + random() % (most - least + 1);
}

/// Pixels [first, first + count) of a surface, row by row.
std::vector<pixMPI_Rect> range(int width, std::size_t first, std::size_t count) {
    std::vector<pixMPI_Rect> rects;
    const auto w = static_cast<std::size_t>(width);
    for (std::size_t at = first, end = first + count; at < end;) {
        const std::size_t column = at % w, row = at / w;
        const bool whole = column == 0 && end - at >= w;
        const std::size_t rows = whole ? (end - at) / w : 1, columns = whole ? w : std::min(w - column, end - at);
        rects.push_back(
            {static_cast<int>(column), static_cast<int>(row), static_cast<int>(columns), static_cast<int>(rows)});
        at += rows * columns;
    }
    return rects;
}

/// A region for each count, none overlapping another, in any order.
std::vector<Shape> make_shapes(Random &random, int width, const std::vector<std::size_t> &counts) {
    std::vector<std::size_t> places(counts.size());
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), random);
    std::vector<Shape> shapes(counts.size());
    std::size_t at = 0;
    for (const std::size_t place : places) {
        at += number(random, 0, 3);
        std::vector<pixMPI_Rect> rects = range(width, at, counts[place]);
        std::shuffle(rects.begin(), rects.end(), random);
        shapes[place] = list_of(rects);
        at += counts[place];
    }
    return shapes;
}

/// Of all that a rank sends, or receives.
std::size_t most_pixels(const std::vector<std::vector<std::size_t>> &counts) {
    std::size_t most = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
        std::size_t out = 0, in = 0;
        for (std::size_t s = 0; s < counts.size(); ++s) {
            out += counts[r][s];
            in += counts[s][r];
        }
        most = std::max({most, out, in});
    }
    return most + 4 * counts.size();
}

pixmpi::Operation operation_of(pixMPI_Op op) {
    using pixmpi::Operation;
    constexpr Operation operations[] = {Operation::sum,  Operation::prod, Operation::min,
                                        Operation::max,  Operation::band, Operation::bor,
                                        Operation::bxor, Operation::over, Operation::over_straight};
    return operations[reinterpret_cast<std::uintptr_t>(op) - 1];
}

/// counts[r][s]: pixels that rank r sends to rank s, or of the one region that it has.
std::vector<std::vector<std::size_t>> make_counts(Random &random, const Case &one, int n, std::size_t most) {
    const auto count = [&] { return number(random, 0, 9) == 0 ? 0 : number(random, 1, most); };
    const auto ranks = static_cast<std::size_t>(n);
    const std::size_t same = number(random, 1, most);
    std::vector counts(ranks, std::vector<std::size_t>(ranks, same));
    if (one.verb == Verb::alltoall && !one.equal) {
        for (std::size_t r = 0; r < ranks; ++r)
            for (std::size_t s = 0; s < ranks; ++s)
                counts[r][s] = one.in_place && s < r ? counts[s][r] : count(); // what goes is what comes
    } else if (!one.equal) {
        for (std::size_t s = 0; s < ranks; ++s) {
            const std::size_t of_rank = count();
            for (std::size_t r = 0; r < ranks; ++r)
                counts[r][s] = of_rank;
        }
    }
    return counts;
}

/// A few depths, so that many are equal, as all APIs keep them.
void set_depths(const Case &one, Bytes &pixels) {
    const auto color = static_cast<std::size_t>(pixMPI_Format_bytes(one.format)),
               depth = static_cast<std::size_t>(pixMPI_Format_bytes(one.depth));
    for (std::size_t at = color; depth && at < pixels.size(); at += color + depth) {
        const std::uint32_t eighths = pixels[at] & 7, stencil = pixels[at + 1];
        const float real = static_cast<float>(eighths) / 8;
        const auto shorter = static_cast<std::uint16_t>(eighths << 13);
        std::uint32_t words[2] = {eighths << 29, stencil};
        if (one.depth == PIXMPI_DEPTH24_STENCIL8)
            words[0] |= stencil;
        else if (one.depth == PIXMPI_DEPTH32F || one.depth == PIXMPI_DEPTH32F_STENCIL8)
            std::memcpy(words, &real, sizeof real);
        if (one.depth == PIXMPI_DEPTH16)
            std::memcpy(&pixels[at], &shorter, sizeof shorter);
        else
            std::memcpy(&pixels[at], words, depth);
    }
}

double depth_of(pixMPI_Format depth, const std::uint8_t *bytes) {
    std::uint32_t word = 0;
    float real = 0;
    switch (depth) {
    case PIXMPI_DEPTH16:
        return bytes[0] + 256 * bytes[1];
    case PIXMPI_DEPTH24:
    case PIXMPI_DEPTH24_STENCIL8:
        std::memcpy(&word, bytes, sizeof word);
        return word >> 8;
    default:
        std::memcpy(&real, bytes, sizeof real);
        return static_cast<double>(real);
    }
}

} // namespace

const char *name_of(Verb verb) {
    constexpr const char *names[] = {"Bcast",  "Gather",    "Scatter",        "Allgather", "Alltoall",
                                     "Reduce", "Allreduce", "Reduce_scatter", "Scan",      "Exscan"};
    return names[static_cast<int>(verb)];
}

bool is_reduction(Verb verb) { return verb >= Verb::reduce; }
bool is_rooted(Verb verb) {
    return verb == Verb::bcast || verb == Verb::gather || verb == Verb::scatter || verb == Verb::reduce;
}

Case make_case(Verb verb, pixMPI_Format format, pixMPI_Op op, int n, std::size_t most, std::uint64_t seed,
               pixMPI_Format depth) {
    Random random(seed);
    Case one;
    one.verb = verb;
    one.format = format;
    one.depth = depth;
    one.op = op;
    one.root = static_cast<int>(number(random, 0, static_cast<std::size_t>(n) - 1));
    one.in_place = verb != Verb::bcast && number(random, 0, 2) == 0;
    one.equal = verb == Verb::bcast || (is_reduction(verb) && verb != Verb::reduce_scatter) || number(random, 0, 1);
    one.order.resize(static_cast<std::size_t>(n));
    std::iota(one.order.begin(), one.order.end(), 0);
    const auto counts = make_counts(random, one, n, most);
    constexpr std::size_t most_rows = 4000; // of a texture
    const std::size_t pixels = most_pixels(counts) + 8, least_width = pixels / most_rows + 1;
    one.width = static_cast<int>(number(random, least_width, least_width + 96));
    one.height = static_cast<int>(pixels / static_cast<std::size_t>(one.width)) + 1;
    const std::size_t bytes = static_cast<std::size_t>(one.width) * static_cast<std::size_t>(one.height) *
                              static_cast<std::size_t>(one.pixel_bytes());
    for (std::size_t r = 0; r < static_cast<std::size_t>(n); ++r) {
        RankState state;
        state.send = pattern(bytes, seed_of(seed, r, 1));
        state.recv = pattern(bytes, seed_of(seed, r, 2));
        set_depths(one, state.send);
        set_depths(one, state.recv);
        std::vector<std::size_t> out = counts[r], in;
        for (std::size_t s = 0; s < static_cast<std::size_t>(n); ++s)
            in.push_back(counts[s][r]);
        const std::vector<std::size_t> mine{counts[0][r]};
        const bool all_out = verb == Verb::scatter || verb == Verb::alltoall || verb == Verb::reduce_scatter;
        const bool all_in = verb == Verb::gather || verb == Verb::allgather || verb == Verb::alltoall;
        const std::vector<std::size_t> shares = counts[0]; // by rank
        state.from = make_shapes(random, one.width, verb == Verb::alltoall ? out : all_out ? shares : mine);
        state.to = make_shapes(random, one.width, verb == Verb::alltoall ? in : all_in ? shares : mine);
        one.ranks.push_back(std::move(state));
    }
    return one;
}

void fold(pixMPI_Op op, pixMPI_Format format, Bytes &into, const Bytes &with) {
    const pixmpi::Combiner combine({operation_of(op), pixmpi::Order::present_first}, format);
    NEED(static_cast<bool>(combine));
    combine(reinterpret_cast<std::byte *>(into.data()), reinterpret_cast<const std::byte *>(with.data()),
            into.size() / static_cast<std::size_t>(pixMPI_Format_bytes(format)));
}

void fold_nearest(pixMPI_Format format, pixMPI_Format depth, Bytes &into, const Bytes &with) {
    const auto color = static_cast<std::size_t>(pixMPI_Format_bytes(format)),
               all = color + static_cast<std::size_t>(pixMPI_Format_bytes(depth));
    for (std::size_t at = 0; at < into.size(); at += all)
        if (depth_of(depth, &with[at + color]) < depth_of(depth, &into[at + color]))
            std::copy_n(&with[at], all, &into[at]);
}

Bytes expected(const Case &one, int of_rank) {
    const int pixel_bytes = one.pixel_bytes();
    const auto state = [&](int r) -> const RankState & { return one.ranks[static_cast<std::size_t>(r)]; };
    const auto of = [](const std::vector<Shape> &shapes, int r) -> const Shape & {
        return shapes[shapes.size() == 1 ? 0 : static_cast<std::size_t>(r)];
    };
    const auto in_place = [&](int r) { return one.in_place && (!is_rooted(one.verb) || r == one.root); };
    // What of_rank r gives for of_rank s.
    const auto given = [&](int r, int s) {
        const RankState &from = state(r);
        if (!in_place(r) || one.verb == Verb::scatter)
            return pack(from.send, one.width, pixel_bytes, of(from.from, s));
        if (one.verb == Verb::reduce_scatter)
            return pack(from.recv, one.width, pixel_bytes, of(from.from, s));
        return pack(from.recv, one.width, pixel_bytes, of(from.to, one.verb == Verb::alltoall ? s : r));
    };
    const auto folded = [&](int s, std::size_t count) {
        Bytes result = given(one.order.front(), s);
        for (std::size_t i = 1; i < count; ++i)
            if (one.depth)
                fold_nearest(one.format, one.depth, result, given(one.order[i], s));
            else if (one.function)
                one.function(result.data(), given(one.order[i], s).data(), result.data(),
                             result.size() / static_cast<std::size_t>(pixel_bytes), one.format, nullptr);
            else
                fold(one.op, one.format, result, given(one.order[i], s));
        return result;
    };
    const int n = static_cast<int>(one.ranks.size());
    Bytes result = state(of_rank).recv;
    const auto put = [&](int r, const Bytes &packed) {
        unpack(result, one.width, pixel_bytes, of(state(of_rank).to, r), packed);
    };
    const auto place =
        static_cast<std::size_t>(std::find(one.order.begin(), one.order.end(), of_rank) - one.order.begin());
    switch (one.verb) {
    case Verb::bcast:
        put(0, pack(state(one.root).recv, one.width, pixel_bytes, state(one.root).to.front()));
        break;
    case Verb::gather:
        for (int r = 0; r < n && of_rank == one.root; ++r)
            put(r, given(r, r));
        break;
    case Verb::scatter:
        if (!in_place(of_rank))
            put(0, given(one.root, of_rank));
        break;
    case Verb::allgather:
        for (int r = 0; r < n; ++r)
            put(r, given(r, r));
        break;
    case Verb::alltoall:
        for (int r = 0; r < n; ++r)
            put(r, given(r, of_rank));
        break;
    case Verb::reduce:
        if (of_rank == one.root)
            put(0, folded(0, one.order.size()));
        break;
    case Verb::allreduce:
        put(0, folded(0, one.order.size()));
        break;
    case Verb::reduce_scatter:
        put(0, folded(of_rank, one.order.size()));
        break;
    case Verb::scan:
        put(0, folded(0, place + 1));
        break;
    case Verb::exscan:
        if (place > 0)
            put(0, folded(0, place));
        break;
    }
    return result;
}

namespace {

std::vector<pixMPI_Region> handles(const std::vector<Shape> &shapes) { return {shapes.begin(), shapes.end()}; }

/// The three forms of one verb, with the arguments that all have.
template <class Blocking, class Nonblocking, class Persistent, class... Arguments>
int in_form(Form form, pixMPI_Request *request, Blocking blocking, Nonblocking nonblocking, Persistent persistent,
            Arguments... arguments) {
    switch (form) {
    case Form::blocking:
        return blocking(arguments...);
    case Form::nonblocking:
        return nonblocking(arguments..., request);
    default:
        return persistent(arguments..., request);
    }
}

} // namespace

int call(const Case &one, Form form, const pixMPI_Surface &send_, const pixMPI_Surface &recv_, MPI_Comm comm,
         pixMPI_Op op, pixMPI_Request *request) {
    const RankState &state = one.ranks[static_cast<std::size_t>(rank)];
    const std::vector<pixMPI_Region> from = handles(state.from), to = handles(state.to);
    const bool root = rank == one.root, in_place = one.in_place && (root || !is_rooted(one.verb));
    // What does not matter here is left out.
    const bool first = one.verb == Verb::exscan && rank == one.order.front() && !in_place;
    const bool no_recv = ((one.verb == Verb::gather || one.verb == Verb::reduce) && !root) || first;
    const bool no_send = one.verb == Verb::scatter && !root;
    const bool recv_in_place = in_place && one.verb == Verb::scatter;
    const pixMPI_Surface send = no_send ? pixMPI_No_surface() : in_place && !recv_in_place ? pixMPI_In_place() : send_;
    const pixMPI_Surface recv = no_recv ? pixMPI_No_surface() : recv_in_place ? pixMPI_In_place() : recv_;
    const pixMPI_Region *const sends = no_send ? nullptr : from.data(), *const recvs = no_recv ? nullptr : to.data();
    const pixMPI_Region to_one = no_recv ? PIXMPI_REGION_NULL : to.front();
    switch (one.verb) {
    case Verb::bcast:
        return in_form(form, request, pixMPI_Bcast, pixMPI_Ibcast, pixMPI_Bcast_init, recv_, to.front(), one.root,
                       comm);
    case Verb::gather:
        return in_form(form, request, pixMPI_Gather, pixMPI_Igather, pixMPI_Gather_init, send, from.front(), recv,
                       recvs, one.root, comm);
    case Verb::scatter:
        return in_form(form, request, pixMPI_Scatter, pixMPI_Iscatter, pixMPI_Scatter_init, send, sends, recv, to_one,
                       one.root, comm);
    case Verb::allgather:
        return in_form(form, request, pixMPI_Allgather, pixMPI_Iallgather, pixMPI_Allgather_init, send, from.front(),
                       recv, recvs, comm);
    case Verb::alltoall:
        return in_form(form, request, pixMPI_Alltoall, pixMPI_Ialltoall, pixMPI_Alltoall_init, send,
                       in_place ? nullptr : sends, recv, recvs, comm);
    case Verb::reduce:
        return in_form(form, request, pixMPI_Reduce, pixMPI_Ireduce, pixMPI_Reduce_init, send, from.front(), recv,
                       to_one, op, one.root, comm);
    case Verb::allreduce:
        return in_form(form, request, pixMPI_Allreduce, pixMPI_Iallreduce, pixMPI_Allreduce_init, send, from.front(),
                       recv, to_one, op, comm);
    case Verb::reduce_scatter:
        return in_form(form, request, pixMPI_Reduce_scatter, pixMPI_Ireduce_scatter, pixMPI_Reduce_scatter_init, send,
                       sends, recv, to_one, op, comm);
    case Verb::scan:
        return in_form(form, request, pixMPI_Scan, pixMPI_Iscan, pixMPI_Scan_init, send, from.front(), recv, to_one, op,
                       comm);
    case Verb::exscan:
        return in_form(form, request, pixMPI_Exscan, pixMPI_Iexscan, pixMPI_Exscan_init, send, from.front(), recv,
                       to_one, op, comm);
    }
    return PIXMPI_ERR_ARGUMENT;
}

} // namespace api
