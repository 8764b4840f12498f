// Messages with pixels that are compressed on their way: what arrives, what is counted, which side decides.
#include "rig/ends.h"

#include <algorithm>
#include <cmath>
#include <pixmpi_collectives.h>

using namespace api;

namespace {

constexpr int width = 200, height = 90; // 72,000 bytes of RGBA8: more than an envelope holds, in several bands
const pixMPI_Codec lz4 = pixMPI_Codec_of(PIXMPI_CODEC_LZ4, 0);

pixMPI_Codec codec(const char *text) {
    pixMPI_Codec found;
    CHECK_OK(pixMPI_Codec_named(text, &found));
    return found;
}

/// Colours that change slowly, each channel in its own way.
Bytes smooth(int channels, std::uint64_t seed) {
    Bytes pixels;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < channels; ++c)
                pixels.push_back(static_cast<std::uint8_t>(
                    128 + 100 * std::sin(0.02 * (x + 2 * y) + c + static_cast<double>(seed % 7))));
    return pixels;
}

/// What this process has sent through codecs since.
class Encoded {
  public:
    Encoded() : before_(now()) {}
    std::uint64_t pixels() const { return now().bytes_encoded - before_.bytes_encoded; }
    std::uint64_t streams() const { return now().bytes_of_streams - before_.bytes_of_streams; }

  private:
    static pixMPI_Stats now() {
        pixMPI_Stats stats = PIXMPI_STATS_INIT;
        CHECK_OK(pixMPI_Get_stats(&stats));
        return stats;
    }
    const pixMPI_Stats before_;
};

/// A ring: sends `out` and receives into `in`.
void pass(const End &out, pixMPI_Codec how, const End &in, MPI_Comm comm = world()) {
    NEED_OK(pixMPI_Sendrecv(pixMPI_Coded(out.any(), how), PIXMPI_WHOLE, next_rank(), 1, in.any(), PIXMPI_WHOLE,
                            previous_rank(), 1, comm, MPI_STATUS_IGNORE));
}

/// Whether this rank's messages in a ring are encoded at all: those to itself are not.
bool has_neighbour() { return size > 1; }

int largest_difference(const Bytes &seen, const Bytes &expected, int channels, bool alpha) {
    int largest = 0;
    NEED(seen.size() == expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (channels < 4 || (i % 4 == 3) == alpha)
            largest = std::max(largest, std::abs(seen[i] - expected[i]));
    return largest;
}

} // namespace

RANK_CASE(codecs, lossless, 1) {
    int salt = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        const pixMPI_Format format = formats_of_all()[static_cast<std::size_t>(salt++) % formats_of_all().size()];
        note("%s to %s, %s", from.name, to.name, pixMPI_Format_name(format));
        const auto out = from.make(format, width, height), in = to.make(format, width, height);
        out->fill(seed_of(3, static_cast<std::uint64_t>(rank)));
        in->fill(9);
        const Encoded encoded;
        pass(*out, lz4, *in);
        CHECK_PIXELS(in->read(), pattern(out->bytes(), seed_of(3, static_cast<std::uint64_t>(previous_rank()))), width,
                     in->pixel_bytes);
        in->check_surroundings();
        CHECK_EQ(encoded.pixels(), has_neighbour() ? out->bytes() : 0);
    });
}

RANK_CASE(codecs, smaller, 2) {
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        note("%s to %s", from.name, to.name);
        const auto out = from.make(PIXMPI_RGBA8, width, height), in = to.make(PIXMPI_RGBA8, width, height);
        const Bytes sent = smooth(4, 0);
        out->write(sent);
        for (const char *text : {"lz4", "jpeg:90:opaque", "jpeg:90:444:beside", "jpeg:75:422:opaque"}) {
            note("%s to %s by %s", from.name, to.name, text);
            in->fill(9);
            const Encoded encoded;
            pass(*out, codec(text), *in);
            CHECK_EQ(encoded.pixels(), out->bytes());
            CHECK(encoded.streams() > 0 && encoded.streams() < out->bytes() / 2);
            const Bytes seen = in->read();
            const bool exact = std::string_view(text) == "lz4";
            CHECK(largest_difference(seen, sent, 4, false) <= (exact ? 0 : 12));
            Bytes opaque = sent;
            if (std::string_view(text).find("opaque") != std::string_view::npos)
                for (std::size_t i = 3; i < opaque.size(); i += 4)
                    opaque[i] = 255;
            CHECK_EQ(largest_difference(seen, opaque, 4, true), 0);
        }
    });
}

