// What this process has one of: the lock, the stage memory, the other processes it knows, the messages under way. Made
// by the first attachment, kept until the process ends.
#pragma once

#include "channel.h"
#include "descriptors.h"
#include "handles.h"
#include "message.h"
#include "options.h"
#include "process.h"
#include "route.h"

#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace pixmpi {

struct Message;

/// An envelope on its way: its bytes have to stay until MPI has them.
struct Outgoing {
    MPI_Request request;
    std::vector<std::byte> bytes;
};

struct Library {
    std::mutex lock; ///< held in all public calls, but not while one waits
    bool open = false;
    Options options;
    bool gpu_aware = false; ///< MPI takes pointers to a GPU's memory
    StageMemory stage;
    Card card{};
    Descriptors descriptors;
    std::unordered_map<std::uint64_t, std::weak_ptr<Peer>> peers; ///< by Card::id
    HandleTable<Message> requests;
    std::vector<std::shared_ptr<Message>> active; ///< in the order of their start
    std::list<Outgoing> outbox;
    std::size_t outbox_bytes = 0;
    std::list<std::unique_ptr<Port>> leftovers; ///< of completed sends, whose receivers have not taken all yet
    pixMPI_Stats stats{};
};

Library &library();

using Lock = std::unique_lock<std::mutex>;

/// Whether lines of this level are wanted.
bool logs(int level);
/// A line for the log, when it is wanted.
[[gnu::format(printf, 2, 3)]] void log_line(int level, const char *format, ...);

} // namespace pixmpi
