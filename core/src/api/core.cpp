// The verbs, for any device.

#include "api/core.h"

#include "api/endpoints.h"
#include "api/launch.h"
#include "api/makers.h"
#include "api/shared_objects.h"

#include "endpoint/endpoint.h"
#include "request/message.h"
#include "request/request_list.h"

namespace pixmpi {
namespace {

/// Waits for a request of this call's own, and reports.
Status finish(Runtime &runtime, Lock &lock, Request &request, MPI_Status *status) {
    if (const Status error = wait(runtime, lock, request))
        return error;
    mpi::fill(status, request.arrival);
    return request.error.code ? repeat(request.error) : PIXMPI_SUCCESS;
}

/// Cancels a receive whose send could not be started, or waits for it where a message has matched it: as long as it
/// is active it writes to the program's memory.
void cancel(Runtime &runtime, Lock &lock, Message &message) {
    const Error error = last_error(PIXMPI_SUCCESS);
    (void)message.cancel();
    (void)wait(runtime, lock, message);
    repeat(error);
}

class TheCore final : public Core {
  public:
    Status send(const End &end, int dest, int tag, MPI_Comm comm) override {
        return block(Direction::pack, end, dest, tag, comm, nullptr);
    }

    Status recv(const End &end, int source, int tag, MPI_Comm comm, MPI_Status *status) override {
        return block(Direction::unpack, end, source, tag, comm, status);
    }

    Status make_send(const End &end, int dest, int tag, MPI_Comm comm, Life life, pixMPI_Request *request) override {
        return make(Direction::pack, end, dest, tag, comm, life, request);
    }

    Status make_recv(const End &end, int source, int tag, MPI_Comm comm, Life life, pixMPI_Request *request) override {
        return make(Direction::unpack, end, source, tag, comm, life, request);
    }

    Status sendrecv(const End &send, int dest, int sendtag, const End &recv, int source, int recvtag, MPI_Comm comm,
                    MPI_Status *status) override {
        return exchange(send, dest, sendtag, recv, source, recvtag, comm, status, false);
    }

    Status sendrecv_replace(const End &end, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                            MPI_Status *status) override {
        return exchange(end, dest, sendtag, end, source, recvtag, comm, status, true);
    }

    Status start_all(int count, pixMPI_Request requests[], bool single, Starter &starter) override {
        return start_requests(count, requests, single, &starter);
    }

    Status make_endpoint(MPI_Comm comm, EndpointParts &parts, Status failed, pixMPI_Endpoint *endpoint) override {
        return pixmpi::make_endpoint(comm, parts, failed, endpoint);
    }

    std::unique_ptr<Window> memory_window(std::byte *memory, std::uint64_t bytes,
                                          std::shared_ptr<const void> owner) override {
        return pixmpi::memory_window(memory, bytes, std::move(owner));
    }

    std::shared_ptr<CardMemory> card_memory(const Gpu &gpu, std::size_t bytes) override {
        return make_card_memory(gpu, bytes);
    }

    Status endpoint_memory(pixMPI_Endpoint endpoint, std::shared_ptr<EndpointMemory> &memory) override {
        return find_endpoint_memory(endpoint, memory);
    }

    Status run(pixMPI_Endpoint endpoint, std::unique_ptr<Kernel> kernel, int groups, Life life,
               pixMPI_Request *request) override {
        std::shared_ptr<Request> made;
        Lock lock;
        Runtime &runtime = pixmpi::runtime();
        if (const Status error = make_run(endpoint, std::move(kernel), groups, made))
            return error;
        const Form form{life, !request, request};
        if (const Status error = launch(runtime, form, made))
            return error;
        return form.blocking ? pixmpi::finish(runtime, lock, *made) : PIXMPI_SUCCESS;
    }

    void serve(std::uint32_t api, SurfaceMaker &maker) override { set_maker(api, maker); }

    std::shared_ptr<const StageMap> shared_memory(const std::byte *address) override {
        for (const auto &[id, weak] : runtime().peers)
            if (const std::shared_ptr<Peer> peer = weak.lock()) {
                const StageMap &map = peer->stage();
                if (map.base && address >= map.base && address < map.base + map.bytes)
                    return {peer, &map};
            }
        return nullptr;
    }

