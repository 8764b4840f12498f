// Collectives against what they should do on one rank after the other (collective_model.h), between ends of all APIs.
#include "collective/collective_ends.h"

#include <algorithm>
#include <thread>

using namespace api;

namespace {

const pixMPI_Op no_op = PIXMPI_OP_NULL;

/// Every verb in one form on one combination of ends.
void every_verb(std::size_t most, std::size_t rounds) {
    std::uint64_t seed = seed_of(run_seed(), most);
    for (std::size_t round = 0; round < rounds; ++round)
        for (const Verb verb : all_verbs) {
            const pixMPI_Format format = formats_of_all()[round % formats_of_all().size()];
            // MAX is the same operation on all devices, whatever the numbers are.
            const Case one = make_case(verb, format, PIXMPI_MAX, size, most, ++seed);
            const Form form = forms[seed % 3];
            note("%s, seed %llu, round %zu, format %s, root %d%s", name_of(verb), static_cast<unsigned long long>(seed),
                 round, pixMPI_Format_name(format), one.root, one.in_place ? ", in place" : "");
            Ends ends = make_ends(one, round);
            run(one, form, ends, is_reduction(verb) ? PIXMPI_MAX : no_op);
        }
}

bool combines(pixMPI_Op op, pixMPI_Format format) {
    pixMPI_Surface nothing = pixMPI_Memory(nullptr, format, 0, 0);
    return pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, nothing, PIXMPI_WHOLE, op, MPI_COMM_SELF) ==
           PIXMPI_SUCCESS;
}

const pixMPI_Op all_ops[] = {PIXMPI_SUM, PIXMPI_PROD, PIXMPI_MIN,  PIXMPI_MAX,          PIXMPI_BAND,
                             PIXMPI_BOR, PIXMPI_BXOR, PIXMPI_OVER, PIXMPI_OVER_STRAIGHT};

} // namespace

RANK_CASE(collectives, of_small_pictures, 1) { every_verb(300, 2 * end_kinds().size()); }

