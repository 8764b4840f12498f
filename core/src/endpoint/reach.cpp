#include "endpoint/reach.h"

#include "base/log.h"
#include "process/process.h"
#include "request/channel_exchange.h"
#include "request/request.h"

#include <algorithm>
#include <unistd.h>

namespace pixmpi {
namespace {

/// Of the labels of descriptors: PeerMemory's numbers are small.
constexpr std::uint32_t of_windows = 1U << 31;
constexpr std::chrono::seconds patience{5}; // with a process that has failed to send

class CudaCardMemory final : public CardMemory {
  public:
    CudaCardMemory(CudaGpu &on, std::unique_ptr<CudaMemory> made, std::uint32_t number_)
        : number(number_), gpu(on), memory(std::move(made)) {
        bytes = memory->bytes();
    }
    int descriptor() const override { return memory->descriptor(); }
    const std::uint32_t number;
    CudaGpu &gpu;
    const std::unique_ptr<CudaMemory> memory;
};

bool has_some(const std::vector<std::uint64_t> &places) {
    return std::any_of(places.begin(), places.end(), [](std::uint64_t place) { return place != 0; });
}

Status closed() { return fail(PIXMPI_ERR_PEER, "the endpoint has been freed"); }

const CudaCardMemory &cuda_of(const Window &window) { return static_cast<const CudaCardMemory &>(*window.card); }

} // namespace

std::shared_ptr<CardMemory> make_card_memory(const Gpu &gpu, std::size_t bytes) {
    static std::uint32_t last = 0;
    CudaGpu *const on = process().options.peer ? CudaGpu::find(gpu) : nullptr;
    std::unique_ptr<CudaMemory> made = on ? CudaMemory::make(*on, bytes) : nullptr;
    return made ? std::make_shared<CudaCardMemory>(*on, std::move(made), of_windows | ++last) : nullptr;
}

std::uint64_t Reach::place_of(const Window &window) {
    return window.card ? window.card_offset << 32 | cuda_of(window).number : 0;
}

const Reach::Mapped *Reach::find(int process, std::uint32_t window) const {
    const auto found = mapped_.find({process, window});
    return found == mapped_.end() ? nullptr : &found->second;
}

/// False when it has to be tried again.
bool Reach::show_next(const Channel &channel, std::vector<Shown> &to_show) const {
    const Shown &one = to_show.back();
    const CudaCardMemory &card = cuda_of(*(*own_)[one.window]);
    DescriptorLabel label;
    label.owner = process().card.id;
    label.bytes = card.bytes;
    label.memory = card.number;
    label.device = one.number(); // the same window may be of several endpoints, which are made one after the other
    label.cuda = 1;
    const int descriptor = card.descriptor();
    const std::uint64_t to = channel.peers[static_cast<std::size_t>(one.process)]->card.id;
    const Descriptors::Sent sent =
        descriptor < 0 ? Descriptors::Sent::never : process().descriptors.send(to, label, descriptor);
    if (descriptor >= 0)
        close(descriptor);
    if (sent == Descriptors::Sent::later)
        return false;
    to_show.pop_back();
    return true;
}

void Reach::receive_shown(const Channel &channel, std::vector<Shown> &expected) {
    std::erase_if(expected, [&](const Shown &one) {
        DescriptorLabel label;
        const std::uint64_t owner = channel.peers[static_cast<std::size_t>(one.process)]->card.id;
        const int descriptor = process().descriptors.claim(owner, one.number(), one.number(), label);
        if (descriptor < 0)
            return false;
        std::unique_ptr<CudaMemory> memory =
            CudaMemory::import(*gpu_, descriptor, static_cast<std::size_t>(label.bytes));
        close(descriptor);
        auto &stream = streams_[one.process];
        if (memory && !stream)
            stream = CudaStream::make(*gpu_, 1);
        if (memory && stream)
            mapped_[{one.process, one.window}] = {std::move(memory), one.offset()};
        return true;
    });
}

Status Reach::map(Runtime &runtime, Lock &lock, const Channel &channel,
                  const std::vector<std::vector<std::uint64_t>> &announced) {
    const auto self = static_cast<std::size_t>(channel.rank);
    std::vector<Shown> to_show, expected;
    for (std::size_t p = 0; p < announced.size(); ++p) {
        if (p == self || !has_some(announced[p]) || !same_host(channel.peers[p]->card, process().card))
            continue;
        for (std::uint32_t window = 0; window < announced[p].size(); ++window) {
            if (announced[self][window])
                to_show.push_back({static_cast<int>(p), window, announced[self][window]});
            if (announced[p][window])
                expected.push_back({static_cast<int>(p), window, announced[p][window]});
        }
    }
    for (const auto &window : *own_)
        if (window->card)
            gpu_ = &cuda_of(*window).gpu;
    const auto begin = std::chrono::steady_clock::now();
    const Status error = go_on_until(runtime, lock, Pause(), [&](bool &yes) {
        while (!to_show.empty() && show_next(channel, to_show))
            ;
        receive_shown(channel, expected);
        yes = (to_show.empty() && expected.empty()) || std::chrono::steady_clock::now() - begin > patience;
        return PIXMPI_SUCCESS;
    });
    if (!expected.empty())
        log_line(PIXMPI_LOG_INFO, "endpoint: %zu windows of other processes have not been shown; messages go there",
                 expected.size());
    return error;
}

/// Whether each window of ours reaches each one that a process has announced.
bool Reach::copies_from(std::size_t process, const std::vector<std::uint64_t> &announced) const {
    const bool all_ours =
        std::all_of(own_->begin(), own_->end(), [](const auto &window) { return window->card != nullptr; });
    bool all = all_ours && has_some(announced);
    for (std::uint32_t window = 0; window < announced.size(); ++window)
        all = all && (!announced[window] || find(static_cast<int>(process), window));
    return all;
}

Status Reach::open(Runtime &runtime, Lock &lock, MPI_Comm plain, const Windows &own,
                   const std::vector<std::vector<std::uint64_t>> &announced) {
    own_ = &own;
    std::shared_ptr<Channel> channel;
    if (const Status error = find_channel(plain, channel))
        return error;
    if (std::none_of(announced.begin(), announced.end(), has_some))
        return PIXMPI_SUCCESS;
    if (has_some(announced[static_cast<std::size_t>(channel->rank)]))
        if (const Status error = map(runtime, lock, *channel, announced))
            return error;
    std::vector<char> copies;
    for (std::size_t p = 0; p < announced.size(); ++p)
        copies.push_back(copies_from(p, announced[p]) ? 1 : 0);
    return exchange_bytes(runtime, lock, plain, copies, copied_by_);
}

bool Reach::lies_within(int process, std::uint32_t window, std::uint64_t offset, std::uint64_t bytes) const {
    const Mapped *const mapped = find(process, window);
    const std::uint64_t all = mapped ? mapped->memory->bytes() - mapped->offset : 0;
    return offset <= all && bytes <= all - offset;
}

void Reach::leave() {
    streams_.clear();
    own_ = nullptr;
}

Status Reach::copy(bool put, Part own, int process, Part theirs, std::uint64_t bytes, std::uint64_t &number) {
    if (!own_)
        return closed();
    const Window &window = *(*own_)[own.window];
    const Mapped &other = *find(process, theirs.window);
    const std::uint64_t here = cuda_of(window).memory->address() + window.card_offset + own.offset;
    const std::uint64_t there = other.memory->address() + other.offset + theirs.offset;
    return streams_.at(process)->copy(put ? there : here, put ? here : there, static_cast<std::size_t>(bytes), number);
}

Status Reach::look(int process, std::uint64_t &number) {
    return own_ ? streams_.at(process)->progress(number) : closed();
}

} // namespace pixmpi