    std::uint64_t call_number() const override { return pixmpi::call_number(); }

    std::shared_ptr<const Strips> strips(const Region &region, int pixel_bytes) override {
        return strips_of(region, pixel_bytes);
    }

    bool reserve_stage(std::size_t bytes, bool least) override { return runtime().stage.reserve(bytes, least); }
    void release_stage(std::size_t bytes) override { runtime().stage.release(bytes); }
    void add_device(const std::shared_ptr<Device> &device) override {
        std::erase_if(runtime().devices, [](const auto &one) { return one.expired(); });
        runtime().devices.push_back(device);
    }
    bool stage_is_short() override { return runtime().stage.is_short(); }
    void count_copied(std::size_t bytes) override { runtime().stats.bytes_copied += bytes; }
    void note_driver_threads() override { set_driver_threads(); }
    void log(int level, const char *text) override { log_line(level, "%s", text); }

    bool idle(const Device &device) override {
        for (const auto &request : runtime().active)
            if (request->state == State::active && request->uses(device))
                return false;
        return true;
    }

    Status choose_sharing(pixMPI_Sharing kind, bool one_memory, bool imports, SharingChoice &choice) override {
        return pixmpi::choose_sharing(kind, one_memory, imports, choice);
    }
    Status share(std::unique_ptr<SharedBacking> backing, std::size_t bytes, const SharingChoice &choice,
                 void **pointer) override {
        return pixmpi::share(std::move(backing), bytes, choice, pointer);
    }

  private:
    Status block(Direction direction, const End &end, int rank, int tag, MPI_Comm comm, MPI_Status *status) {
        Lock lock;
        Runtime &runtime = pixmpi::runtime();
        std::shared_ptr<Message> message;
        if (const Status error = make_message(direction, end.surface, end.region, rank, tag, comm, message))
            return error;
        message->blocking = true;
        if (const Status error = start(runtime, message))
            return error;
        return finish(runtime, lock, *message, status);
    }

    Status make(Direction direction, const End &end, int rank, int tag, MPI_Comm comm, Life life,
                pixMPI_Request *request) {
        if (!request)
            return fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer to a request");
        Lock lock;
        Runtime &runtime = pixmpi::runtime();
        std::shared_ptr<Message> message;
        if (const Status error = make_message(direction, end.surface, end.region, rank, tag, comm, message))
            return error;
        message->persistent = life == Life::persistent;
        if (message->persistent) // what can fail should fail here, not at the first start
            if (const Status error = message->need_transfer())
                return error;
        void *const handle = runtime.requests.insert(message); // before the start, as it may find no memory
        if (!message->persistent)
            if (const Status error = start(runtime, message)) {
                runtime.requests.erase(handle);
                return error;
            }
        *request = static_cast<pixMPI_Request>(handle);
        return PIXMPI_SUCCESS;
    }

    Status exchange(const End &send, int dest, int sendtag, const End &recv, int source, int recvtag, MPI_Comm comm,
                    MPI_Status *status, bool replace) {
        Lock lock;
        Runtime &runtime = pixmpi::runtime();
        std::shared_ptr<Message> out, in;
        if (const Status error = make_message(Direction::pack, send.surface, send.region, dest, sendtag, comm, out))
            return error;
        if (const Status error = make_message(Direction::unpack, recv.surface, recv.region, source, recvtag, comm, in))
            return error;
        if (replace)
            in->before = out;
        in->blocking = out->blocking = true;
        if (const Status error = out->check_start()) // before the receive is started
            return error;
        if (const Status error = start(runtime, in))
            return error;
        if (const Status error = start(runtime, out)) {
            in->before.reset();
            cancel(runtime, lock, *in);
            return error;
        }
        const Status sent = finish(runtime, lock, *out, nullptr);
        const Error error = last_error(sent);
        const Status received = finish(runtime, lock, *in, status);
        return sent ? repeat(error) : received;
    }
};

} // namespace

Core *pixMPI_Internal_core() {
    static TheCore *const one = new TheCore;
    return one;
}

} // namespace pixmpi