RANK_CASE(codecs, grey_and_three_channels, 2) {
    for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB8, PIXMPI_BGR8}) {
        const auto out = make_memory(format, width, height), in = make_memory(format, width, height);
        const Bytes sent = smooth(out->pixel_bytes, 1);
        out->write(sent);
        pass(*out, codec("jpeg:95:444"), *in);
        CHECK(largest_difference(in->read(), sent, 3, false) <= 8);
    }
}

// The receiver's format says where red, green and blue belong.
RANK_CASE(codecs, other_order, 2) {
    const auto out = make_memory(PIXMPI_RGBA8, width, height), in = make_memory(PIXMPI_BGRA8, width, height);
    const Bytes sent = smooth(4, 2);
    out->write(sent);
    pass(*out, codec("jpeg:95:444:opaque"), *in);
    Bytes turned = sent;
    for (std::size_t i = 0; i < turned.size(); i += 4)
        std::swap(turned[i], turned[i + 2]);
    CHECK(largest_difference(in->read(), turned, 4, false) <= 8);
}

RANK_CASE(codecs, regions, 2) {
    const auto out = make_memory(PIXMPI_RGBA8, 300, 300), in = make_memory(PIXMPI_RGBA8, 300, 300);
    const Shape from = blocks({3, 2, 5, 4}, 30, 40, 8, 5), to = columns(5, 200, 7, 120, 1); // 24,000 pixels
    const Bytes sent = out->fill(seed_of(4, static_cast<std::uint64_t>(rank)));
    for (const char *text : {"lz4", "jpeg:90:beside"}) { // noise: by LZ4 either way
        note("%s", text);
        Bytes expected = in->fill(5);
        pixMPI_Request request;
        NEED_OK(pixMPI_Irecv(in->any(), to, previous_rank(), 1, world(), &request));
        NEED_OK(pixMPI_Send(pixMPI_Coded(out->any(), codec(text)), from, next_rank(), 1, world()));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        const Bytes theirs = pattern(out->bytes(), seed_of(4, static_cast<std::uint64_t>(previous_rank())));
        unpack(expected, 300, 4, to, pack(theirs, 300, 4, from));
        if (std::string_view(text) == "lz4")
            CHECK_PIXELS(in->read(), expected, 300, 4);
        else
            CHECK_EQ(largest_difference(in->read(), expected, 4, true), 0);
    }
}

// Rows, columns, blocks and what has no common rows: JPEG mixes no colours of pixels that are not neighbours.
RANK_CASE(codecs, regions_are_as_good_as_rectangles, 2) {
    constexpr int edge = 192;
    const Shape shapes[] = {rectangle(0, 0, edge, edge),
                            rectangle(7, 0, 1, edge),
                            rows(0, edge, 0, edge / 2, 2),
                            columns(0, edge, 0, edge / 2, 2),
                            blocks({0, 0, 32, 32}, 3, 3, 64, 64),
                            list_of({{0, 0, edge, 63}, {0, 100, edge, 63}}),
                            list_of({{3, 5, 96, 40}, {90, 60, 64, 33}, {0, 150, 40, 29}}),
                            list_of({{3, 5, 100, 40}, {90, 60, 60, 33}, {0, 150, 37, 29}})};
    Bytes sent;
    for (int i = 0; i < edge * edge; ++i)
        for (int c = 0; c < 4; ++c)
            sent.push_back(static_cast<std::uint8_t>(
                127 + 100 * std::sin(0.03 * (i % edge) + c) * std::cos(0.04 * (i / edge) + 2 * c)));
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        const auto out = from.make(PIXMPI_RGBA8, edge, edge), in = to.make(PIXMPI_RGBA8, edge, edge);
        out->write(sent);
        for (const Shape &shape : shapes) {
            note("%s to %s, %s", from.name, to.name, shape.name.c_str());
            in->fill(9);
            pixMPI_Request request;
            NEED_OK(pixMPI_Irecv(in->any(), shape, previous_rank(), 1, world(), &request));
            NEED_OK(pixMPI_Send(pixMPI_Coded(out->any(), codec("jpeg:95:opaque")), shape, next_rank(), 1, world()));
            NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            const Bytes seen = pack(in->read(), edge, 4, shape), right = pack(sent, edge, 4, shape);
            double sum = 0;
            for (std::size_t i = 0; i < seen.size(); ++i)
                sum += i % 4 == 3 ? 0 : (seen[i] - right[i]) * (seen[i] - right[i]);
            // The last one's rows have nothing in common, so its blocks have edges.
            CHECK(sum / (0.75 * static_cast<double>(seen.size())) < (&shape == std::end(shapes) - 1 ? 10 : 4));
        }
    });
}

