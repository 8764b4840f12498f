#include "request/channel.h"

#include "base/wait.h"
#include "request/request.h"
#include "request/schedule_matcher.h"
#include "route/mpi_calls.h"
#include "route/mpi_gpu_aware.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <dlfcn.h>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <span>
#include <sys/auxv.h>
#include <utility>
#include <vector>

namespace pixmpi {
namespace {

bool ending = false; ///< MPI_Finalize has begun

/// Those whose communicators have been freed while another thread was in the library, or something was under way.
struct Dropped {
    std::mutex mutex;
    std::vector<std::unique_ptr<ChannelAttribute>> channels;
    std::atomic<bool> some{false};
};

Dropped &dropped() {
    static auto *const one = new Dropped;
    return *one;
}

void drop(std::unique_ptr<ChannelAttribute> channel) {
    Dropped &all = dropped();
    const std::lock_guard guard(all.mutex);
    const Status failed = without_throwing([&] {
        all.channels.push_back(std::move(channel));
        return PIXMPI_SUCCESS;
    });
    if (failed)
        (void)channel.release(); // the duplicates stay
    all.some = true;
}

/// Whether MPI still sends bands of the channel, or receivers have yet to tell how fast theirs came.
bool is_under_way(Channel &channel) {
    for (auto &[rank, link] : channel.links)
        if (!receive_report(link) && !link.receiver.ended(*channel.peers[static_cast<std::size_t>(rank)]))
            return true;
    return runtime().unread_sends.any([&channel](Port &port) { return !port.has_sent(channel.bands); });
}

/// What was sent to receives that have failed. MPICH, from 4.2 on, ends a program that frees a communicator with such
/// messages. A sender that does not go on may have died: MPI fills memory that is never freed then.
Status receive_in_vain(MPI_Comm comm) {
    constexpr std::chrono::seconds patience{1};
    constexpr int looks = 3; // each lets MPI move on
    Wait wait;
    for (int left = looks; left > 0; --left) {
        bool found = false, over = false;
        mpi::Arrival arrival;
        MPI_Request request = MPI_REQUEST_NULL;
        if (const Status error = mpi::look(comm, MPI_ANY_SOURCE, MPI_ANY_TAG, found, arrival))
            return error;
        if (!found)
            continue;
        auto room = std::make_unique_for_overwrite<std::byte[]>(arrival.bytes);
        Status error = mpi::receive(comm, arrival, room.get(), request);
        while (!error && !over && wait.waited() <= patience) {
            error = mpi::test(request, over);
            wait.pause();
        }
        if (!error && !over)
            (void)room.release();
        left = looks + 1;
    }
    return PIXMPI_SUCCESS;
}

void receive_in_vain(const Channel &channel) {
    for (const MPI_Comm comm : {channel.envelopes, channel.schedule_envelopes, channel.bands})
        if (comm != MPI_COMM_NULL)
            (void)without_throwing([comm] { return receive_in_vain(comm); });
}

/// The communicator is gone, and nothing needs the duplicates any more.
bool is_unused(const Channel &channel) { return channel.closed && channel.uses == 0; }

/// At the end of MPI: UCX, from 1.18 on, ends a program with memory that MPI still sends. The other ranks receive it here,
/// too, unless they have died.
void let_all_be_sent(std::span<const std::unique_ptr<ChannelAttribute>> channels) {
    constexpr std::chrono::seconds patience{3};
    bool sends = true;
    for (Wait wait; sends && wait.waited() <= patience; wait.pause()) {
        sends = false;
        for (const auto &one : channels)
            if (is_unused(**one)) {
                receive_in_vain(**one);
                sends = is_under_way(**one) || sends;
            }
    }
}

} // namespace

bool receive_report(Link &link) {
    bool over = false;
    if (link.expected == MPI_REQUEST_NULL)
        return true;
    if (mpi::test(link.expected, over) || !over)
        return false;
    link.number.reset();
    constexpr std::uint64_t least_telling = 1 << 20; // fewer come in one go, out of the system's buffers
    if (!link.of_streams || link.report.bytes >= least_telling)
        link.ledger.link_carried(link.report.bytes, link.report.seconds);
    return true;
}

void free_duplicates(Channel &channel) {
    channel.program->close(runtime());
    channel.schedules->close(runtime());
    for (auto &[rank, link] : channel.links)
        if (link.expected != MPI_REQUEST_NULL) { // of a receiver that has ended, or never receives
            bool over = false;
            (void)mpi::cancel(link.expected);
            (void)mpi::test(link.expected, over);
        }
    receive_in_vain(channel);
    for (MPI_Comm *const comm : {&channel.envelopes, &channel.schedule_envelopes, &channel.bands})
        if (*comm != MPI_COMM_NULL)
            MPI_Comm_free(comm);
}

namespace {

/// False while MPI still sends bands: the duplicates are freed later. A rank that waited here would keep the bands that
/// another rank waits for.
bool free_if_unused(Channel &channel) {
    if (!is_unused(channel))
        return true;
    if (!ending && is_under_way(channel)) {
        receive_in_vain(channel);
        return false;
    }
    free_duplicates(channel);
    return true;
}

/// In MPI_Comm_free, pixMPI_Comm_detach or MPI_Finalize. The program's thread may have a lock of MPI's, for which a
/// thread in the library waits: so this thread does not wait for the library.
int drop_channel(MPI_Comm, int, void *value, void *) {
    std::unique_ptr<ChannelAttribute> channel(static_cast<ChannelAttribute *>(value));
    (*channel)->closed = true;
    const Lock lock(std::try_to_lock);
    if (lock.is_held() && ending)
        let_all_be_sent({&channel, 1});
    if (lock.is_held() && free_if_unused(**channel)) // collective, and so was what led here
        channel.reset();
    else
        drop(std::move(channel));
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
    end_progress_thread();
    const Lock lock;
    complete_all(*runtime);
    ending = true;
    free_dropped();
    return MPI_SUCCESS;
}

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
void call_at_finalize(Runtime &runtime) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_library, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &runtime);
}

} // namespace