RANK_CASE(collectives, of_large_pictures, 1) { every_verb(90'000, 2); }

RANK_CASE(collectives, every_operation, 1) {
    NEED_OK(pixMPI_Comm_attach(MPI_COMM_SELF, nullptr));
    std::uint64_t seed = seed_of(run_seed(), 7);
    int combined = 0;
    for (int format = PIXMPI_FORMAT_NONE + 1; format < PIXMPI_FORMAT_END; ++format)
        for (const pixMPI_Op op : all_ops) {
            const auto f = static_cast<pixMPI_Format>(format);
            if (!combines(op, f))
                continue;
            ++combined;
            const Verb verb = all_verbs[5 + ++seed % 5];
            Case one = make_case(verb, f, op, size, seed % 3 ? 200 : 9000, seed);
            note("%s of %s, op %d, seed %llu", name_of(verb), pixMPI_Format_name(f),
                 static_cast<int>(reinterpret_cast<std::uintptr_t>(op)), static_cast<unsigned long long>(seed));
            Ends ends = in_memory(one);
            run(one, Form::blocking, ends, op);
        }
    CHECK(combined > 250);
    NEED_OK(pixMPI_Comm_detach(MPI_COMM_SELF));
}

RANK_CASE(collectives, in_an_order_of_ranks, 2) {
    std::uint64_t seed = seed_of(run_seed(), 8);
    for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_RGBA32F})
        for (const Verb verb : {Verb::reduce, Verb::allreduce, Verb::reduce_scatter, Verb::scan, Verb::exscan})
            for (const std::size_t most : {100, 40'000}) {
                Case one = make_case(verb, format, PIXMPI_OVER, size, most, ++seed);
                std::mt19937_64 random(seed);
                std::shuffle(one.order.begin(), one.order.end(), random);
                note("%s of %s, seed %llu", name_of(verb), pixMPI_Format_name(format),
                     static_cast<unsigned long long>(seed));
                pixMPI_Op op = PIXMPI_OP_NULL;
                NEED_OK(pixMPI_Op_ordered(PIXMPI_OVER, size, one.order.data(), &op));
                Ends ends = in_memory(one);
                run(one, forms[seed % 3], ends, op);
                NEED_OK(pixMPI_Op_free(&op));
            }
}

namespace {

const pixMPI_Format depth_formats[] = {PIXMPI_DEPTH16, PIXMPI_DEPTH24, PIXMPI_DEPTH32F, PIXMPI_DEPTH24_STENCIL8,
                                       PIXMPI_DEPTH32F_STENCIL8};

} // namespace

/// Every verb moves both planes, and the reductions combine them, between ends of all APIs.
RANK_CASE(collectives, colors_by_depth, 1) {
    const pixMPI_Format colors[] = {PIXMPI_RGBA8, PIXMPI_RGBA32UI, PIXMPI_RG16UI};
    std::uint64_t seed = seed_of(run_seed(), 21);
    for (std::size_t round = 0; round < 2 * end_kinds().size(); ++round)
        for (const Verb verb : all_verbs) {
            const pixMPI_Format color = colors[round % 3], depth = depth_formats[round % 5];
            const std::size_t most = round % 5 == 0 && seed % 2 ? 60'000 : 300;
            const Case one = make_case(verb, color, PIXMPI_NEAREST, size, most, ++seed, depth);
            note("%s, seed %llu, round %zu, %s with %s, root %d%s", name_of(verb),
                 static_cast<unsigned long long>(seed), round, pixMPI_Format_name(color), pixMPI_Format_name(depth),
                 one.root, one.in_place ? ", in place" : "");
            Ends ends = make_ends(one, round);
            run(one, forms[seed % 3], ends, is_reduction(verb) ? PIXMPI_NEAREST : no_op);
        }
}

RANK_CASE(collectives, colors_by_depth_of_all_formats, 1) {
    std::uint64_t seed = seed_of(run_seed(), 22);
    for (const pixMPI_Format color : {PIXMPI_RGBA8, PIXMPI_RGBA16F, PIXMPI_RGB32F, PIXMPI_RGBA32F, PIXMPI_RGB10_A2})
        for (const pixMPI_Format depth : depth_formats)
            for (const Verb verb : {Verb::reduce, Verb::allreduce, Verb::reduce_scatter, Verb::scan, Verb::exscan}) {
                ++seed;
                Case one = make_case(verb, color, PIXMPI_NEAREST, size, seed % 3 ? 200 : 9000, seed, depth);
                std::mt19937_64 random(seed);
                std::shuffle(one.order.begin(), one.order.end(), random);
                note("%s of %s with %s, seed %llu", name_of(verb), pixMPI_Format_name(color), pixMPI_Format_name(depth),
                     static_cast<unsigned long long>(seed));
                pixMPI_Op op = PIXMPI_OP_NULL;
                NEED_OK(pixMPI_Op_ordered(PIXMPI_NEAREST, size, one.order.data(), &op));
                Ends ends = in_memory(one);
                run(one, forms[seed % 3], ends, op);
                NEED_OK(pixMPI_Op_free(&op));
            }
}

RANK_CASE(collectives, planes_that_do_not_fit, 1) {
    const auto color = make_memory(PIXMPI_RGBA8, 20, 10), depth = make_memory(PIXMPI_DEPTH32F, 20, 10),
               small = make_memory(PIXMPI_DEPTH32F, 20, 9), bytes = make_memory(PIXMPI_RGB8, 20, 10),
               shorts = make_memory(PIXMPI_DEPTH16, 20, 10);
    const WithDepth whole{color->any(), depth->any()};
    const auto all = [](const pixMPI_Surface &surface, pixMPI_Op op) {
        return pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, surface, PIXMPI_WHOLE, op, world());
    };
    CHECK_FAILS(all(whole, PIXMPI_SUM), PIXMPI_ERR_FORMAT, "SUM RGBA8 expected NEAREST");
    CHECK_FAILS(all(color->any(), PIXMPI_NEAREST), PIXMPI_ERR_FORMAT, "NEAREST RGBA8 pixMPI_With_depth");
    CHECK_FAILS(all(WithDepth{color->any(), small->any()}, PIXMPI_NEAREST), PIXMPI_ERR_SURFACE,
                "20x10 colours 20x9 depths");
    CHECK_FAILS(all(WithDepth{bytes->any(), depth->any()}, PIXMPI_NEAREST), PIXMPI_ERR_FORMAT, "colours RGB8");
    CHECK_FAILS(all(WithDepth{color->any(), color->any()}, PIXMPI_NEAREST), PIXMPI_ERR_FORMAT, "depths RGBA8");
    CHECK_FAILS(all(WithDepth{depth->any(), depth->any()}, PIXMPI_NEAREST), PIXMPI_ERR_FORMAT, "colours DEPTH32F");
    CHECK_FAILS(all(WithDepth{whole, depth->any()}, PIXMPI_NEAREST), PIXMPI_ERR_SURFACE, "surface.api");
    CHECK_FAILS(all(WithDepth{color->any(), whole}, PIXMPI_NEAREST), PIXMPI_ERR_SURFACE, "surface.api");
    CHECK_FAILS(all(WithDepth{pixMPI_In_place(), depth->any()}, PIXMPI_NEAREST), PIXMPI_ERR_SURFACE,
                "surface in place");
    CHECK_FAILS(pixMPI_Allreduce(whole, PIXMPI_WHOLE, WithDepth{color->any(), shorts->any()}, PIXMPI_WHOLE,
                                 PIXMPI_NEAREST, world()),
                PIXMPI_ERR_FORMAT, "recvsurface bytes");
    const auto both = make_memory(PIXMPI_RG32UI, 20, 10); // as many bytes, but of one plane
    const int code = pixMPI_Sendrecv(whole, PIXMPI_WHOLE, next_rank(), 1, both->any(), PIXMPI_WHOLE, previous_rank(), 1,
                                     world(), MPI_STATUS_IGNORE);
    CHECK(code == PIXMPI_ERR_FORMAT || code == PIXMPI_ERR_PEER);
    after_it_all_is_well();
}