// Small messages, those to itself, and pixels that JPEG makes no smaller lose their alpha as all others do.
RANK_CASE(codecs, alpha_is_one_whatever_is_sent, 1) {
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        for (const int pixels : {1, 200, 1000, 1100, 20000}) {
            note("%s to %s, %d pixels", from.name, to.name, pixels);
            const int columns = pixels / 10 + 1;
            const auto out = from.make(PIXMPI_RGBA8, columns, 10), in = to.make(PIXMPI_RGBA8, columns, 10);
            const Bytes sent = out->fill(seed_of(14, static_cast<std::uint64_t>(pixels)));
            pixMPI_Codec lossless = lz4; // says nothing of alpha, whatever stands there
            lossless.alpha = PIXMPI_ALPHA_OPAQUE;
            in->fill(15);
            pass(*out, lossless, *in);
            CHECK_PIXELS(in->read(), sent, columns, 4);
            for (const int dest : {next_rank(), rank}) {
                Bytes expected = in->fill(15);
                const int source = dest == rank ? rank : previous_rank();
                NEED_OK(pixMPI_Sendrecv(pixMPI_Coded(out->any(), codec("jpeg:100:444:opaque")), PIXMPI_WHOLE, dest, 1,
                                        in->any(), PIXMPI_WHOLE, source, 1, world(), MPI_STATUS_IGNORE));
                expected = sent;
                for (std::size_t i = 3; i < expected.size(); i += 4)
                    expected[i] = 255;
                CHECK_PIXELS(in->read(), expected, columns, 4);
            }
        }
    });
}

RANK_CASE(codecs, sizes, 2) {
    for (const int pixels : {0, 1, 1023, 1024, 1025, 4096, 16384, 16385, 65536, 300001}) {
        note("%d pixels", pixels);
        const auto out = make_memory(PIXMPI_RGBA8, std::max(1, pixels), 1), in = make_memory(PIXMPI_RGBA8,
                                                                                         std::max(1, pixels), 1);
        out->fill(seed_of(6, static_cast<std::uint64_t>(rank)));
        in->fill(8);
        const Shape shape = rectangle(0, 0, pixels, 1);
        pixMPI_Request requests[2];
        NEED_OK(pixMPI_Irecv(in->any(), shape, previous_rank(), 1, world(), &requests[0]));
        NEED_OK(pixMPI_Isend(pixMPI_Coded(out->any(), lz4), shape, next_rank(), 1, world(), &requests[1]));
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        if (pixels)
            CHECK_PIXELS(in->read(),
                         pattern(out->bytes(), seed_of(6, static_cast<std::uint64_t>(previous_rank()))), pixels, 4);
    }
}

RANK_CASE(codecs, replaced, 2) {
    const auto end = make_memory(PIXMPI_RGBA8, width, height);
    end->fill(seed_of(7, static_cast<std::uint64_t>(rank)));
    NEED_OK(pixMPI_Sendrecv_replace(pixMPI_Coded(end->any(), lz4), PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1,
                                    world(), MPI_STATUS_IGNORE));
    CHECK_PIXELS(end->read(), pattern(end->bytes(), seed_of(7, static_cast<std::uint64_t>(previous_rank()))), width, 4);
}

