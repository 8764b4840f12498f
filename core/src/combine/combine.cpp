// The host's loops. Compiled with -O3, since the loops become vector code by that, and without contraction, since one
// rounding less is another result.
#include "combine/combine.h"

#include "base/format.h"
#include "combine/choose_loop.h"

namespace pixmpi {
namespace {

struct LoopAddress {
    static constexpr bool uses_vectors = true, uses_tables = true;
    template <class Loop> Combiner::Loop operator()(Loop) const { return Loop::run; }
};

} // namespace

Combiner::Combiner(const Combination &how, pixMPI_Format format) : order_(how.order), format_(format) {
    if (how.operation == Operation::replace || !can_combine(how.operation, format))
        return;
    if (how.operation == Operation::user) {
        user_ = how.user;
        return;
    }
    const FormatInfo &info = format_info(format);
    LoopAddress address;
    numbers_ = static_cast<std::size_t>(loops::numbers_in_pixel(how.operation, info));
    loop_ = loops::Choice<LoopAddress>(how.operation, how.order, address).of(info, format);
}

} // namespace pixmpi
