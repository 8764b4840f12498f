// What this process has one of: the lock, the stage memory, the other processes it knows, the messages under way. Made
// by the first attachment, kept until the process ends.
#pragma once

#include "channel.h"
#include "descriptors.h"
#include "handles.h"
#include "log.h"
#include "message.h"
#include "options.h"
#include "process.h"
#include "route.h"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace pixmpi {

struct Message;

struct Library {
    std::mutex mutex; ///< see Lock
    bool open = false;
    Options options;
    bool gpu_aware = false; ///< MPI takes pointers to a GPU's memory
    StageMemory stage;
    Card card{};
    Descriptors descriptors;
    std::unordered_map<std::uint64_t, std::weak_ptr<Peer>> peers; ///< by Card::id
    std::vector<MPI_Comm> attaching; ///< communicators, by threads that wait for the other ranks
    HandleTable<Message> requests;
    std::vector<std::shared_ptr<Message>> active; ///< in the order of their start
    Letters outbox;                               ///< in MPI's hands, and nobody's else
    std::size_t outbox_bytes = 0;
    PortQueue leftovers; ///< of completed sends, whose receivers have not taken all yet
    pixMPI_Stats stats{};
};

Library &library();

/// Held in all public calls, but not while one waits. Who gives it away tells the program what has been logged.
class Lock {
  public:
    explicit Lock(Library &library) : library_(library) { lock(); }
    ~Lock() { unlock(); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    void lock() { library_.mutex.lock(); }
    void unlock() {
        library_.mutex.unlock();
        tell_log();
    }

  private:
    Library &library_;
};

} // namespace pixmpi
