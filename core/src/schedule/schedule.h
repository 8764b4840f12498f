// Several messages and local steps as one request: some begin when others are over. A collective is a function that
// writes a schedule; this moves it along.
//
// All ranks that take part make their schedules of a communicator in the same order. So each has a number that all of
// them know, and that its messages say, on a communicator of the library (schedule_matcher.h).
//
// A schedule that fails on one rank fails on all: others get a notice (notice.h). It gives its messages up:
// the receiver of one that has not begun is notified at once (Carriage::given_up), the sender of one that has not come
// when it comes.
#pragma once

#include "request/message.h"
#include "request/notice.h"

#include <chrono>
#include <deque>

namespace pixmpi {

class Schedule final : public Request {
  public:
    using Step = std::size_t;
    using Steps = std::vector<Step>;
    using End = Place;
    /// Reserves the next number of the communicator. `named`: the surfaces that the user passed.
    static Status make(MPI_Comm comm, std::vector<std::shared_ptr<Surface>> named, std::shared_ptr<Schedule> &made);

    /// A message, once the steps `after` are over. `label`: the same at both ends, from 0 to labels - 1; it tells
    /// messages between the same two ranks apart, which may overtake each other otherwise.
    /// `received`: the step that brought these pixels; what came compressed goes on as it came.
    Step send(const End &end, int dest, int label, Steps after = {}, std::optional<Step> received = {});
    /// `how`: what happens to the pixels that are there.
    Step recv(const End &end, int source, int label, Steps after = {}, const Combination &how = {});
    /// The same pixels to several ranks, each by its own message; packed once for those of this host where that is
    /// faster. `make_surface()`: a surface of these pixels for one message.
    template <class MakeSurface>
    Steps share(MakeSurface make_surface, std::shared_ptr<const Region> region, std::span<const int> dests, int label,
                const Steps &after = {}, std::optional<Step> received = {}) {
        Steps steps;
        for (const int dest : dests)
            steps.push_back(send({make_surface(), region}, dest, label, after, received));
        if (steps.size() > 1)
            join(make_surface(), steps);
        return steps;
    }
    /// A codec, which may lose, for a message that is sent.
    void compress(Step sent, const pixMPI_Codec &codec);
    /// Something that needs no other rank.
    Step local(std::shared_ptr<Request> request, Steps after = {});
    /// The same for one that adds further steps while it begins: what they are depends on the steps before. Such a
    /// schedule is started once.
    Step write_more(std::shared_ptr<Request> writer, Steps after);
    /// A local step begins when what this rank sends has been packed and its receives have matched, which others wait
    /// for: for a short time, as they may be late. Receives are held until then, also those that come after it.
    void defer(Step step) { items_[step].deferred = defers_ = true; }
    /// A receive whose sender sends when much else is over: deferred steps do not wait until it has matched.
    void expect_late(Step received) { items_[received].late = true; }
    /// A step for local(): over when each of these ranks has sent something by one of these labels (expectation.h).
    std::shared_ptr<Request> expect(std::vector<int> sources, std::vector<int> from_labels,
                                    std::shared_ptr<std::vector<int>> came) const;
    /// The error that a writer is about to return is found by all ranks alike: it needs no notice.
    void fails_alike() { fails_alike_ = true; }
    /// Something that needs no other rank, and happens also when the schedule has failed.
    Step promise(std::shared_ptr<Request> request);
    /// A promise that is kept when all else is over.
    Step last_promise(std::shared_ptr<Request> request);
    /// Messages from now on are parts of a picture of so many pixels, as many on all ranks.
    void cut(std::uint64_t whole) { whole_ = whole; }
    /// Messages from now on bring exactly the pixels that were sent.
    void be_exact() { exact_ = true; }
    /// The surfaces that the user passed, and the library's own: they live as long as the schedule.
    void name(std::vector<std::shared_ptr<Surface>> named, std::vector<std::shared_ptr<Surface>> own) {
        named_ = std::move(named);
        own_ = std::move(own);
    }
    /// What writers need; it lives as long as the schedule.
    void keep(std::shared_ptr<const void> kept) { kept_ = std::move(kept); }
    /// Before the first start: the schedule could not be written. All other ranks' fail.
    void fail_unwritten(Runtime &runtime);
    const Channel &channel() const { return *channel_; }
    static constexpr int labels = schedule_labels;

