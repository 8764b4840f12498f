// What a collective writes: this rank's steps, on surfaces that several of these use at once. The Plan makes a schedule
// of them.
//
// Every collective is a function that adds this rank's steps to a Plan. All ranks run the same function with the same
// arguments, apart from their surfaces and regions; so each step has its counterpart at the other rank.
#pragma once

#include "schedule/schedule.h"

#include <functional>
#include <span>

namespace pixmpi {

class Plan : public std::enable_shared_from_this<Plan> {
  public:
    using Step = Schedule::Step;
    using Steps = Schedule::Steps;
    using Part = std::shared_ptr<const Region>;
    enum class Plane { colors, depths };
    /// A surface of this rank's.
    using Side = std::size_t;

    /// Reserves the next number of the communicator; a Plan that is not finished has failed on all ranks.
    static Status make(MPI_Comm comm, std::shared_ptr<Plan> &plan);
    int rank() const { return schedule_->channel().rank; }
    int size() const { return schedule_->channel().size; }
    const Options &options() const { return schedule_->channel().options; }
    /// The same host as this rank's, this rank included; in the order of the communicator.
    const std::vector<int> &neighbours() const { return schedule_->channel().neighbours; }
    /// For each host the lowest of its ranks, and of this rank's host among them; in the order of the communicator.
    const std::vector<int> &leaders() const { return schedule_->channel().leaders; }
    int leader_of(int rank) const { return schedule_->channel().leader_of[static_cast<std::size_t>(rank)]; }

    /// A surface that the program named; the same one is added once.
    Side add(std::shared_ptr<Surface> named);
    /// A surface of the library.
    Side add_own(std::shared_ptr<Surface> own);
    /// One plane of a side, as a side: its colours, or what decides by depth. A side of one plane is both.
    Side add_plane(Side of, Plane plane);
    /// Memory for so many pixels of a surface's format, on its device, where pixels of that device are best combined,
    /// or the host's. `all`: the region that is all of it.
    enum class Memory { device, to_combine, host };
    Status add_scratch(Side like, std::uint64_t pixels, Memory memory, Side &scratch, Part &all);
    /// The same with columns and rows.
    Status add_scratch(Side like, Extent extent, Memory memory, Side &scratch);
    /// The same surface by way of host memory: steps that use `side` find these parts of it there, and `parts` become
    /// those of `side`. Pack: they are copied there at once; unpack: from there, after the last step that writes there.
    Status add_by_host(std::shared_ptr<Surface> named, Direction direction, std::span<Part> parts, Side &side);
    /// Whether that is faster: each step's submission to a GPU takes longer than few pixels do over the bus, and
    /// pixels that are combined there have more steps, unless they are combined as they arrive.
    enum class Use { moved, combined, combined_at_once };
    bool gains_by_host(const Surface &named, std::span<const Part> parts, Use use) const;
    /// The same memory as `room`, for the first receive that combines: arriving pixels are combined with pixels of
    /// `base`. Its pixel (x, y) stands for the first one of `room`. None if that needs a copy before.
    std::optional<Side> add_onto(Side room, Side base, int x, int y);
    /// Whether colours of `side` and scratch depths to combine can be one side: where the host combines them.
    bool joins(Side side) const;
    Side add_joined(Side colors, Side depths);
    /// Whether Memory::to_combine for pixels like those of `like` is on the device of `there`.
    bool combines_where(Side like, Side there) const;
    /// Whether pixels are best combined in the surface itself, not in scratch memory.
    bool combines_in_place(Side side) const;
    const Surface &surface(Side side) const { return *sides_[side].named; }

    /// The messages are parts of a picture of so many pixels, as many on all ranks: how it is cut depends on that.
    void cut(std::uint64_t whole) { schedule_->cut(whole); }

    /// No codec that loses: what is combined comes out the same on all ranks.
    void be_exact() { schedule_->be_exact(); }

    /// Its steps are started several times: write_more() is not for it.
    void start_again(bool yes) { starts_again_ = yes; }
    bool starts_again() const { return starts_again_; }

    // Steps; each begins when those of `after` are over.
    Step send(Side side, const Part &part, int dest, int label = 0, Steps after = {});
    Step recv(Side side, const Part &part, int source, int label = 0, Steps after = {}, const Combination &how = {});
    /// What is sent when much else is over: copy_meanwhile() does not wait until it has matched.
    Step recv_late(Side side, const Part &part, int source, int label, Steps after, const Combination &how);
    /// The same pixels to several ranks.
    Steps share(Side side, const Part &part, std::span<const int> dests, int label = 0, const Steps &after = {});
    /// The same, of pixels that `received` has brought, once it is over: what came compressed goes on as it came.
    Steps hand_on(Side side, const Part &part, Step received, std::span<const int> dests, int label = 0);
    Step copy(Side from, const Part &from_part, Side to, const Part &to_part, Steps after = {},
              const Combination &how = {});
    /// The same. On GPUs messages come first: what this rank sends is packed, and what it receives matches, which other
    /// ranks wait for (Schedule::defer). A device that packs to other GPUs copies sooner than messages match.
    Step copy_meanwhile(Side from, const Part &from_part, Side to, const Part &to_part, Steps after = {});
    /// A codec, which may lose, for these steps that send.
    void compress(const Steps &sent, const pixMPI_Codec &codec);
    /// An empty message, for barriers.
    Step send_nothing(int dest, int label, Steps after = {});
    Step recv_nothing(int source, int label, Steps after = {});