// The request has the last word, then the surface, then the communicator.
RANK_CASE(codecs, who_decides, 2) {
    const auto out = make_memory(PIXMPI_RGBA8, width, height), in = make_memory(PIXMPI_RGBA8, width, height);
    out->write(smooth(4, 3));
    const MPI_Comm comm = duplicate();
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    const auto encodes = [&](pixMPI_Codec how) {
        const Encoded encoded;
        pass(*out, how, *in, comm);
        return encoded.pixels() > 0;
    };
    const bool by_environment = setting("PIXMPI_CODEC", 0) > 0 || std::getenv("PIXMPI_CODEC");
    CHECK_EQ(encodes({}), by_environment);
    NEED_OK(pixMPI_Comm_set_codec(comm, lz4));
    CHECK(encodes({}));
    CHECK(!encodes(codec("none")));
    NEED_OK(pixMPI_Comm_set_codec(comm, codec("none")));
    CHECK(!encodes({}));
    CHECK(encodes(lz4));
    NEED_OK(pixMPI_Comm_set_codec(comm, {}));
    CHECK_EQ(encodes({}), by_environment);

    pixMPI_Request requests[2];
    NEED_OK(pixMPI_Recv_init(in->any(), PIXMPI_WHOLE, previous_rank(), 2, comm, &requests[0]));
    NEED_OK(pixMPI_Send_init(pixMPI_Coded(out->any(), codec("none")), PIXMPI_WHOLE, next_rank(), 2, comm,
                             &requests[1]));
    for (const char *text : {"none", "jpeg:50:opaque", "lz4", "jpeg:50:opaque"}) {
        note("a request by %s", text);
        NEED_OK(pixMPI_Request_set_codec(requests[1], codec(text)));
        const Encoded encoded;
        NEED_OK(pixMPI_Startall(2, requests));
        CHECK_FAILS(pixMPI_Request_set_codec(requests[1], lz4), PIXMPI_ERR_REQUEST, "request active");
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_EQ(encoded.pixels() > 0, std::string_view(text) != "none");
        CHECK(largest_difference(in->read(), smooth(4, 3), 4, false) <= 20);
    }
    CHECK_FAILS(pixMPI_Request_set_codec(requests[0], lz4), PIXMPI_ERR_REQUEST, "request sends nothing");
    NEED_OK(pixMPI_Request_free(&requests[0]));
    NEED_OK(pixMPI_Request_free(&requests[1]));
    MPI_Comm freed = comm;
    MPI_Comm_free(&freed);
}

// The sender is told what JPEG does not take; nothing has been sent then.
RANK_CASE(codecs, refused, 1) {
    const pixMPI_Surface depth = pixMPI_Coded(make_memory(PIXMPI_DEPTH32F, 64, 64)->any(), codec("jpeg"));
    CHECK_FAILS(pixMPI_Send(depth, PIXMPI_WHOLE, next_rank(), 1, world()), PIXMPI_ERR_FORMAT, "DEPTH32F JPEG");
    const auto rgba = make_memory(PIXMPI_RGBA8, 64, 64);
    CHECK_FAILS(pixMPI_Send(pixMPI_Coded(rgba->any(), codec("jpeg")), PIXMPI_WHOLE, next_rank(), 1, world()),
                PIXMPI_ERR_FORMAT, "RGBA8 alpha");
    pixMPI_Codec wrong = lz4;
    wrong.kind = 17;
    CHECK_FAILS(pixMPI_Send(pixMPI_Coded(rgba->any(), wrong), PIXMPI_WHOLE, next_rank(), 1, world()),
                PIXMPI_ERR_ARGUMENT, "codec.kind 17");
    CHECK_FAILS(pixMPI_Comm_set_codec(world(), pixMPI_Codec_of(PIXMPI_CODEC_JPEG, 101)), PIXMPI_ERR_ARGUMENT,
                "codec.quality 101");
    CHECK_FAILS(pixMPI_Comm_set_codec(MPI_COMM_NULL, lz4), PIXMPI_ERR_COMM, "comm");
    pixMPI_Codec found;
    for (const char *text : {"", "jpg", "lz4:90", "jpeg:0", "jpeg:101", "jpeg:440", "jpeg:", "jpeg:90:", "none:90"})
        CHECK_FAILS(pixMPI_Codec_named(text, &found), PIXMPI_ERR_ARGUMENT, "text expected");
    CHECK_FAILS(pixMPI_Codec_named(nullptr, &found), PIXMPI_ERR_ARGUMENT, "text null");
    CHECK_OK(pixMPI_Codec_named("auto:85:444:beside", &found));
    CHECK_EQ(found.kind, PIXMPI_CODEC_AUTO);
    CHECK_EQ(found.quality, 85);
    CHECK_EQ(found.subsampling, PIXMPI_SUBSAMPLING_444);
    CHECK_EQ(found.alpha, PIXMPI_ALPHA_BESIDE);
}