RANK_CASE(collectives, barrier, 1) {
    for (const Form form : forms) {
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        if (form == Form::blocking)
            NEED_OK(pixMPI_Barrier(world()));
        if (form == Form::nonblocking)
            NEED_OK(pixMPI_Ibarrier(world(), &request));
        if (form == Form::persistent) {
            NEED_OK(pixMPI_Barrier_init(world(), &request));
            NEED_OK(pixMPI_Start(&request));
        }
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        if (request != PIXMPI_REQUEST_NULL)
            NEED_OK(pixMPI_Request_free(&request));
    }
    // Nobody leaves before all have come, by the clock of the host in microseconds.
    const auto clock = [] {
        return std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    };
    const std::int64_t begin = everywhere(static_cast<int>(clock() / 1'000'000)) * std::int64_t{1'000'000};
    for (int late = 0; late < size; ++late) {
        if (rank == late)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const auto came = static_cast<int>(clock() - begin);
        NEED_OK(pixMPI_Barrier(world()));
        const auto left = static_cast<int>(clock() - begin);
        CHECK(left >= everywhere(came));
    }
}

namespace {

/// A collective that is under way, with its surfaces.
struct Running {
    explicit Running(Case made) : one(std::move(made)), ends(in_memory(one)) {}
    Case one;
    Ends ends;
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
};

} // namespace

