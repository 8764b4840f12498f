#include "request/channel.h"

#include "request/request.h"
#include "route/mpi_gpu_aware.h"

#include <mpi.h>

namespace pixmpi {
namespace {

int drop_channel(MPI_Comm, int, void *value, void *) {
    auto *channel = static_cast<ChannelAttribute *>(value);
    (*channel)->closed = true;
    free_duplicates(**channel); // collective, and so was what led here
    delete channel;
    return MPI_SUCCESS;
}

/// The key of our attribute; made once.
int channel_key() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_channel, &made, nullptr);
        return made;
    }();
    return key;
}

ChannelAttribute *attribute(MPI_Comm comm) {
    void *value = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm, channel_key(), &value, &found);
    return found ? static_cast<ChannelAttribute *>(value) : nullptr;
}

int end_library(MPI_Comm, int, void *value, void *) {
    auto *runtime = static_cast<Runtime *>(value);
    runtime->progress_thread.reset();
    const Lock lock(*runtime);
    complete_all(*runtime);
    return MPI_SUCCESS;
}

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
void call_at_finalize(Runtime &runtime) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_library, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &runtime);
}

} // namespace

namespace {

/// What is told of schedules that are over has nobody who wants to know. MPI warns of messages that are never received.
void discard_notices(Channel &channel) {
    for (bool found = true; found;) {
        found = false;
        mpi::Arrival arrival;
        if (mpi::look(channel.schedule_envelopes, MPI_ANY_SOURCE, MPI_ANY_TAG, found, arrival) || !found)
            return;
        Letter letter;
        letter.bytes.resize(arrival.bytes);
        bool over = mpi::take(channel.schedule_envelopes, arrival, letter.bytes.data(), letter.request) != 0;
        while (!over)
            if (mpi::test(letter.request, over))
                return;
    }
}

} // namespace

void free_duplicates(Channel &channel) {
    if (channel.schedule_envelopes != MPI_COMM_NULL)
        (void)without_throwing([&] {
            discard_notices(channel);
            return PIXMPI_SUCCESS;
        });
    for (auto &[rank, link] : channel.links)
        if (link.expected != MPI_REQUEST_NULL) { // of a receiver that has failed
            bool over = false;
            (void)mpi::cancel(link.expected);
            (void)mpi::test(link.expected, over);
        }
    for (MPI_Comm *const comm : {&channel.envelopes, &channel.schedule_envelopes, &channel.bands})
        if (*comm != MPI_COMM_NULL)
            MPI_Comm_free(comm);
}

namespace {

/// Whether MPI may be called by the program's threads and by one of ours at once, if there is to be one.
Status check_threads(const Options &options) {
    constexpr const char *names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED"};
    int given = MPI_THREAD_SINGLE;
    MPI_Query_thread(&given);
    if (!options.progress_thread || given == MPI_THREAD_MULTIPLE)
        return PIXMPI_SUCCESS;
    const char *const name = given == MPI_THREAD_SINGLE ? names[0] : given == MPI_THREAD_FUNNELED ? names[1] : names[2];
    return fail(PIXMPI_ERR_ARGUMENT,
                "options.progress (PIXMPI_PROGRESS): a thread, with MPI at %s; expected MPI_THREAD_MULTIPLE", name);
}

} // namespace

Status open_library(Runtime &runtime, const Options &options) {
    if (const Status error = check_threads(options))
        return error;
    if (runtime.open)
        return PIXMPI_SUCCESS;
    runtime.card = make_card();
    if (const Status error = runtime.stage.open(options.stage_bytes, runtime.card.id))
        return error;
    runtime.descriptors.open(runtime.card.id);
    runtime.descriptors.welcome(runtime.card.id, runtime.card.pid, runtime.card.uid);
    runtime.card.stage_descriptor = runtime.stage.descriptor();
    runtime.card.stage_bytes = runtime.stage.map().bytes;
    runtime.options = options;
    runtime.open = true;
    call_at_finalize(runtime);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_rank_in_texts(rank);
    const mpi::GpuAware answer = mpi::ask_gpu_aware(options.gpu_aware);
    runtime.gpu_aware = answer.yes;
    if (options.progress_thread)
        runtime.progress_thread = std::make_unique<ProgressThread>(runtime, ProgressThread::Does::everything, true);
    log_line(PIXMPI_LOG_INFO, "MPI %s pointers to a GPU's memory (%s)", answer.yes ? "takes" : "takes no", answer.why);
    return PIXMPI_SUCCESS;
}

Status check_comm(MPI_Comm comm) {
    if (!mpi::running())
        return fail(PIXMPI_ERR_MPI, "MPI is not running: MPI_Init comes first, and nothing after MPI_Finalize");
    if (comm == MPI_COMM_NULL)
        return fail(PIXMPI_ERR_COMM, "comm: MPI_COMM_NULL, expected a communicator");
    return PIXMPI_SUCCESS;
}

Status check_open(const Channel &channel) {
    return channel.closed ? fail(PIXMPI_ERR_COMM, "comm: has been freed or detached since the request was made")
                          : PIXMPI_SUCCESS;
}

bool is_attached(MPI_Comm comm) { return attribute(comm) != nullptr; }

Status carry(MPI_Comm comm, std::unique_ptr<ChannelAttribute> channel) {
    if (const Status error = mpi::check(MPI_Comm_set_attr(comm, channel_key(), channel.get()), "MPI_Comm_set_attr"))
        return error;
    (void)channel.release();
    return PIXMPI_SUCCESS;
}

Status find_channel(MPI_Comm comm, std::shared_ptr<Channel> &channel) {
    if (const Status error = check_comm(comm))
        return error;
    ChannelAttribute *found = attribute(comm);
    if (!found)
        return fail(PIXMPI_ERR_COMM, "comm: not attached; all its ranks have to call pixMPI_Comm_attach once");
    channel = *found;
    return PIXMPI_SUCCESS;
}

Status detach(MPI_Comm comm) {
    if (const Status error = check_comm(comm))
        return error;
    if (!attribute(comm))
        return fail(PIXMPI_ERR_COMM, "comm: not attached");
    return mpi::check(MPI_Comm_delete_attr(comm, channel_key()), "MPI_Comm_delete_attr");
}

} // namespace pixmpi
