// Several messages and local steps as one request: some begin when others are over. A collective is a function that
// writes a schedule; this moves it along.
//
// All ranks that take part make their schedules of a communicator in the same order. So each has a number that all of
// them know, and its messages, on a communicator of the library's own, tags that nobody else uses.
//
// A schedule that fails on one rank fails on all that have messages with this one, since it gives them up: the receiver
// of one that has not begun is told at once (Carriage::given_up), the sender of one that has not come is told when it
// comes. So all are told, from one rank to the next.
#pragma once

#include "request/message.h"

namespace pixmpi {

class Schedule final : public Request {
  public:
    using Step = std::size_t;
    using Steps = std::vector<Step>;
    using End = Place;
    /// Takes the next number of the communicator. `named`: the surfaces that the user passed.
    static Status make(MPI_Comm comm, std::vector<std::shared_ptr<Surface>> named, std::shared_ptr<Schedule> &made);

    /// A message, once the steps `after` are over. `label`: the same at both ends, from 0 to labels - 1; it tells
    /// messages between the same two ranks apart, which may overtake each other otherwise.
    Step send(const End &end, int dest, int label, Steps after = {});
    /// `how`: what happens to the pixels that are there.
    Step recv(const End &end, int source, int label, Steps after = {}, const Combination &how = {});
    /// Something that needs no other rank.
    Step local(std::shared_ptr<Request> request, Steps after = {});
    static constexpr int labels = 64;

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &runtime) override;
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override;
    Pause pause() const override;
    void await() override;
    Status cancel() override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return named_; }

  private:
    enum class Progress { waiting, started, over };
    struct Item {
        std::shared_ptr<Request> request;
        std::shared_ptr<Message> message; ///< the same, if it is one
        std::shared_ptr<Message> stand_in; ///< of a receive that has been given up: what its message then comes to
        std::vector<Step> after;
        Progress progress = Progress::waiting;
    };
    Step add(Item item);
    Step add_message(Direction direction, const End &end, int rank, int label, Steps after);
    bool is_ready(const Item &item) const;
    Status start_ready(Runtime &runtime, bool &moved);
    Status look_after_started(bool &moved);
    void give_up_all(Runtime &runtime, Status error);
    void give_up_item(Runtime &runtime, Item &item);
    void replace(Runtime &runtime, Message &message, const std::shared_ptr<Message> &stand_in, bool waits);

    std::shared_ptr<Channel> channel_;
    std::uint32_t number_ = 0;
    std::vector<std::shared_ptr<Surface>> named_;
    std::vector<Item> items_;
    std::size_t over_ = 0;
};

} // namespace pixmpi