// A receiver that JPEG cannot fill fails; the sender and the next message do not.
RANK_CASE(codecs, receiver_of_another_format, 2) {
    const auto out = make_memory(PIXMPI_RGBA8, width, height);
    const auto floats = make_memory(PIXMPI_RG16F, width, height), in = make_memory(PIXMPI_RGBA8, width, height);
    out->write(smooth(4, 5));
    pixMPI_Request request;
    NEED_OK(pixMPI_Isend(pixMPI_Coded(out->any(), codec("jpeg:opaque")), PIXMPI_WHOLE, next_rank(), 1, world(),
                         &request));
    CHECK_FAILS(pixMPI_Recv(floats->any(), PIXMPI_WHOLE, previous_rank(), 1, world(), MPI_STATUS_IGNORE),
                PIXMPI_ERR_FORMAT, "RG16F");
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    pass(*out, lz4, *in);
    CHECK_PIXELS(in->read(), smooth(4, 5), width, 4);
}

RANK_CASE(codecs, many_at_once, 2) {
    constexpr int count = 20;
    std::vector<std::unique_ptr<End>> out, in;
    std::vector<pixMPI_Request> requests(2 * count);
    for (int i = 0; i < count; ++i) {
        out.push_back(make_memory(PIXMPI_RGBA8, width, height));
        in.push_back(make_memory(PIXMPI_RGBA8, width, height));
        out.back()->fill(seed_of(11, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(i)));
        const auto n = static_cast<std::size_t>(i);
        NEED_OK(pixMPI_Irecv(in[n]->any(), PIXMPI_WHOLE, previous_rank(), i, world(), &requests[2 * n]));
        NEED_OK(pixMPI_Isend(i % 3 ? pixMPI_Coded(out[n]->any(), lz4) : out[n]->any(), PIXMPI_WHOLE, next_rank(), i,
                             world(), &requests[2 * n + 1]));
    }
    NEED_OK(pixMPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; ++i)
        CHECK_PIXELS(in[static_cast<std::size_t>(i)]->read(),
                     pattern(out.front()->bytes(), seed_of(11, static_cast<std::uint64_t>(previous_rank()),
                                                           static_cast<std::uint64_t>(i))),
                     width, 4);
}

// By itself it loses nothing, and it compresses only where bytes have a long way.
RANK_CASE(codecs, automatic, 2) {
    const auto out = make_memory(PIXMPI_RGBA8, 500, 400), in = make_memory(PIXMPI_RGBA8, 500, 400); // several bands
    const Encoded encoded;
    for (int i = 0; i < 6; ++i) {
        out->fill(seed_of(12, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(i)));
        pass(*out, codec(i % 2 ? "auto" : "auto:90:opaque"), *in);
        if (i % 2)
            CHECK_PIXELS(in->read(),
                         pattern(out->bytes(), seed_of(12, static_cast<std::uint64_t>(previous_rank()),
                                                       static_cast<std::uint64_t>(i))),
                         500, 4);
    }
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_OK(pixMPI_Comm_route(world(), next_rank(), &route));
    CHECK_EQ(encoded.pixels() > 0, route == PIXMPI_ROUTE_MPI);
    const auto depth = make_memory(PIXMPI_DEPTH32F, 500, 400), depth_in = make_memory(PIXMPI_DEPTH32F, 500, 400);
    for (int i = 0; i < 3; ++i) {
        depth->fill(seed_of(13, static_cast<std::uint64_t>(i)));
        pass(*depth, codec("auto:90"), *depth_in);
        CHECK_PIXELS(depth_in->read(), pattern(depth->bytes(), seed_of(13, static_cast<std::uint64_t>(i))), 500, 4);
    }
    const MPI_Comm comm = duplicate(); // freed while a report may be on its way
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    NEED_OK(pixMPI_Comm_set_codec(comm, codec("auto")));
    pass(*out, {}, *in, comm);
    MPI_Comm freed = comm;
    MPI_Comm_free(&freed);
}