    /// What a step took, once the schedule is over; one that was never begun has no times.
    struct StepTimes {
        std::chrono::steady_clock::time_point begun{}, over{};
        std::uint64_t bytes = 0;   ///< of a message, as they travelled
        double coding_seconds = 0; ///< for its codec
    };
    StepTimes times(Step step) const;

    Schedule() = default;
    ~Schedule() override;

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &runtime) override;
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override;
    Pause pause() const override;
    void await() override;
    void end_wait() override;
    Status cancel() override;
    Status set_codec(const pixMPI_Codec &codec) override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return named_; }

  private:
    enum class Progress { waiting, started, over };
    enum class Kept { no, at_once, at_last }; ///< a promise
    /// Sends of the same pixels that one message may replace.
    struct Joint {
        std::shared_ptr<Send> message;
        Steps members;
    };
    struct Item {
        std::shared_ptr<Request> request;
        std::shared_ptr<Message> message; ///< the same, if it is one
        Receive *held() const { return is_held ? static_cast<Receive *>(message.get()) : nullptr; }
        std::shared_ptr<Receive> stand_in; ///< of a receive that has been given up: what its message then comes to
        std::vector<Step> after;
        Progress progress = Progress::waiting;
        Kept kept = Kept::no;
        bool writes = false; ///< adds further items
        bool deferred = false, late = false, is_held = false;
        int joint = -1;      ///< its number in joints_
        bool joined = false; ///< and whether that took its place this time
        std::chrono::steady_clock::time_point begun{}, over{};
        std::shared_ptr<Request> instead{}; ///< given up before its start: does what its surface was promised
    };
    Step add(Item item);
    /// A message of the schedule's.
    template <class One> std::shared_ptr<One> make(const End &end, int rank, int label) const;
    void join(std::shared_ptr<Surface> surface, const Steps &steps);
    Message &message_of(const Item &item) const {
        return item.joined ? *joints_[static_cast<std::size_t>(item.joint)].message : *item.message;
    }
    const Request &request_of(const Item &item) const {
        return item.instead ? *item.instead : item.joined ? message_of(item) : *item.request;
    }
    bool is_ready(const Item &item) const;
    bool follows_all(const Item &item) const;
    bool follows(const Item &item, Step before) const;
    bool may_begin_held(const Item &item) const;
    bool is_held_back(const Item &item) const;
    bool messages_first() const;
    Status prepare(Step first);
    Status start_ready(Runtime &runtime, bool &moved);
    Status start_step(Runtime &runtime, Step step);
    Status look_after_started(bool &moved);
    Status listen(Runtime &runtime, bool &notified);
    void give_up_all(Runtime &runtime, Status error, bool notified);
    void give_up_item(Runtime &runtime, Item &item);
    bool keep_promises(Item &item);
    void replace(Runtime &runtime, Receive &receive, const std::shared_ptr<Receive> &stand_in, bool waits);

    std::shared_ptr<Channel> channel_;
    ChannelUse use_;
    std::uint64_t number_ = 0;
    std::uint64_t whole_ = 0;
    bool exact_ = false, fails_alike_ = false;
    bool awaited_ = false; ///< a call waits for it, since its start
    std::vector<std::shared_ptr<Surface>> named_, own_;
    std::shared_ptr<const void> kept_;
    std::deque<Item> items_; ///< grows while one of them begins
    std::vector<Joint> joints_;
    std::size_t over_ = 0, lasts_ = 0;
    std::uint64_t starts_ = 0;
    std::chrono::steady_clock::time_point prepared_; ///< the last steps
    bool defers_ = false;                            ///< some steps are deferred
    bool has_looked_ = false;                        ///< for envelopes, since something else than a receive has begun
    unsigned quiet_ = 0;                             ///< how often nothing has moved
};

} // namespace pixmpi
