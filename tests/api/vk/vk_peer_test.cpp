// Messages through the memory of GPUs: that they go there, in the right order, also when devices and communicators
// come and go. For runs where that route is taken: on GPUs, with PIXMPI_ROUTE=peer, or PIXMPI_TEST_GPUS.
#include "vk/vk_peer.h"
#include "vk/vk_sync.h"

#include <array>
#include <unistd.h>

using namespace api;

namespace {

/// Batches that GPUs come to when nobody waits for the message any more.
int behind_ends() { return vk_interpose::submitted_batches - vk_interpose::hand("vkQueueSubmit").calls; }

constexpr int many = 400; // fewer pixels go by the host's memory unless PIXMPI_EAGER says otherwise

} // namespace

RANK_CASE(vk_peer, route_is_taken, 2) {
    Pictures pictures(need_vulkan(), many);
    const auto memory = make_memory(PIXMPI_RGBA8, many, many);
    {
        note("images");
        const Counted peer(PIXMPI_ROUTE_PEER), shm(PIXMPI_ROUTE_SHM);
        for (int turn = 0; turn < 3; ++turn)
            pictures.pass(turn);
        const std::uint64_t all = 3 * pictures.bytes();
        CHECK_EQ(peer.bytes(), takes_peer(rank, next_rank()) ? all : 0);
        CHECK_EQ(shm.bytes(), takes_peer(rank, next_rank()) ? 0 : all);
    }
    for (const bool to_host : {true, false}) {
        note(to_host ? "from an image to memory" : "from memory to an image");
        const Counted peer(PIXMPI_ROUTE_PEER), shm(PIXMPI_ROUTE_SHM);
        to_host ? pictures.pass_to(*memory, 7) : pictures.pass_from(*memory, 7);
        CHECK_EQ(peer.bytes(), 0u);
        CHECK_EQ(shm.bytes(), pictures.bytes());
    }
}

RANK_CASE(vk_peer, many_at_once, 2) {
    // The first messages of a pair all ask for the same memory; and they are more than fit into it.
    Fragile fragile;
    Crowd crowd(*fragile.device);
    const Counted peer(PIXMPI_ROUTE_PEER);
    const int behind = behind_ends();
    crowd.pass();
    CHECK_EQ(peer.bytes(), takes_peer(rank, next_rank()) ? crowd.bytes() : 0);
    CHECK_EQ(behind_ends() > behind, vk_interpose::gpu >= 0 || has_real_cuda());
}

RANK_CASE(vk_large, at_once, 2) {
    // More than two bands between two GPUs, several packed at once; one message, then two together.
    vk_rig::Device &device = need_vulkan();
    constexpr int edge = 3601; // 52 MB, and no multiple of anything
    Pictures first(device, edge), second(device, edge);
    const Counted peer(PIXMPI_ROUTE_PEER);
    first.pass(1);
    first.fill(2);
    second.fill(3);
    pixMPI_Request requests[4];
    CHECK_OK(vkMPI_Irecv(first.in.surface(), PIXMPI_WHOLE, previous_rank(), 3, world(), &requests[0], nullptr));
    CHECK_OK(vkMPI_Irecv(second.in.surface(), PIXMPI_WHOLE, previous_rank(), 4, world(), &requests[1], nullptr));
    CHECK_OK(vkMPI_Isend(first.out.surface(), PIXMPI_WHOLE, next_rank(), 3, world(), &requests[2], nullptr));
    CHECK_OK(vkMPI_Isend(second.out.surface(), PIXMPI_WHOLE, next_rank(), 4, world(), &requests[3], nullptr));
    NEED_OK(pixMPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    first.check();
    second.check();
    CHECK_EQ(peer.bytes(), takes_peer(rank, next_rank()) ? 3 * first.bytes() : 0);
}

RANK_CASE(vk_peer, delayed_ends, 2) {
    // Either end waits for a semaphore that is signalled late, while the other is ready.
    vk_rig::Device &device = need_vulkan();
    Pictures pictures(device);
    for (int turn = 0; turn < 8; ++turn) {
        note("turn %d", turn);
        Timeline drawn(device), shown(device);
        pictures.fill(100 + turn);
        pixMPI_Request requests[2];
        SyncList send, receive;
        send.wait(drawn, 1);
        receive.wait(shown, 1);
        CHECK_OK(vkMPI_Irecv(pictures.in.surface(), PIXMPI_WHOLE, previous_rank(), 3, world(), &requests[0], receive));
        CHECK_OK(vkMPI_Isend(pictures.out.surface(), PIXMPI_WHOLE, next_rank(), 3, world(), &requests[1], send));
        for (int step = 0; step < 2; ++step) {
            for (int i = 0; i < (turn + rank) % 3 * 200; ++i) {
                int over = 0;
                CHECK_OK(pixMPI_Testall(2, requests, &over, MPI_STATUSES_IGNORE));
                CHECK_EQ(over, 0);
            }
            device.signal((turn + rank + step) % 2 ? drawn.name : shown.name, 1);
        }
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        pictures.check();
    }
}

namespace {

constexpr int news = 77; // a tag of plain MPI's

/// Lets messages move until the other rank says that it has come so far.
void go_on_until_told(int by) {
    for (int told = 0, flag = 0; !told;) {
        CHECK_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, 9, world(), &flag, MPI_STATUS_IGNORE));
        MPI_Iprobe(by, news, world(), &told, MPI_STATUS_IGNORE);
        ::usleep(100);
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, by, news, world(), MPI_STATUS_IGNORE);
}
/// Lets them move for a while, as far as they come.
void go_on() {
    for (int i = 0, flag = 0; i < 300; ++i) {
        CHECK_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, 9, world(), &flag, MPI_STATUS_IGNORE));
        ::usleep(100);
    }
}
void tell(int other) { MPI_Send(nullptr, 0, MPI_BYTE, other, news, world()); }

} // namespace