// Whoever hands streams on hands on what came: JPEG takes away once, however many hosts are between.
RANK_CASE(codecs, same_pixels_everywhere, 2) {
    constexpr int side = 800; // in several parts
    const auto end = make_memory(PIXMPI_RGB8, side, side);
    Bytes picture(end->bytes());
    for (std::size_t i = 0; i < picture.size(); ++i)
        picture[i] = static_cast<std::uint8_t>(128 + 90 * std::sin(0.001 * static_cast<double>(i % 9973)) +
                                               static_cast<double>(i % 17));
    end->write(rank == 0 ? picture : Bytes(picture.size(), 0));
    NEED_OK(pixMPI_Bcast(pixMPI_Coded(end->any(), codec("jpeg:40")), PIXMPI_WHOLE, 0, world()));
    const Bytes seen = end->read();
    CHECK_EQ(seen == picture, rank == 0);
    unsigned hash = 0;
    for (const std::uint8_t byte : seen)
        hash = 31 * hash + byte;
    const int mine = rank == 0 ? 0 : static_cast<int>(hash >> 1), largest = everywhere(mine);
    CHECK(rank == 0 || mine == largest);
    // The same round a ring.
    const auto all = make_memory(PIXMPI_RGB8, side, 100 * size);
    std::vector<Shape> parts;
    std::vector<pixMPI_Region> regions;
    for (int r = 0; r < size; ++r) {
        parts.push_back(rectangle(0, 100 * r, side, 100));
        regions.push_back(parts.back());
    }
    Bytes mixed(all->bytes());
    std::copy_n(picture.begin(), mixed.size() / static_cast<std::size_t>(size),
                mixed.begin() + rank * static_cast<std::ptrdiff_t>(mixed.size()) / size);
    all->write(mixed);
    NEED_OK(pixMPI_Allgather(pixMPI_In_place(), PIXMPI_WHOLE, pixMPI_Coded(all->any(), codec("jpeg:40")),
                             regions.data(), world()));
    // Every part but one's own is the picture as JPEG leaves it, the same on all ranks.
    const Bytes gathered = all->read();
    for (int r = 0; r < size; ++r) {
        hash = 0;
        for (std::size_t i = 0; i < gathered.size() / static_cast<std::size_t>(size); ++i)
            hash = 31 * hash +
                   gathered[static_cast<std::size_t>(r) * gathered.size() / static_cast<std::size_t>(size) + i];
        const int part = r == rank ? 0 : static_cast<int>(hash >> 1), most = everywhere(part);
        CHECK(r == rank || (part == most && part != 0));
    }
}

RANK_CASE(codecs, collectives, 1) {
    const auto end = make_memory(PIXMPI_RGBA8, width, height);
    for (const char *text : {"lz4", "jpeg:90:opaque"}) {
        note("a broadcast by %s", text);
        const bool exact = std::string_view(text) == "lz4";
        end->write(rank == 0 ? smooth(4, 6) : Bytes(end->bytes(), 0));
        const Encoded encoded;
        NEED_OK(pixMPI_Bcast(pixMPI_Coded(end->any(), codec(text)), PIXMPI_WHOLE, 0, world()));
        CHECK(largest_difference(end->read(), smooth(4, 6), 4, false) <= (exact ? 0 : 12));
        if (rank == 0)
            CHECK_EQ(encoded.pixels() > 0, has_neighbour());
    }
    // What is combined has the same bits everywhere, whatever the communicator says.
    const MPI_Comm comm = duplicate();
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    NEED_OK(pixMPI_Comm_set_codec(comm, codec("jpeg:10:opaque")));
    Bytes mine = smooth(4, 6);
    for (std::uint8_t &byte : mine)
        byte = static_cast<std::uint8_t>((byte + 16 * rank) % 256);
    end->write(mine);
    NEED_OK(pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE, PIXMPI_MAX, comm));
    Bytes expected = smooth(4, 6);
    for (std::uint8_t &byte : expected) {
        int largest = 0;
        for (int r = 0; r < size; ++r)
            largest = std::max(largest, (byte + 16 * r) % 256);
        byte = static_cast<std::uint8_t>(largest);
    }
    CHECK_PIXELS(end->read(), expected, width, 4);

    pixMPI_Request request;
    NEED_OK(pixMPI_Bcast_init(end->any(), PIXMPI_WHOLE, 0, comm, &request));
    for (const char *text : {"none", "lz4", "jpeg:90:opaque"}) {
        note("a persistent broadcast by %s", text);
        end->write(rank == 0 ? smooth(4, 4) : Bytes(end->bytes(), 0));
        NEED_OK(pixMPI_Request_set_codec(request, codec(text)));
        const Encoded encoded;
        NEED_OK(pixMPI_Start(&request));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(largest_difference(end->read(), smooth(4, 4), 4, false) <= 12);
        if (rank == 0 && has_neighbour())
            CHECK_EQ(encoded.pixels() > 0, std::string_view(text) != "none");
    }
    NEED_OK(pixMPI_Request_free(&request));
    MPI_Comm freed = comm;
    MPI_Comm_free(&freed);
}
