// What a transfer promises in addition to its pixels: nothing is kept from one message to the next.
#include "suite.h"

using namespace device_suite;
using pixmpi::StageKind;

namespace {

class Transfers : public OnEachRig {
  protected:
    /// RGBA8 if it is available, both ways.
    pixMPI_Format format() {
        for (const pixMPI_Format f : {PIXMPI_RGBA8, PIXMPI_R32F, PIXMPI_DEPTH32F, PIXMPI_STENCIL8})
            if (has(*rig, Direction::pack, f) && has(*rig, Direction::unpack, f))
                return f;
        return PIXMPI_FORMAT_NONE;
    }
    std::unique_ptr<pixmpi::Transfer> make(Direction direction, std::shared_ptr<pixmpi::Surface> surface,
                                           std::shared_ptr<const Region> region) {
        std::unique_ptr<pixmpi::Transfer> transfer;
        EXPECT_EQ(rig->device().make_transfer(direction, std::move(surface), std::move(region), transfer),
                  PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        return transfer;
    }
    static void begin(pixmpi::Transfer &transfer, std::uint64_t pixels) {
        transfer.start();
        ASSERT_EQ(transfer.begin(pixels), PIXMPI_SUCCESS) << pixMPI_Error_text();
    }
    static void give_up(pixmpi::Transfer &transfer) {
        transfer.give_up();
        for (int i = 0; i < 100'000'000; ++i)
            if (transfer.settled())
                return;
        FAIL() << "it does not settle";
    }
    static void wait_for(pixmpi::Transfer &transfer, pixmpi::Ticket ticket) {
        bool over = ticket == pixmpi::done;
        for (int i = 0; !over && i < 100'000'000; ++i)
            ASSERT_EQ(transfer.poll(ticket, over), PIXMPI_SUCCESS);
        ASSERT_TRUE(over);
    }

    Random random_{1};
    const Extent extent_{120, 90};
};

} // namespace

TEST_P(Transfers, through_memory_of_the_device) {
    if (format() == PIXMPI_FORMAT_NONE)
        return;
    const Picture from = random_picture(*rig, format(), extent_, random_);
    Picture to = random_picture(*rig, format(), extent_, random_);
    const auto source = rig->make(format(), extent_, from.pixels), sink = rig->make(format(), extent_, to.pixels);
    std::vector<pixMPI_Rect> columns, rows;
    const int edge = std::min(90, rig->largest() / 4 * 3);
    const std::uint64_t pixels = static_cast<std::uint64_t>(edge) * static_cast<std::uint64_t>(edge), band = pixels / 3;
    for (int i = 0; i < edge; ++i) {
        rows.push_back({3, i, edge, 1});
        columns.push_back({i, 0, 1, edge});
    }
    const auto as_rows = region_of(rows), as_columns = region_of(columns);
    const auto out = make(Direction::pack, source, as_rows), in = make(Direction::unpack, sink, as_columns);
    std::unique_ptr<pixmpi::Stage> stage;
    const std::size_t pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format()));
    ASSERT_EQ(rig->device().make_stage(StageKind::local, nullptr, pixels * pixel + 64, stage), PIXMPI_SUCCESS);
    ASSERT_NO_FATAL_FAILURE(begin(*out, pixels));
    ASSERT_NO_FATAL_FAILURE(begin(*in, pixels));
    for (std::uint64_t first = 0; first < pixels; first += band) {
        pixmpi::Ticket ticket = pixmpi::done;
        ASSERT_EQ(out->copy(first, band, *stage, 64 + first * pixel, ticket), PIXMPI_SUCCESS);
        wait_for(*out, ticket);
        ASSERT_EQ(in->copy(first, band, *stage, 64 + first * pixel, ticket), PIXMPI_SUCCESS);
        wait_for(*in, ticket);
    }
    ASSERT_EQ(out->end(), PIXMPI_SUCCESS);
    ASSERT_EQ(in->end(), PIXMPI_SUCCESS);
    to.unpack(*as_columns, from.packed(*as_rows));
    EXPECT_TRUE(rig->read(*sink) == to.pixels);
    rig->check(*sink);
}

TEST_P(Transfers, given_up_and_begun_again) {
    if (format() == PIXMPI_FORMAT_NONE)
        return;
    const std::size_t pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format()));
    const Picture from = random_picture(*rig, format(), extent_, random_);
    const auto source = rig->make(format(), extent_, from.pixels), sink = rig->make(format(), extent_, from.pixels);
    const auto region = region_of({{5, 5, 100, 80}});
    for (const Direction direction : {Direction::pack, Direction::unpack}) {
        const auto transfer = make(direction, direction == Direction::pack ? source : sink, region);
        std::unique_ptr<pixmpi::Stage> stage;
        ASSERT_EQ(rig->device().make_stage(StageKind::mapped, nullptr, 8000 * pixel, stage), PIXMPI_SUCCESS);
        pixmpi::Ticket ticket = pixmpi::done;
        ASSERT_NO_FATAL_FAILURE(begin(*transfer, 8000));
        ASSERT_NO_FATAL_FAILURE(give_up(*transfer));
        ASSERT_NO_FATAL_FAILURE(begin(*transfer, 8000));
        ASSERT_EQ(transfer->copy(0, 1000, *stage, 0, ticket), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->copy(1000, 1000, *stage, 1000 * pixel, ticket), PIXMPI_SUCCESS);
        ASSERT_NO_FATAL_FAILURE(give_up(*transfer));
        if (direction == Direction::pack) {
            Bytes packed;
            pack_all(*rig, *transfer, pixel, 8000, random_, packed);
            EXPECT_TRUE(packed == from.packed(*region));
        } else {
            Picture expected = from;
            Bytes packed = random_.bytes(8000 * pixel);
            rig->tame(format(), packed);
            expected.unpack(*region, packed);
            unpack_all(*rig, *transfer, pixel, packed, random_);
            EXPECT_TRUE(rig->read(*sink) == expected.pixels);
        }
    }
}

TEST_P(Transfers, several_at_a_time) {
    if (format() == PIXMPI_FORMAT_NONE)
        return;
    const std::size_t pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format()));
    std::vector<std::unique_ptr<pixmpi::Transfer>> transfers;
    std::vector<std::unique_ptr<pixmpi::Stage>> stages(6);
    std::vector<pixmpi::Ticket> tickets(6);
    std::vector<Bytes> expected;
    const auto region = region_of({{0, 0, 50, 50}, {60, 60, 20, 20}});
    for (std::size_t i = 0; i < 6; ++i) {
        const Picture picture = random_picture(*rig, format(), extent_, random_);
        expected.push_back(picture.packed(*region));
        transfers.push_back(make(Direction::pack, rig->make(format(), extent_, picture.pixels), region));
        ASSERT_EQ(rig->device().make_stage(StageKind::mapped, nullptr, 2900 * pixel, stages[i]), PIXMPI_SUCCESS);
        ASSERT_NO_FATAL_FAILURE(begin(*transfers[i], 2900));
        ASSERT_EQ(transfers[i]->copy(0, 2900, *stages[i], 0, tickets[i]), PIXMPI_SUCCESS);
    }
    for (std::size_t i = 6; i-- > 0;) {
        wait_for(*transfers[i], tickets[i]);
        ASSERT_EQ(transfers[i]->end(), PIXMPI_SUCCESS);
        EXPECT_TRUE(std::equal(expected[i].begin(), expected[i].end(), stages[i]->host)) << i;
    }
}

ON_EACH_RIG(Transfers);