extern "C" {

/// MPI has to find no other thread in it when it ends. MPICH says so by an assertion: it stops its locks before it
/// deletes any attribute, and a thread that was in a call then keeps one. Weak: a tool that measures MPI may have its
/// own.
[[gnu::visibility("hidden")]] int pixmpi_finalize() {
    end_progress_thread();
    return PMPI_Finalize();
}
[[gnu::visibility("default"), gnu::weak, gnu::alias("pixmpi_finalize")]] int MPI_Finalize();
}

namespace {

/// Whether the program's MPI_Finalize is this one. It is not where another library's comes first, and not for programs
/// that have loaded MPI for themselves (mpi4py).
bool finalize_is_seen() {
    const auto base_of = [](const void *address) {
        Dl_info info{};
        return dladdr(address, &info) ? info.dli_fbase : nullptr;
    };
    const void *const ours = reinterpret_cast<const void *>(&pixmpi_finalize);
    const auto entry = reinterpret_cast<const void *>(getauxval(AT_ENTRY));
    return dlsym(RTLD_DEFAULT, "MPI_Finalize") == ours || base_of(ours) == base_of(entry); // this one, linked statically
}

} // namespace

Channel::Channel()
    : program(std::make_unique<ProgramMatcher>(*this)), schedules(std::make_unique<ScheduleMatcher>(*this)) {}
Channel::~Channel() = default;

void ChannelUse::begin(const std::shared_ptr<Channel> &channel) {
    end();
    channel_ = channel;
    ++channel_->uses;
}

void ChannelUse::end() {
    if (channel_ && --channel_->uses == 0 && channel_->closed)
        (void)without_throwing([&] { // else the duplicates stay
            drop(std::make_unique<ChannelAttribute>(channel_));
            return PIXMPI_SUCCESS;
        });
    channel_.reset();
}

void free_dropped() {
    Dropped &all = dropped();
    if (!all.some)
        return;
    std::vector<std::unique_ptr<ChannelAttribute>> channels;
    {
        const std::lock_guard guard(all.mutex);
        channels.swap(all.channels);
        all.some = false;
    }
    if (ending)
        let_all_be_sent(channels);
    for (auto &one : channels)
        if (!free_if_unused(**one))
            drop(std::move(one));
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
    log_by(runtime.options);
    runtime.open = true;
    call_at_finalize(runtime);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_rank_in_texts(rank);
    const mpi::GpuAware answer = mpi::ask_gpu_aware(options.gpu_aware);
    runtime.gpu_aware = answer.yes;
    if (options.progress_thread)
        runtime.progress_thread = std::make_unique<ProgressThread>(
            runtime, finalize_is_seen() ? ProgressThread::Does::everything : ProgressThread::Does::requests, true);
    log_line(PIXMPI_LOG_INFO, "MPI %s pointers to a GPU's memory (%s)", answer.yes ? "takes" : "takes no", answer.why);
    return PIXMPI_SUCCESS;
}

Status check_running() {
    return mpi::running() ? PIXMPI_SUCCESS
                          : fail(PIXMPI_ERR_MPI, "MPI is not running: MPI_Init comes first, and nothing after "
                                                 "MPI_Finalize; a session (MPI 4) alone is not enough");
}

Status check_comm(MPI_Comm comm) {
    if (const Status error = check_running())
        return error;
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
    pixMPI_Internal_concerns(channel->errors);
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
