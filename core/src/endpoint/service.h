// What other slots do to this process: puts, gets, signals. A small message describes each one; a second message has
// its bytes. Operations are done in the order of arrival, so that a signal comes behind the bytes that were put before
// it.
#pragma once

#include "endpoint/endpoint.h"

#include <algorithm>
#include <array>
#include <list>
#include <map>

namespace pixmpi {

/// As it travels.
struct RemoteOperation {
    enum Kind : std::uint32_t { put = 1, get, signal, flush };
    std::uint32_t kind = 0, window = 0, slot = 0, signal_number = 0, what = 0, value = 0, tag = 0, reserved = 0;
    std::uint64_t offset = 0, bytes = 0;
    /// Both add to the same signal, so that one does what two do behind each other.
    bool adds_as(const RemoteOperation &other) const {
        return kind == signal && other.kind == signal && what == PM_SIGNAL_ADD && other.what == PM_SIGNAL_ADD &&
               slot == other.slot && signal_number == other.signal_number;
    }
};
constexpr std::size_t operation_words = sizeof(RemoteOperation) / sizeof(std::uint32_t);
constexpr std::size_t most_operations = 64; ///< of one message

// Tags of messages between the services of processes; bytes that follow an operation have Endpoint::next_tag().
constexpr int operation_tag = 0, gathering_tag = 1;

/// A message of the library's words, which live as long as it.
struct OwnMessage {
    std::vector<std::uint32_t> words;
    std::shared_ptr<Message> message;
    bool over() const { return message->state != State::active; }
};

class Service final : public Request {
  public:
    explicit Service(Endpoint &endpoint) : endpoint_(&endpoint) {}
    ~Service() override;
    /// The endpoint goes: what is under way is given up.
    void close();

    /// Tells a process of an operation, by the next send_announced(): many in one message.
    void notify(int process, const RemoteOperation &operation);
    Status send_announced(Runtime &runtime);
    /// Whether messages wait for memory: they go no further while no thread calls the library.
    bool sends() const {
        return std::any_of(sent_.begin(), sent_.end(), [](const OwnMessage &one) { return !one.over(); });
    }
    /// Sends words to another process' service, or expects some from there.
    Status send_words(Runtime &runtime, int process, int tag, std::vector<std::uint32_t> words);

    Status check_start() const override { return PIXMPI_SUCCESS; }
    Status begin(Runtime &runtime) override;
    void undo(Runtime &) override {}
    void advance(Runtime &runtime, bool &moved) override;
    void serve(Runtime &runtime, bool &moved) override;
    bool serves() const override;
    const Device *lacks() const override { return nullptr; }
    Pause pause() const override { return Pause(); }
    void await() override {}
    Status cancel() override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {}; }

  private:
    Status expect(Runtime &runtime);
    bool may_answer(const Runtime &runtime) const;
    Status carry_out(Runtime &runtime);
    Status do_operation(Runtime &runtime);
    void finish_operation();
    template <class Body> void for_each_message(Body body) const;

    Endpoint *endpoint_;   ///< null once it has gone
    OwnMessage arrived_;   ///< the operations at hand
    std::size_t next_ = 0; ///< of them
    bool postponed_ = false;     ///< the one at hand cannot begin now
    bool lacks_context_ = false; ///< nor in this thread
    RemoteOperation operation_;
    std::shared_ptr<Message> bytes_;                   ///< that follow it
    std::map<int, std::vector<std::uint32_t>> outbox_; ///< by process, what has not been sent
    std::list<OwnMessage> sent_;
    std::list<std::shared_ptr<Message>> answers_; ///< to gets
};

} // namespace pixmpi
