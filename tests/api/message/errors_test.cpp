// Bad input: a code, a text that names call, argument and expectation, nothing touched, and the next message works.
#include "rig/traffic.h"

#include <cstdlib>

using namespace api;

namespace {

constexpr int width = 40, height = 30;

/// What the bad calls are made with, one argument at a time replaced.
struct Bad {
    Bad()
        : memory(pattern(width * height * 4, 1)), surface(pixMPI_Memory(memory.data(), PIXMPI_RGBA8, width, height)) {}
    ~Bad() {
        CHECK_PIXELS(memory, pattern(width * height * 4, 1), width, 4);
        works();
    }
    /// Every verb refuses it in the same way. `where` is the argument, without the prefix of Sendrecv.
    void refused_by_all(pixMPI_Surface s, pixMPI_Region region, int peer, int tag, MPI_Comm comm, int code,
                        const char *argument, const char *peer_argument = nullptr, const char *only = "");
    /// A message around the ring.
    static void works() {
        Bytes out = pattern(90'000, static_cast<std::uint64_t>(rank)), in(90'000);
        NEED_OK(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, as_surface(in), PIXMPI_WHOLE,
                                previous_rank(), 1, world(), MPI_STATUS_IGNORE));
        CHECK_PIXELS(in, pattern(90'000, static_cast<std::uint64_t>(previous_rank())), 1000, 1);
    }
    Bytes memory;
    pixMPI_Surface surface;
};

/// A handle must not have been written.
pixMPI_Request unwritten() { return reinterpret_cast<pixMPI_Request>(std::uintptr_t{0x77}); }

void Bad::refused_by_all(pixMPI_Surface s, pixMPI_Region region, int peer, int tag, MPI_Comm comm, int code,
                         const char *argument, const char *peer_argument, const char *only) {
    const bool sends = std::string_view(only) != "receives", receives = std::string_view(only) != "sends";
    const auto words = [&](const char *call, const char *of_source = nullptr, const char *prefix = "") {
        static std::string text;
        text = std::string("pixMPI_") + call + " " +
               (of_source && peer_argument ? of_source : std::string(prefix) + argument) +
               (code == PIXMPI_ERR_COMM ? "" : " expected");
        return text.c_str();
    };
    note("%s", argument);
    pixMPI_Request request = unwritten();
    if (sends) {
        CHECK_FAILS(pixMPI_Send(s, region, peer, tag, comm), code, words("Send", "dest"));
        CHECK_FAILS(pixMPI_Isend(s, region, peer, tag, comm, &request), code, words("Isend", "dest"));
        CHECK_FAILS(pixMPI_Send_init(s, region, peer, tag, comm, &request), code, words("Send_init", "dest"));
        CHECK_FAILS(pixMPI_Sendrecv(s, region, peer, tag, surface, PIXMPI_WHOLE, rank, 1, comm, MPI_STATUS_IGNORE),
                    code, words("Sendrecv", "dest"));
        CHECK_FAILS(pixMPI_Sendrecv_replace(s, region, peer, tag, rank, 1, comm, MPI_STATUS_IGNORE), code,
                    words("Sendrecv_replace", "dest"));
    }
    if (receives) {
        CHECK_FAILS(pixMPI_Recv(s, region, peer, tag, comm, MPI_STATUS_IGNORE), code, words("Recv", "source"));
        CHECK_FAILS(pixMPI_Irecv(s, region, peer, tag, comm, &request), code, words("Irecv", "source"));
        CHECK_FAILS(pixMPI_Recv_init(s, region, peer, tag, comm, &request), code, words("Recv_init", "source"));
        CHECK_FAILS(pixMPI_Sendrecv(surface, PIXMPI_WHOLE, rank, 1, s, region, peer, tag, comm, MPI_STATUS_IGNORE),
                    code, words("Sendrecv", "source"));
    }
    CHECK(request == unwritten());
}

} // namespace

RANK_CASE(errors, regions, 1) {
    Bad bad;
    const auto refused = [&](pixMPI_Region region) {
        bad.refused_by_all(bad.surface, region, rank, 1, world(), PIXMPI_ERR_REGION, "region");
    };
    refused(PIXMPI_REGION_NULL);
    int foreign[64] = {};
    refused(reinterpret_cast<pixMPI_Region>(foreign));
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    CHECK_OK(pixMPI_Recv_init(bad.surface, PIXMPI_WHOLE, rank, 1, world(), &request));
    refused(reinterpret_cast<pixMPI_Region>(request));
    CHECK_OK(pixMPI_Request_free(&request));
    pixMPI_Region region = PIXMPI_REGION_NULL;
    CHECK_OK(pixMPI_Region_rect(0, 0, 4, 4, &region));
    pixMPI_Region freed = region;
    CHECK_OK(pixMPI_Region_free(&region));
    refused(freed);
    for (const Shape &outside :
         {rectangle(0, 0, width + 1, height), rectangle(0, 0, width, height + 1), rectangle(-1, 0, 5, 5),
          rectangle(0, -1, 5, 5), rectangle(width, 0, 1, 1), rectangle(2'000'000'000, 5, 3, 3),
          columns(0, height, width - 1, 2, 1), list_of({{0, 0, 5, 5}, {width - 4, 4, 5, 5}})})
        refused(outside);
}

RANK_CASE(errors, surfaces, 1) {
    Bad bad;
    const auto changed = [&](auto change) {
        pixMPI_Surface s = bad.surface;
        change(s);
        return s;
    };
    const auto refused = [&](pixMPI_Surface s, int code = PIXMPI_ERR_SURFACE) {
        bad.refused_by_all(s, PIXMPI_WHOLE, rank, 1, world(), code, "surface");
    };
    refused(changed([](auto &s) { s.data = nullptr; }));
    refused(changed([](auto &s) { s.width = -1; }));
    refused(changed([](auto &s) { s.height = -7; }));
    refused(changed([](auto &s) { s.row_bytes = 4 * width - 1; }));
    refused(changed([](auto &s) { s.row_bytes = -4 * width + 1; }));
    refused(changed([](auto &s) { s.row_bytes = 0; }));
    refused(changed([](auto &s) { s.format = PIXMPI_FORMAT_NONE; }), PIXMPI_ERR_FORMAT);
    refused(changed([](auto &s) { s.format = PIXMPI_FORMAT_END; }), PIXMPI_ERR_FORMAT);
    if (!sanitized) // only C lets an enumeration have such a value
        refused(changed([](auto &s) { s.format = static_cast<pixMPI_Format>(100'000); }), PIXMPI_ERR_FORMAT);
}

// A pointer of a GPU, where CUDA is not loaded, is such an address.
RANK_CASE(errors, address_without_memory, 1) {
    Bad bad;
    bad.refused_by_all(pixMPI_Memory(reinterpret_cast<void *>(0x10000), PIXMPI_RGBA8, width, height), PIXMPI_WHOLE,
                       next_rank(), 1, world(), PIXMPI_ERR_SURFACE, "surface");
    CHECK_FAILS(pixMPI_Send(pixMPI_Memory(reinterpret_cast<void *>(0x10000), PIXMPI_RGBA8, width, height), PIXMPI_WHOLE,
                            next_rank(), 1, world()),
                PIXMPI_ERR_SURFACE, "surface.data");
}

RANK_CASE(errors, ranks_tags_communicators, 1) {
    Bad bad;
    for (int no_rank : {size, size + 1, 1'000'000, -77})
        bad.refused_by_all(bad.surface, PIXMPI_WHOLE, no_rank, 1, world(), PIXMPI_ERR_RANK, "", "dest and source");
    bad.refused_by_all(bad.surface, PIXMPI_WHOLE, MPI_ANY_SOURCE, 1, world(), PIXMPI_ERR_RANK, "dest", nullptr,
                       "sends");
    int *most = nullptr, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);
    for (int tag : {-5, -1'000'000, *most < 2'147'483'647 ? *most + 1 : -3})
        bad.refused_by_all(bad.surface, PIXMPI_WHOLE, rank, tag, world(), PIXMPI_ERR_TAG, "tag");
    bad.refused_by_all(bad.surface, PIXMPI_WHOLE, rank, MPI_ANY_TAG, world(), PIXMPI_ERR_TAG, "tag", nullptr, "sends");
    bad.refused_by_all(bad.surface, PIXMPI_WHOLE, rank, 1, MPI_COMM_NULL, PIXMPI_ERR_COMM, "comm");
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    bad.refused_by_all(bad.surface, PIXMPI_WHOLE, rank, 1, other, PIXMPI_ERR_COMM, "comm");
    MPI_Comm_free(&other);

    MPI_Status status;
    int seen = 0;
    CHECK_FAILS(pixMPI_Probe(size, 1, world(), &status), PIXMPI_ERR_RANK, "pixMPI_Probe source expected");
    CHECK_FAILS(pixMPI_Iprobe(0, -9, world(), &seen, &status), PIXMPI_ERR_TAG, "pixMPI_Iprobe tag expected");
    CHECK_FAILS(pixMPI_Iprobe(0, 1, MPI_COMM_NULL, &seen, &status), PIXMPI_ERR_COMM, "pixMPI_Iprobe comm expected");
    CHECK_FAILS(pixMPI_Iprobe(0, 1, world(), nullptr, &status), PIXMPI_ERR_ARGUMENT, "pixMPI_Iprobe flag expected");
    pixMPI_Route route;
    CHECK_FAILS(pixMPI_Comm_route(world(), size, &route), PIXMPI_ERR_RANK, "pixMPI_Comm_route rank expected");
    CHECK_FAILS(pixMPI_Comm_route(world(), -1, &route), PIXMPI_ERR_RANK, "pixMPI_Comm_route rank expected");
    CHECK_FAILS(pixMPI_Comm_route(MPI_COMM_NULL, 0, &route), PIXMPI_ERR_COMM, "pixMPI_Comm_route comm expected");
    CHECK_FAILS(pixMPI_Comm_route(world(), 0, nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Comm_route route expected");
    CHECK_FAILS(pixMPI_Comm_attach(MPI_COMM_NULL, nullptr), PIXMPI_ERR_COMM, "pixMPI_Comm_attach comm expected");
    CHECK_FAILS(pixMPI_Comm_detach(MPI_COMM_NULL), PIXMPI_ERR_COMM, "pixMPI_Comm_detach comm expected");
    CHECK_FAILS(pixMPI_Get_stats(nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Get_stats stats expected");
}

RANK_CASE(errors, null_outputs, 1) {
    Bad bad;
    CHECK_FAILS(pixMPI_Isend(bad.surface, PIXMPI_WHOLE, rank, 1, world(), nullptr), PIXMPI_ERR_ARGUMENT,
                "pixMPI_Isend request");
    CHECK_FAILS(pixMPI_Irecv(bad.surface, PIXMPI_WHOLE, rank, 1, world(), nullptr), PIXMPI_ERR_ARGUMENT,
                "pixMPI_Irecv request");
    CHECK_FAILS(pixMPI_Send_init(bad.surface, PIXMPI_WHOLE, rank, 1, world(), nullptr), PIXMPI_ERR_ARGUMENT,
                "pixMPI_Send_init request");
    CHECK_FAILS(pixMPI_Recv_init(bad.surface, PIXMPI_WHOLE, rank, 1, world(), nullptr), PIXMPI_ERR_ARGUMENT,
                "pixMPI_Recv_init request");
    CHECK_FAILS(pixMPI_Wait(nullptr, MPI_STATUS_IGNORE), PIXMPI_ERR_ARGUMENT, "pixMPI_Wait request");
    CHECK_FAILS(pixMPI_Start(nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Start request");
    CHECK_FAILS(pixMPI_Cancel(nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Cancel request");
    CHECK_FAILS(pixMPI_Request_free(nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Request_free request");
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    int flag = 0, number = 0, indices[1];
    CHECK_FAILS(pixMPI_Test(&request, nullptr, MPI_STATUS_IGNORE), PIXMPI_ERR_ARGUMENT, "pixMPI_Test flag");
    CHECK_FAILS(pixMPI_Testall(1, &request, nullptr, MPI_STATUSES_IGNORE), PIXMPI_ERR_ARGUMENT, "pixMPI_Testall flag");
    CHECK_FAILS(pixMPI_Waitany(1, &request, nullptr, MPI_STATUS_IGNORE), PIXMPI_ERR_ARGUMENT, "pixMPI_Waitany index");
    CHECK_FAILS(pixMPI_Waitsome(1, &request, nullptr, indices, MPI_STATUSES_IGNORE), PIXMPI_ERR_ARGUMENT,
                "pixMPI_Waitsome outcount");
    CHECK_FAILS(pixMPI_Waitsome(1, &request, &number, nullptr, MPI_STATUSES_IGNORE), PIXMPI_ERR_ARGUMENT,
                "pixMPI_Waitsome indices");
    for (int negative : {-1, -1'000'000}) {
        CHECK_FAILS(pixMPI_Waitall(negative, &request, MPI_STATUSES_IGNORE), PIXMPI_ERR_ARGUMENT,
                    "pixMPI_Waitall count");
        CHECK_FAILS(pixMPI_Testall(negative, &request, &flag, MPI_STATUSES_IGNORE), PIXMPI_ERR_ARGUMENT,
                    "pixMPI_Testall count");
        CHECK_FAILS(pixMPI_Waitany(negative, &request, &number, MPI_STATUS_IGNORE), PIXMPI_ERR_ARGUMENT,
                    "pixMPI_Waitany count");
        CHECK_FAILS(pixMPI_Startall(negative, &request), PIXMPI_ERR_ARGUMENT, "pixMPI_Startall count");
    }
    CHECK_FAILS(pixMPI_Waitall(2, nullptr, MPI_STATUSES_IGNORE), PIXMPI_ERR_ARGUMENT, "pixMPI_Waitall requests");
    CHECK_FAILS(pixMPI_Startall(2, nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Startall requests");
    std::int64_t pixels = 0;
    MPI_Status status{};
    CHECK_FAILS(pixMPI_Get_count(nullptr, PIXMPI_R8, &pixels), PIXMPI_ERR_ARGUMENT, "pixMPI_Get_count status");
    CHECK_FAILS(pixMPI_Get_count(&status, PIXMPI_R8, nullptr), PIXMPI_ERR_ARGUMENT, "pixMPI_Get_count pixels");
    CHECK_FAILS(pixMPI_Get_count(&status, PIXMPI_FORMAT_NONE, &pixels), PIXMPI_ERR_FORMAT, "pixMPI_Get_count format");
}

RANK_CASE(errors, requests, 1) {
    Bad bad;
    int foreign[64] = {}, flag = 0, index = 0, outcount = 0, indices[2];
    pixMPI_Region region = PIXMPI_REGION_NULL;
    CHECK_OK(pixMPI_Region_rect(0, 0, 4, 4, &region));
    pixMPI_Request freed = PIXMPI_REQUEST_NULL;
    CHECK_OK(pixMPI_Recv_init(bad.surface, PIXMPI_WHOLE, rank, 1, world(), &freed));
    pixMPI_Request copy = freed;
    CHECK_OK(pixMPI_Request_free(&copy));
    for (pixMPI_Request what :
         {freed, reinterpret_cast<pixMPI_Request>(foreign), reinterpret_cast<pixMPI_Request>(region)}) {
        pixMPI_Request r[2] = {PIXMPI_REQUEST_NULL, what};
        CHECK_FAILS(pixMPI_Wait(&r[1], MPI_STATUS_IGNORE), PIXMPI_ERR_REQUEST, "pixMPI_Wait request expected");
        CHECK_FAILS(pixMPI_Test(&r[1], &flag, MPI_STATUS_IGNORE), PIXMPI_ERR_REQUEST, "pixMPI_Test request expected");
        CHECK_FAILS(pixMPI_Waitall(2, r, MPI_STATUSES_IGNORE), PIXMPI_ERR_REQUEST,
                    "pixMPI_Waitall requests[1] expected");
        CHECK_FAILS(pixMPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE), PIXMPI_ERR_REQUEST,
                    "pixMPI_Testall requests[1] expected");
        CHECK_FAILS(pixMPI_Waitany(2, r, &index, MPI_STATUS_IGNORE), PIXMPI_ERR_REQUEST,
                    "pixMPI_Waitany requests[1] expected");
        CHECK_FAILS(pixMPI_Waitsome(2, r, &outcount, indices, MPI_STATUSES_IGNORE), PIXMPI_ERR_REQUEST,
                    "pixMPI_Waitsome requests[1] expected");
        CHECK_FAILS(pixMPI_Start(&r[1]), PIXMPI_ERR_REQUEST, "pixMPI_Start request expected");
        CHECK_FAILS(pixMPI_Startall(1, &r[1]), PIXMPI_ERR_REQUEST, "pixMPI_Startall requests[0] expected");
        CHECK_FAILS(pixMPI_Cancel(&r[1]), PIXMPI_ERR_REQUEST, "pixMPI_Cancel request expected");
        CHECK_FAILS(pixMPI_Request_free(&r[1]), PIXMPI_ERR_REQUEST, "pixMPI_Request_free request expected");
        CHECK(r[1] == what);
    }
    CHECK_OK(pixMPI_Region_free(&region));
    pixMPI_Request null = PIXMPI_REQUEST_NULL;
    CHECK_FAILS(pixMPI_Start(&null), PIXMPI_ERR_REQUEST, "pixMPI_Start request expected");
    CHECK_FAILS(pixMPI_Request_free(&null), PIXMPI_ERR_REQUEST, "pixMPI_Request_free request expected");
}

RANK_CASE(errors, starting, 1) {
    Bad bad;
    Bytes memory(90'000);
    pixMPI_Request once, inactive, active;
    CHECK_OK(pixMPI_Irecv(as_surface(memory), PIXMPI_WHOLE, rank, 60, world(), &once));
    CHECK_FAILS(pixMPI_Start(&once), PIXMPI_ERR_REQUEST, "pixMPI_Start request persistent");
    CHECK_OK(pixMPI_Recv_init(as_surface(memory), PIXMPI_WHOLE, rank, 61, world(), &inactive));
    CHECK_OK(pixMPI_Recv_init(as_surface(memory), PIXMPI_WHOLE, rank, 62, world(), &active));
    CHECK_OK(pixMPI_Start(&active));
    CHECK_FAILS(pixMPI_Start(&active), PIXMPI_ERR_REQUEST, "pixMPI_Start request active");
    // None is started when one cannot be.
    pixMPI_Request list[2] = {inactive, active};
    CHECK_FAILS(pixMPI_Startall(2, list), PIXMPI_ERR_REQUEST, "pixMPI_Startall requests[1]");
    int index = 0;
    CHECK_FAILS(pixMPI_Cancel(&inactive), PIXMPI_ERR_REQUEST, "pixMPI_Cancel request");
    CHECK_OK(pixMPI_Waitany(1, &inactive, &index, MPI_STATUS_IGNORE));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_OK(pixMPI_Cancel(&active));
    NEED_OK(pixMPI_Wait(&active, MPI_STATUS_IGNORE));
    CHECK_OK(pixMPI_Cancel(&once));
    NEED_OK(pixMPI_Wait(&once, MPI_STATUS_IGNORE));
    CHECK_OK(pixMPI_Request_free(&inactive));
    CHECK_OK(pixMPI_Request_free(&active));
}

RANK_CASE(errors, options, 1) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const auto refused = [&](auto change, const char *name) {
        pixMPI_Options options = PIXMPI_OPTIONS_INIT;
        change(options);
        CHECK_FAILS(pixMPI_Comm_attach(comm, &options), PIXMPI_ERR_ARGUMENT,
                    (std::string("pixMPI_Comm_attach expected ") + name).c_str());
    };
    refused([](auto &o) { o.route = "mpi,carrier pigeon"; }, "route pigeon");
    refused([](auto &o) { o.route = ","; }, "route");
    refused([](auto &o) { o.stage_bytes = 1000; }, "stage_bytes");
    refused([](auto &o) { o.log_level = 99; }, "log_level");
    refused([](auto &o) { o.log_level = -1; }, "log_level");
    refused([](auto &o) { o.errors = 4; }, "errors");
    Bytes memory(10);
    CHECK_FAILS(pixMPI_Send(as_surface(memory), PIXMPI_WHOLE, 0, 1, comm), PIXMPI_ERR_COMM, "comm");
    for (const char *setting :
         {"PIXMPI_ROUTE=teleport", "PIXMPI_BAND=wide", "PIXMPI_BAND=-1", "PIXMPI_STAGE=1X", "PIXMPI_STAGE=12",
          "PIXMPI_EAGER=99999999999999999999999", "PIXMPI_LOG=loud", "PIXMPI_GPU_AWARE=2", "PIXMPI_PROGRESS=threads",
          "PIXMPI_JPEG=gpu", "PIXMPI_SEARCH=1", "PIXMPI_ERRORS=1", "PIXMPI_CUDA=off"}) {
        note("%s", setting);
        const Setting wrong(setting);
        CHECK_FAILS(pixMPI_Comm_attach(comm, nullptr), PIXMPI_ERR_ARGUMENT,
                    ("pixMPI_Comm_attach expected " + wrong.name()).c_str());
    }
    CHECK_OK(pixMPI_Comm_attach(comm, nullptr));
    Bad::works();
    MPI_Comm_free(&comm);
}

RANK_CASE(errors, codes_have_texts, 1) {
    std::vector<std::string> texts;
    for (int code = PIXMPI_SUCCESS; code < PIXMPI_ERR_END; ++code) {
        texts.push_back(pixMPI_Error_string(code));
        CHECK(!texts.back().empty() && texts.back() != "unknown error");
        for (std::size_t i = 0; i + 1 < texts.size(); ++i)
            CHECK(texts[i] != texts.back());
    }
    for (int code : {-1, int{PIXMPI_ERR_END}, 12345})
        CHECK(std::string(pixMPI_Error_string(code)) == "unknown error");
    Bytes memory(10);
    CHECK_FAILS(pixMPI_Send(as_surface(memory), PIXMPI_WHOLE, size, 1, world()), PIXMPI_ERR_RANK,
                ("rank " + std::to_string(rank) + " pixMPI_Send dest").c_str());
}