RANK_CASE(vk_peer, sender_goes_on, 2) {
    // What the sender does after the last band has left its memory is no business of the receiver's, which has unpacked
    // one band of two by then.
    if (setting("PIXMPI_BAND", 1 << 20) != 1 << 20)
        return leave_out("a message of two bands is wanted");
    Fragile fragile;
    vk_rig::Device &device = *fragile.device;
    constexpr int large = 2000; // many bands
    Pictures first(device, 600);
    VulkanImage out(device, PIXMPI_RGBA8, large, large), in(device, PIXMPI_RGBA8, large, large);
    first.pass(0);
    barrier();
    Timeline shown(device);
    pixMPI_Request requests[2] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL};
    first.fill(1);
    const Bytes second = out.fill(2);
    int submissions = 0;
    if (rank == 1) {
        vk_interpose::before_submission = [&] {
            if (++submissions == 2)
                device.submit([](VkCommandBuffer) {}, {{shown.name}, {1}}, {});
        };
        CHECK_OK(vkMPI_Irecv(first.in.surface(), PIXMPI_WHOLE, 0, 1, world(), &requests[0], nullptr));
        CHECK_OK(vkMPI_Irecv(in.surface(), PIXMPI_WHOLE, 0, 2, world(), &requests[1], nullptr));
        go_on_until_told(0);
        device.signal(shown.name, 1);
    } else if (rank == 0) {
        CHECK_OK(vkMPI_Isend(first.out.surface(), PIXMPI_WHOLE, 1, 1, world(), &requests[0], nullptr));
        NEED_OK(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        go_on();
        CHECK_OK(vkMPI_Isend(out.surface(), PIXMPI_WHOLE, 1, 2, world(), &requests[1], nullptr));
        go_on();
        tell(1);
    }
    CHECK_OK(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_OK(pixMPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    vk_interpose::heal_all();
    if (rank == 1) {
        CHECK_PIXELS(first.in.read(), pattern(first.bytes(), Pictures::seed(0, 1)), 600, 4);
        CHECK_PIXELS(in.read(), second, large, 4);
    }
    device.idle();
    barrier();
}

RANK_CASE(vk_peer, late_failure, 2) {
    // The receiver fails after it has got all; the sender's next message has nothing to do with that.
    if (setting("PIXMPI_BAND", 1 << 20) != 1 << 20)
        return leave_out("a message of two bands is wanted");
    Fragile fragile;
    vk_rig::Device &device = *fragile.device;
    Pictures first(device);
    const auto memory = make_memory(PIXMPI_RGBA8, 300, 300);
    first.pass(0);
    barrier();
    Timeline shown(device);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    if (rank == 1) {
        SyncList late;
        CHECK_OK(vkMPI_Irecv(first.in.surface(), PIXMPI_WHOLE, 0, 1, world(), &request, late.wait(shown, 1)));
        go_on_until_told(0);
        vk_interpose::hand("vkGetSemaphoreCounterValue").fail(VK_ERROR_DEVICE_LOST);
        CHECK_EQ(pixMPI_Wait(&request, MPI_STATUS_IGNORE), PIXMPI_ERR_DEVICE);
        vk_interpose::heal_all();
        tell(0);
        CHECK_OK(memory->recv(PIXMPI_WHOLE, 0, 2, MPI_STATUS_IGNORE));
        CHECK_PIXELS(memory->read(), pattern(memory->bytes(), 5), 300, 4);
    } else if (rank == 0) {
        CHECK_OK(vkMPI_Isend(first.out.surface(), PIXMPI_WHOLE, 1, 1, world(), &request, nullptr));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        go_on();
        memory->fill(5);
        CHECK_OK(memory->isend(PIXMPI_WHOLE, 1, 2, &request));
        tell(1);
        go_on_until_told(1);
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    device.signal(shown.name, 1);
    barrier();
}

RANK_CASE(vk_peer, devices_come_and_go, 2) {
    // What has gone is not kept mapped by others.
    const auto mapped = [] {
        const auto calls = fake_cuda_function<FakeCudaCalls>("fakeCudaCalls");
        return has_fake_cuda() ? calls("cuMemMap") - calls("cuMemUnmap") : 0;
    };
    const int before = mapped();
    const Counted peer(PIXMPI_ROUTE_PEER);
    std::uint64_t bytes = 0;
    std::unique_ptr<Fragile> fragile;
    for (int turn = 0; turn < 8; ++turn) {
        note("turn %d", turn);
        if (turn < 4 || rank > 0) { // then rank 0's stays
            fragile.reset();
            fragile = std::make_unique<Fragile>();
        }
        Pictures pictures(*fragile->device, many);
        pictures.pass(turn);
        bytes += pictures.bytes();
        barrier();
    }
    CHECK(mapped() <= before + 3); // rank 0's own, the other's, and the one before, until another is asked for
    CHECK_EQ(peer.bytes(), takes_peer(rank, next_rank()) ? bytes : 0);
}

RANK_CASE(vk_peer, two_devices_of_a_rank, 2) {
    // Both ask for the same memory at the same time.
    Fragile one, other;
    Pictures here(*one.device, many), there(*other.device, many);
    const Counted peer(PIXMPI_ROUTE_PEER);
    here.fill(1);
    there.fill(1);
    pixMPI_Request requests[4];
    CHECK_OK(vkMPI_Irecv(here.in.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0], nullptr));
    CHECK_OK(vkMPI_Irecv(there.in.surface(), PIXMPI_WHOLE, previous_rank(), 2, world(), &requests[1], nullptr));
    CHECK_OK(vkMPI_Isend(here.out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[2], nullptr));
    CHECK_OK(vkMPI_Isend(here.out.surface(), PIXMPI_WHOLE, next_rank(), 2, world(), &requests[3], nullptr));
    NEED_OK(pixMPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    here.check();
    there.check();
    CHECK_EQ(peer.bytes(), takes_peer(rank, next_rank()) ? 2 * here.bytes() : 0);
}

RANK_CASE(vk_peer, devices_leave_the_host_to_others, 2) {
    // Two devices copy from and to the same shared memory of the host; the one that goes takes nothing along.
    constexpr int edge = 700;
    const auto memory = make_memory(PIXMPI_RGBA8, edge, edge);
    Fragile staying;
    Pictures pictures(*staying.device, edge);
    const auto to_host_and_back = [&](Pictures &of, int turn) {
        note("turn %d", turn);
        pixMPI_Request request;
        of.fill(turn);
        CHECK_OK(memory->irecv(PIXMPI_WHOLE, previous_rank(), 1, &request));
        CHECK_OK(vkMPI_Send(of.out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), nullptr));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        const Bytes came = memory->read();
        CHECK_PIXELS(came, pattern(memory->bytes(), Pictures::seed(previous_rank(), turn)), edge, 4);
        CHECK_OK(memory->isend(PIXMPI_WHOLE, next_rank(), 2, &request));
        CHECK_OK(vkMPI_Recv(of.in.surface(), PIXMPI_WHOLE, previous_rank(), 2, world(), MPI_STATUS_IGNORE, nullptr));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        const int twice_before = (rank + 2 * size - 2) % size;
        CHECK_PIXELS(of.in.read(), pattern(memory->bytes(), Pictures::seed(twice_before, turn)), edge, 4);
    };
    {
        Fragile going;
        Pictures others(*going.device, edge);
        to_host_and_back(others, 1);
        to_host_and_back(pictures, 2);
        barrier();
    }
    to_host_and_back(pictures, 3);
    barrier();
}

RANK_CASE(vk_peer, attached_again, 2) {
    // Memory that was reached through a communicator is reached through the next one.
    Fragile fragile;
    Pictures pictures(*fragile.device, many);
    pictures.pass(0);
    barrier();
    CHECK_OK(pixMPI_Comm_detach(world()));
    barrier();
    NEED_OK(pixMPI_Comm_attach(world(), nullptr));
    const Counted peer(PIXMPI_ROUTE_PEER);
    pictures.pass(1);
    CHECK_EQ(peer.bytes(), takes_peer(rank, next_rank()) ? pictures.bytes() : 0);
}
