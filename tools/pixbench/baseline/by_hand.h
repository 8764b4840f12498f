// Pixels from an object of one process into an object of another, as fast as one could write it by hand for these two
// objects and these rectangles: read straight into memory that both see, and written straight from there. For limits:
// what a message takes at least, since its pixels cannot come any other way. Where a call for each rectangle is dear,
// strips of rows that hold many of them are moved by one call, in any of the ways that are known; the fastest counts.
#pragma once

#include "baseline/cargo.h"
#include "object/object.h"
#include "object/strips.h"

class ByHand final : public Cargo {
  public:
    ByHand(const std::vector<pixMPI_Rect> &rects, Object &source, Object &dest);

    std::size_t choices() const override { return choices_.size(); }
    void use(std::size_t choice) override { use_choice(choices_[choice]); }
    std::uint64_t pieces() const override { return strips_->size(); }
    std::size_t piece_bytes() const override { return piece_bytes_; }
    std::size_t slots() const override { return slots_; }
    void put(std::uint64_t k, std::byte *slot) override;
    void get(std::uint64_t k, std::byte *slot) override;

  private:
    enum class Out {
        calls, ///< a call for each rectangle's part in the strip
        strip, ///< one for all, and what is wanted of it picked by the processor
        box    ///< one for all, and all of it travels
    };
    enum class In {
        calls,
        strip, ///< put into a strip, around them what was there before
        box    ///< what was there before is put into the strip that has come
    };
    struct Choice {
        int cut; ///< which of cuts_
        std::size_t slots;
        Out out;
        In in;
    };
    void add_choices(int cut);
    void use_choice(const Choice &choice);
    std::size_t bytes_of(const Strip &strip) const; ///< in a slot
    void keep_holes(const Strip &strip, std::byte *box);

    Object &source_, &dest_;
    const std::size_t pixel_bytes_;
    std::vector<std::vector<Strip>> cuts_; ///< into strips of several heights
    std::vector<Choice> choices_;
    const std::vector<Strip> *strips_ = nullptr; ///< those in use
    std::size_t piece_bytes_ = 0, slots_ = 1;
    Out out_ = Out::calls;
    In in_ = In::calls;
    HostMemory scratch_, old_;
};