RANK_CASE(collectives, many_at_once, 1) {
    std::mt19937_64 random(seed_of(run_seed(), 9));
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    NEED_OK(pixMPI_Comm_attach(second, nullptr));
    for (int round = 0; round < 4; ++round) {
        std::vector<std::unique_ptr<Running>> running;
        std::vector<pixMPI_Request> requests;
        const auto message = make_memory(PIXMPI_RGBA8, 80, 90), sent = make_memory(PIXMPI_RGBA8, 80, 90);
        const Bytes own = sent->fill(static_cast<unsigned>(rank));
        requests.emplace_back();
        NEED_OK(message->irecv(PIXMPI_WHOLE, MPI_ANY_SOURCE, MPI_ANY_TAG, &requests.back()));
        for (int i = 0; i < 8; ++i) {
            const std::uint64_t seed = random();
            const Verb verb = all_verbs[seed % std::size(all_verbs)];
            auto made = std::make_unique<Running>(
                make_case(verb, PIXMPI_RGBA8, PIXMPI_SUM, size, seed % 3 ? 500 : 50'000, seed));
            note("round %d, %d: %s, seed %llu", round, i, name_of(verb), static_cast<unsigned long long>(seed));
            fill(made->one, made->ends);
            NEED_OK(call(made->one, Form::nonblocking, made->ends.send.any(), made->ends.recv.any(),
                         seed % 2 ? second : world(), PIXMPI_SUM, &made->request));
            requests.push_back(made->request);
            running.push_back(std::move(made));
        }
        requests.emplace_back();
        NEED_OK(sent->isend(PIXMPI_WHOLE, next_rank(), 3, &requests.back()));
        // In an order of this rank's own.
        std::mt19937_64 mine(seed_of(random(), static_cast<unsigned>(rank)));
        std::shuffle(requests.begin(), requests.end(), mine);
        for (pixMPI_Request &request : requests)
            NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        for (const auto &one : running)
            check(one->one, one->ends);
        CHECK(message->read() == pattern(own.size(), static_cast<unsigned>(previous_rank())));
    }
    NEED_OK(pixMPI_Comm_detach(second));
    MPI_Comm_free(&second);
}

RANK_CASE(collectives, one_rank_is_late, 2) {
    for (const Verb verb : all_verbs) {
        const Case one =
            make_case(verb, PIXMPI_RGBA8, PIXMPI_SUM, size, 30'000, seed_of(11, static_cast<unsigned>(verb)));
        Ends ends = in_memory(one);
        note("%s", name_of(verb));
        if (rank == static_cast<int>(verb) % size)
            std::this_thread::sleep_for(std::chrono::milliseconds(verb == Verb::scan ? 1000 : 60));
        run(one, Form::blocking, ends, PIXMPI_SUM);
    }
}

RANK_CASE(collectives, wrong_arguments_on_one_rank, 1) {
    for (const Verb verb : all_verbs)
        for (const Form form : forms)
            for (int victim = 0; victim < size; victim += std::max(1, size - 1)) {
                const Case one =
                    make_case(verb, PIXMPI_RGBA8, PIXMPI_SUM, size, 20'000, seed_of(13, static_cast<unsigned>(verb)));
                Ends ends = in_memory(one);
                note("%s, form %d, rank %d is wrong", name_of(verb), static_cast<int>(form), victim);
                fill(one, ends);
                Case mine = one;
                if (rank == victim)
                    mine.root = -1;
                pixMPI_Op op = PIXMPI_SUM;
                pixMPI_Surface send = ends.send.any(), recv = ends.recv.any();
                if (rank == victim && !is_rooted(verb))
                    send.width = recv.width = -5;
                pixMPI_Request request = PIXMPI_REQUEST_NULL;
                int code = call(mine, form, send, recv, world(), op, &request);
                if (rank == victim) {
                    CHECK(code == PIXMPI_ERR_RANK || code == PIXMPI_ERR_SURFACE);
                    CHECK(request == PIXMPI_REQUEST_NULL);
                } else {
                    if (form == Form::persistent && code == PIXMPI_SUCCESS)
                        code = pixMPI_Start(&request);
                    if (form != Form::blocking && code == PIXMPI_SUCCESS)
                        code = pixMPI_Wait(&request, MPI_STATUS_IGNORE);
                    // Those that need nothing of the victim's may have all that they want.
                    const bool all_need_all = verb == Verb::allgather || verb == Verb::alltoall ||
                                              verb == Verb::allreduce || verb == Verb::reduce_scatter;
                    CHECK(code == PIXMPI_ERR_PEER || (code == PIXMPI_SUCCESS && !all_need_all));
                    if (request != PIXMPI_REQUEST_NULL)
                        CHECK_OK(pixMPI_Request_free(&request));
                }
                if (victim == 0)
                    after_it_all_is_well();
            }
    after_it_all_is_well();
}

RANK_CASE(collectives, sizes_that_differ, 2) {
    const auto picture = make_memory(PIXMPI_RGBA8, 200, 100);
    picture->fill(1);
    for (const int height : {1, 60}) {
        const Shape shape = rectangle(0, 0, 200, height - (rank == size - 1));
        const int code = pixMPI_Bcast(picture->any(), shape, 0, world());
        if (rank == size - 1)
            CHECK_EQ(code, PIXMPI_ERR_TRUNCATE);
        else
            CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
        after_it_all_is_well();
    }
    const Shape mine = rectangle(0, 0, 10 + rank, 10);
    const Shape ten = rectangle(0, 0, 10, 10);
    const std::vector<pixMPI_Region> equal(static_cast<std::size_t>(size), ten);
    const int code = pixMPI_Gather(picture->any(), mine, picture->any(), equal.data(), 0, world());
    CHECK(rank != 0 || code == PIXMPI_ERR_TRUNCATE);
    after_it_all_is_well();
}

/// Whether a rank has its pixels on a GPU, no other one knows.
RANK_CASE(collectives, allreduce_with_and_without_gpus, 2) {
    std::uint64_t seed = seed_of(run_seed(), 31);
    for (std::size_t round = 0; round < 2 * end_kinds().size(); ++round)
        for (const Form form : {Form::blocking, Form::nonblocking}) {
            const Case one = make_case(Verb::allreduce, PIXMPI_RGBA32F, PIXMPI_MAX, size, 40'000, ++seed);
            note("seed %llu, round %zu%s", static_cast<unsigned long long>(seed), round,
                 one.in_place ? ", in place" : "");
            const bool on_host = round % 2 && rank == static_cast<int>(round / 2) % size;
            Ends ends = on_host ? in_memory(one) : make_ends(one, round);
            run(one, form, ends, PIXMPI_MAX);
        }
    for (std::size_t round = 0; round < end_kinds().size(); ++round)
        for (const int height : {10, 150}) {
            note("round %zu, heights %d and 200", round, height);
            const EndKind &kind = end_kinds()[(static_cast<std::size_t>(rank) + round) % end_kinds().size()];
            const auto picture = kind.make(PIXMPI_RGBA8, 200, rank == 0 ? height : 200);
            const int code = pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, picture->any(), PIXMPI_WHOLE,
                                              PIXMPI_MAX, world());
            CHECK(code == PIXMPI_ERR_TRUNCATE || code == PIXMPI_ERR_PEER);
            after_it_all_is_well();
        }
}

/// Ranks that free a communicator first wait until rank 0 has received what it did not want: the rig's MPI_Comm_free sees
/// that.
RANK_CASE(collectives, communicator_freed_after_a_failure, 2) {
    MPI_Comm comm = duplicate();
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    const auto picture = make_memory(PIXMPI_RGBA8, 250, rank == 0 ? 300 : 400);
    picture->fill(1);
    if (rank == 0) // the others have sent bands
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const int code =
        pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, picture->any(), PIXMPI_WHOLE, PIXMPI_MAX, comm);
    CHECK(code == PIXMPI_ERR_TRUNCATE || code == PIXMPI_ERR_PEER);
    if (rank == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Comm_free(&comm);
}

/// All parts are of one size; only their numbers differ.
RANK_CASE(collectives, sizes_that_differ_by_parts, 2) {
    const auto from = make_memory(PIXMPI_RGBA8, 1024, 4096), to = make_memory(PIXMPI_RGBA8, 1024, 4096);
    from->fill(1);
    const Shape mine = rectangle(0, 0, 1024, rank == 0 ? 4096 : 256);
    const int code = pixMPI_Scan(from->any(), mine, to->any(), mine, PIXMPI_MAX, world());
    if (rank == 1)
        CHECK_EQ(code, PIXMPI_ERR_TRUNCATE);
    else
        CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
    after_it_all_is_well();
}

/// A persistent call that fails on one rank cannot be started there: each start fails, on all ranks.
RANK_CASE(collectives, persistent_call_that_is_wrong_on_one_rank, 2) {
    const auto picture = make_memory(PIXMPI_RGBA8, 200, 100);
    picture->fill(1);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    const pixMPI_Op op = rank == size - 1 ? PIXMPI_OP_NULL : PIXMPI_SUM;
    const int code =
        pixMPI_Allreduce_init(pixMPI_In_place(), PIXMPI_WHOLE, picture->any(), PIXMPI_WHOLE, op, world(), &request);
    CHECK_EQ(code, rank == size - 1 ? PIXMPI_ERR_ARGUMENT : PIXMPI_SUCCESS);
    for (int turn = 0; turn < 3 && rank != size - 1; ++turn) {
        note("start %d", turn);
        NEED_OK(pixMPI_Start(&request));
        CHECK_EQ(pixMPI_Wait(&request, MPI_STATUS_IGNORE), PIXMPI_ERR_PEER);
    }
    if (rank != size - 1)
        CHECK_OK(pixMPI_Request_free(&request));
    after_it_all_is_well();
}

RANK_CASE(collectives, name_what_is_wrong, 1) {
    const auto picture = make_memory(PIXMPI_RGBA8, 20, 10);
    const pixMPI_Surface any = picture->any();
    std::vector<pixMPI_Region> regions(static_cast<std::size_t>(size), PIXMPI_WHOLE);
    CHECK_FAILS(pixMPI_Bcast(any, PIXMPI_WHOLE, size, world()), PIXMPI_ERR_RANK, "pixMPI_Bcast root");
    CHECK_FAILS(pixMPI_Bcast(any, PIXMPI_REGION_NULL, 0, world()), PIXMPI_ERR_REGION, "region PIXMPI_REGION_NULL");
    CHECK_FAILS(pixMPI_Bcast(pixMPI_In_place(), PIXMPI_WHOLE, 0, world()), PIXMPI_ERR_SURFACE, "surface in place");
    CHECK_FAILS(pixMPI_Ibcast(any, PIXMPI_WHOLE, 0, world(), nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Ibcast request");
    CHECK_FAILS(pixMPI_Allgather(any, PIXMPI_WHOLE, any, nullptr, world()), PIXMPI_ERR_ARGUMENT, "recvregions null");
    regions.back() = PIXMPI_REGION_NULL;
    CHECK_FAILS(pixMPI_Allgather(any, PIXMPI_WHOLE, any, regions.data(), world()), PIXMPI_ERR_REGION, "recvregions[");
    CHECK_FAILS(pixMPI_Allreduce(any, PIXMPI_WHOLE, any, PIXMPI_WHOLE, PIXMPI_OP_NULL, world()), PIXMPI_ERR_ARGUMENT,
                "op PIXMPI_OP_NULL");
    const auto floats = make_memory(PIXMPI_RGBA32F, 20, 10);
    CHECK_FAILS(pixMPI_Allreduce(floats->any(), PIXMPI_WHOLE, floats->any(), PIXMPI_WHOLE, PIXMPI_BAND, world()),
                PIXMPI_ERR_FORMAT, "BAND RGBA32F");
    CHECK_FAILS(pixMPI_Allreduce(any, PIXMPI_WHOLE, floats->any(), PIXMPI_WHOLE, PIXMPI_SUM, world()),
                PIXMPI_ERR_FORMAT, "recvsurface bytes");
    CHECK_FAILS(pixMPI_Barrier(MPI_COMM_NULL), PIXMPI_ERR_COMM, "pixMPI_Barrier comm MPI_COMM_NULL");
    pixMPI_Surface invented = any;
    invented.api = 47;
    CHECK_FAILS(pixMPI_Bcast(invented, PIXMPI_WHOLE, 0, world()), PIXMPI_ERR_SURFACE, "surface.api 47");
    pixMPI_Op op = PIXMPI_SUM;
    CHECK_FAILS(pixMPI_Op_free(&op), PIXMPI_ERR_ARGUMENT, "op predefined");
    const int twice[] = {0, 0};
    CHECK_FAILS(pixMPI_Op_ordered(PIXMPI_OVER, 2, twice, &op), PIXMPI_ERR_ARGUMENT, "order[1]");
    const int one_too_many = size + 1;
    std::vector<int> order(static_cast<std::size_t>(one_too_many));
    for (int i = 0; i < one_too_many; ++i)
        order[static_cast<std::size_t>(i)] = i;
    NEED_OK(pixMPI_Op_ordered(PIXMPI_SUM, one_too_many, order.data(), &op));
    CHECK_FAILS(pixMPI_Allreduce(any, PIXMPI_WHOLE, any, PIXMPI_WHOLE, op, world()), PIXMPI_ERR_ARGUMENT, "op orders");
    CHECK_OK(pixMPI_Op_free(&op));
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(pixMPI_Ibarrier(world(), &request));
    CHECK_FAILS(pixMPI_Cancel(&request), PIXMPI_ERR_REQUEST, "cannot be cancelled");
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    after_it_all_is_well();
}

RANK_CASE(collectives, between_groups_are_refused, 2) {
    MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &both);
    NEED_OK(pixMPI_Comm_attach(both, nullptr));
    CHECK_FAILS(pixMPI_Barrier(both), PIXMPI_ERR_COMM, "comm intercommunicator");
    NEED_OK(pixMPI_Comm_detach(both));
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

RANK_CASE(collectives, communicator_freed_before_persistent_ones, 1) {
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    NEED_OK(pixMPI_Comm_attach(second, nullptr));
    const Case one = make_case(Verb::allreduce, PIXMPI_RGBA8, PIXMPI_SUM, size, 5000, 17);
    Ends ends = in_memory(one);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(call(one, Form::persistent, ends.send.any(), ends.recv.any(), second, PIXMPI_SUM, &request));
    fill(one, ends);
    NEED_OK(pixMPI_Start(&request));
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    check(one, ends);
    MPI_Comm_free(&second);
    CHECK_FAILS(pixMPI_Start(&request), PIXMPI_ERR_COMM, "pixMPI_Start comm freed");
    CHECK_OK(pixMPI_Request_free(&request));
}

/// As in MPI, what is under way goes on to its end.
RANK_CASE(collectives, communicator_freed_meanwhile, 2) {
    MPI_Comm second = duplicate();
    NEED_OK(pixMPI_Comm_attach(second, nullptr));
    const Case one = make_case(Verb::allreduce, PIXMPI_RGBA8, PIXMPI_SUM, size, 50'000, 18);
    Ends ends = in_memory(one);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    fill(one, ends);
    NEED_OK(call(one, Form::nonblocking, ends.send.any(), ends.recv.any(), second, PIXMPI_SUM, &request));
    MPI_Comm_free(&second);
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    check(one, ends);
}

/// The two sides of a message call may be of different APIs as well.
RANK_CASE(collectives, sendrecv_between_apis, 1) {
    const auto &kinds = end_kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto from = kinds[i].make(PIXMPI_RGBA8, 61, 47),
                   to = kinds[(i + 1) % kinds.size()].make(PIXMPI_RGBA8, 61, 47);
        note("%s to %s", kinds[i].name, kinds[(i + 1) % kinds.size()].name);
        const Bytes mine = from->fill(static_cast<unsigned>(rank));
        CHECK_OK(pixMPI_Sendrecv(from->any(), PIXMPI_WHOLE, next_rank(), 1, to->any(), PIXMPI_WHOLE, previous_rank(), 1,
                                 world(), MPI_STATUS_IGNORE));
        CHECK(to->read() == pattern(mine.size(), static_cast<unsigned>(previous_rank())));
        to->fill(100 + static_cast<unsigned>(rank));
        CHECK_OK(pixMPI_Sendrecv_replace(to->any(), PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, world(),
                                         MPI_STATUS_IGNORE));
        CHECK(to->read() == pattern(mine.size(), 100 + static_cast<unsigned>(previous_rank())));
    }
}