    /// What `make` makes for the side's surface, or another one of the same pixels.
    using MakeRequest = std::function<std::shared_ptr<Request>(std::shared_ptr<Surface>)>;
    Step local(Side side, MakeRequest make, Steps after = {});
    /// A function is called.
    Step work(std::function<Status()> function, Steps after);
    /// Over when each of these ranks has sent something by one of these labels. The receives that are written then find
    /// it. `came`: of each source the label.
    Step expect(std::vector<int> sources, std::vector<int> labels, std::shared_ptr<std::vector<int>> came) {
        return work(schedule_->expect(std::move(sources), std::move(labels), std::move(came)), {});
    }
    /// Something that needs no other rank and no side.
    Step work(std::shared_ptr<Request> request, Steps after);

    // For steps that depend on what the ranks exchange meanwhile:
    /// The pixels of a side of the library are there after these steps.
    void fill(Side side, Steps filled) { sides_[side].filled = std::move(filled); }
    /// The next step; those from there on come after it.
    Step next() const { return lines_.size(); }
    /// `write` adds further steps when these are over; it needs the devices of the sides `uses`. All sides of the
    /// program have been added before.
    void write_more(std::function<Status()> write, Steps after, const std::vector<Side> &uses);
    /// The error that `write` is about to return is the same on all ranks.
    void fails_alike() { schedule_->fails_alike(); }

    // What the steps took, for a plan that grows:
    enum class Kind { send, recv, share, copy, local, work, write_more };
    /// A step; of a share one for each of its ranks, as a send.
    struct Report : Schedule::StepTimes {
        Kind kind;
        int phase;
        int rank; ///< of a message
    };
    /// Steps that are added from now on belong to this phase.
    void begin_phase(int phase) { phase_ = phase; }
    /// `last` is called when all steps are over without error.
    void conclude(std::function<void()> last) { last_ = std::move(last); }
    /// All steps that were begun, except those that wrote more.
    std::vector<Report> report() const;

    /// It lives as long as the plan; a plan that writes more lives as long as its schedule.
    void keep(std::shared_ptr<const void> kept) { kept_ = std::move(kept); }

    Status finish(std::shared_ptr<Schedule> &schedule);
    /// The call has failed before there was a schedule: the other ranks' calls also fail.
    void fail(Runtime &runtime) { schedule_->fail_unwritten(runtime); }

  private:
    struct Line {
        Kind kind;
        Side side, to;
        Part part, to_part;
        std::vector<int> ranks;
        int label;
        Steps after;
        Combination how;
        std::optional<Step> received{}; ///< the line that brought the pixels it hands on
        std::optional<pixMPI_Codec> codec{};
        int phase = 0;
        bool deferred = false, late = false;
        MakeRequest make{};                 ///< of Kind::local
        std::shared_ptr<Request> request{}; ///< of Kind::work, Kind::write_more
    };
    struct Named {
        std::shared_ptr<Surface> named;
        int uses = 0;
        bool own = false;                              ///< the library's: nothing was promised for it
        bool plane = false;                            ///< of another side, which has what was promised
        std::optional<Side> room{}, base{};            ///< of add_onto(): the same memory; what is combined with
        Steps filled{};                                ///< what brings the pixels there that steps use
        std::shared_ptr<Surface> opening{}, closing{}; ///< of one that a single message does not serve
    };
    /// What is still to be copied out of host memory.
    struct Return {
        Side host, named;
        Part from, to;
    };
    Status add_scratch(const Surface &model, std::uint64_t pixels, Device &device, Side &scratch, Part &all);
    Status add_scratch(const Surface &model, Extent extent, Device &device, Side &scratch);
    Device &device_for(Side like, Memory memory) const;
    bool combines_on_device(Side side) const;
    Step add(Line line);
    void copy_back(const Return &back);
    void copy_all_back();
    Side nothing();
    void make_frames();
    Step add_work(Kind kind, std::function<Status()> function, Steps after, const std::vector<Side> &uses);
    void write_lines();
    void write(Line &line);
    std::shared_ptr<Surface> surface_for_a_message(const Named &side) const;
    Steps after(const Line &line) const;
    std::optional<Schedule::Step> received(const Line &line) const;
    Steps share(Side side, const Part &part, std::span<const int> dests, int label, const Steps &after,
                std::optional<Step> received);

    std::shared_ptr<Schedule> made_; ///< until it is finished
    Schedule *schedule_ = nullptr;
    std::shared_ptr<const void> kept_;
    bool grows_ = false; ///< by write_more()
    bool starts_again_ = false;
    int phase_ = 0;
    std::function<void()> last_;
    std::vector<Named> sides_;
    std::optional<Side> nothing_;
    std::vector<Line> lines_;
    std::vector<Return> returns_;
    Steps opened_;               ///< of the frames
    std::vector<Steps> written_; ///< the schedule's steps of each line
};

} // namespace pixmpi
