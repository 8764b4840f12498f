#include "endpoint/endpoint.h"

#include "base/environment.h"
#include "base/log.h"
#include "endpoint/service.h"
#include "host/host_device.h"

#include <algorithm>
#include <bit>

namespace pixmpi {
namespace {

/// What a process tells the others: the sizes of its windows, and then these.
constexpr std::size_t announced_places = PIXMPI_MAX_WINDOWS, ///< Reach::place_of() of its windows
    announced_signals = announced_places + PIXMPI_MAX_WINDOWS, announced_payload = announced_signals + 1,
                      announced_gpu = announced_payload + 1, announced_words = announced_gpu + 1;

/// A surface of memory that has an owner.
Status surface_of_bytes(std::byte *memory, std::uint64_t count, std::shared_ptr<Surface> &surface) {
    constexpr std::uint64_t most = INT32_MAX;
    if (count > most)
        return fail(PIXMPI_ERR_ARGUMENT, "bytes: %llu, expected %llu at most", static_cast<unsigned long long>(count),
                    static_cast<unsigned long long>(most));
    return make_host_surface(pixMPI_Memory(memory, PIXMPI_R8, static_cast<int>(count), 1), surface);
}

class MemoryWindow final : public Window {
  public:
    MemoryWindow(std::byte *memory, std::uint64_t size, std::shared_ptr<const void> owner)
        : memory_(memory), owner_(std::move(owner)) {
        bytes = size;
        of_host = true;
    }
    Status surface(Direction, std::uint64_t offset, std::uint64_t count, std::shared_ptr<Surface> &surface) override {
        struct Owned {
            std::shared_ptr<Surface> surface;
            std::shared_ptr<const void> owner;
        };
        const auto owned = std::make_shared<Owned>();
        owned->owner = owner_;
        if (const Status error = surface_of_bytes(memory_ + offset, count, owned->surface))
            return error;
        surface = {owned, owned->surface.get()};
        return PIXMPI_SUCCESS;
    }

  private:
    std::byte *const memory_;
    const std::shared_ptr<const void> owner_;
};

/// `chosen` becomes what was given, or the usual value.
Status read_number(const char *name, int given, int usual, int least, int most, std::uint32_t &chosen) {
    const int value = given ? given : usual;
    if (value < least || value > most)
        return fail(PIXMPI_ERR_ARGUMENT, "info.%s: %d, expected %d to %d", name, given, least, most);
    chosen = static_cast<std::uint32_t>(value);
    return PIXMPI_SUCCESS;
}

Status read_mode(pixMPI_Device_mode &mode) {
    if (mode < PIXMPI_MODE_AUTOMATIC || mode > PIXMPI_MODE_TIMELINE)
        return fail(PIXMPI_ERR_ARGUMENT, "info.mode: %d, expected one of pixMPI_Device_mode", static_cast<int>(mode));
    return read_word("PIXMPI_DEVICE_MODE", mode);
}

} // namespace

std::unique_ptr<Window> memory_window(std::byte *memory, std::uint64_t bytes, std::shared_ptr<const void> owner) {
    return std::make_unique<MemoryWindow>(memory, bytes, std::move(owner));
}

Status surface_of_words(std::span<std::uint32_t> memory, std::shared_ptr<Surface> &surface) {
    return surface_of_bytes(reinterpret_cast<std::byte *>(memory.data()), memory.size_bytes(), surface);
}

Status Endpoint::read_info(const pixMPI_Endpoint_info &given) {
    info = given;
    constexpr int many = 1 << 16;
    struct Number {
        const char *name;
        int given, usual, least, most;
        std::uint32_t &chosen;
    };
    std::uint32_t turns = 0, budget = 0;
    const Number numbers[] = {{"slots", given.slots, 1, 1, many, shape.slots},
                              {"max_groups", given.max_groups, 64, 1, many, shape.groups},
                              {"state_words", given.state_words, 1024, 16, 1 << 20, shape.state},
                              {"data_words", given.data_words, 64, 1, 8192, shape.payload},
                              {"signals", given.signals, 16, 1, many, shape.signals},
                              {"ring_entries", given.ring_entries, 16, 1, 1024, shape.ring},
                              {"calls", given.calls, 16, 1, PIXMPI_MAX_CALLS, shape.calls},
                              {"shared_rings", given.shared_rings, 0, 0, many, shape.shared_rings},
                              {"max_turns", given.max_turns, 4096, 256, INT32_MAX, turns},
                              {"budget", given.budget, 2000, 1, INT32_MAX, budget}};
    for (const Number &one : numbers)
        if (const Status error = read_number(one.name, one.given, one.usual, one.least, one.most, one.chosen))
            return error;
    if (!std::has_single_bit(shape.ring))
        return fail(PIXMPI_ERR_ARGUMENT, "info.ring_entries: %d, expected a power of two", given.ring_entries);
    if (const Status error = read_mode(info.mode))
        return error;
    info.max_turns = static_cast<int>(turns);
    info.budget = static_cast<int>(budget);
    info.timeout = given.timeout == 0 ? 30 : given.timeout;
    return PIXMPI_SUCCESS;
}

Status Endpoint::open(EndpointParts &parts) {
    if (const Status error = read_info(parts.info))
        return error;
    if (parts.windows.size() > PIXMPI_MAX_WINDOWS)
        return fail(PIXMPI_ERR_ARGUMENT, "window_count: %zu, expected 0 to %d", parts.windows.size(),
                    PIXMPI_MAX_WINDOWS);
    windows = std::move(parts.windows);
    layout = EndpointLayout(shape);
    signals_.resize(std::size_t{shape.slots} * shape.signals);
    if (const Status error = parts.make_memory(layout.in_words(), layout.out_words(), layout.kept_words(), memory))
        return error;
    if (info.mode == PIXMPI_MODE_AUTOMATIC)
        info.mode = memory->on_host_cores ? PIXMPI_MODE_SUSPENDING : PIXMPI_MODE_RUNNING;
    const bool blind = !memory->on_host_cores &&
                       std::any_of(windows.begin(), windows.end(), [](const auto &window) { return window->of_host; });
    if (info.mode == PIXMPI_MODE_RUNNING && (blind || !memory->shows_writes()))
        suspend_for("this device's dispatches do not see what comes into windows while they run");
    return PIXMPI_SUCCESS;
}

void Endpoint::suspend_for(const char *reason) {
    log_line(PIXMPI_LOG_INFO, "endpoint: %s; the mode running becomes suspending", reason);
    info.mode = PIXMPI_MODE_SUSPENDING;
}

/// The mode is known; it also depends on the other processes.
void Endpoint::settle(const pixMPI_Endpoint_info &given) {
    const std::uint64_t card = memory->card.hash();
    const auto shares = [&](const Words &other) { return other[announced_gpu] == card; };
    if (info.mode == PIXMPI_MODE_RUNNING && card && std::count_if(announced_.begin(), announced_.end(), shares) > 1)
        suspend_for("processes that share a GPU use it alternately");
    if (info.mode != PIXMPI_MODE_RUNNING)
        info.budget = 0;
    constexpr int turns_of_cards = 1 << 17; // no driver of theirs cuts loops
    if (info.mode == PIXMPI_MODE_RUNNING && !memory->on_host_cores && !given.max_turns)
        info.max_turns = turns_of_cards;
}

Status Endpoint::make(Runtime &runtime, Lock &lock, MPI_Comm comm, EndpointParts &parts, Status failed,
                      std::shared_ptr<Endpoint> &endpoint) {
    auto made = std::make_shared<Endpoint>();
    const pixMPI_Endpoint_info given = parts.info;
    if (!failed)
        failed = without_throwing([&] { return made->open(parts); });
    const Error own = last_error(failed);
    Words announced(announced_words);
    for (std::size_t i = 0; i < made->windows.size(); ++i) {
        announced[i] = made->windows[i]->bytes;
        announced[announced_places + i] = Reach::place_of(*made->windows[i]);
    }
    announced[announced_signals] = made->shape.signals;
    announced[announced_payload] = made->shape.payload;
    announced[announced_gpu] = made->memory ? made->memory->card.hash() : 0;
    const int slots = failed ? -1 : static_cast<int>(made->shape.slots);
    const Status opened = open_slots(runtime, lock, comm, slots, announced, made->space, made->plain, made->announced_);
    if (failed)
        return repeat(own);
    if (opened)
        return opened;
    if (const Status error = find_channel(made->space, made->channel))
        return error;
    for (const Words &one : made->announced_)
        for (const std::size_t i : {announced_signals, announced_payload})
            if (one[i] != announced[i]) // which all find alike
                return fail(PIXMPI_ERR_ARGUMENT, "info.%s: %llu, on another rank %llu; expected the same on all",
                            i == announced_signals ? "signals" : "data_words",
                            static_cast<unsigned long long>(announced[i]), static_cast<unsigned long long>(one[i]));
    made->settle(given);
    if (const Status error = made->open_reach(runtime, lock))
        return error;
    made->service = std::make_shared<Service>(*made);
    if (const Status error = start(runtime, made->service))
        return error;
    serve_beside_program(runtime, *made->channel);
    endpoint = std::move(made);
    return PIXMPI_SUCCESS;
}

Status Endpoint::open_reach(Runtime &runtime, Lock &lock) {
    reach = std::make_shared<Reach>();
    std::vector<Words> places;
    for (const Words &one : announced_)
        places.emplace_back(one.begin() + announced_places, one.begin() + announced_signals);
    slots_of(*channel).pulls = std::make_unique<Pulls>(reach);
    return reach->open(runtime, lock, plain, windows, places);
}

Endpoint::~Endpoint() {
    if (reach)
        reach->leave();
    channel.reset();
    free_duplicate(space);
    free_duplicate(plain);
}

void Endpoint::close() {
    if (service)
        service->close();
    service.reset();
}

const Peer *Endpoint::seen(int process) const {
    const Peer &peer = *channel->peers[static_cast<std::size_t>(slots().slots() + process)];
    return peer.stage().base && !peer.is_self() ? &peer : nullptr;
}

Status Endpoint::check_window(const char *name, int process, std::uint32_t window, std::uint64_t offset,
                              std::uint64_t bytes) const {
    const std::uint64_t size = window_bytes(process, window);
    if (size == 0)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: %u, which process %d has not", name, window, process);
    if (offset > size || bytes > size - offset)
        return fail(PIXMPI_ERR_REGION, "%s %u: %llu bytes from %llu on, of its %llu", name, window,
                    static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset),
                    static_cast<unsigned long long>(size));
    return PIXMPI_SUCCESS;
}

Status Endpoint::find_part(Direction direction, std::uint32_t window, std::uint64_t offset, std::uint64_t bytes,
                           std::shared_ptr<Surface> &surface) const {
    if (window >= windows.size())
        return fail(PIXMPI_ERR_ARGUMENT, "window: %u, of %zu", window, windows.size());
    if (const Status error = check_window("window", process_of(slots().own), window, offset, bytes))
        return error;
    Window &one = *windows[window];
    const auto unit = static_cast<std::uint64_t>(one.pixel_bytes);
    if (bytes % unit || offset % unit || (one.whole && bytes != one.bytes))
        return fail(PIXMPI_ERR_REGION, "window %u: %llu bytes from %llu on, expected %s of %llu bytes", window,
                    static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset),
                    one.whole ? "all of its pixels" : "whole pixels", static_cast<unsigned long long>(unit));
    return one.surface(direction, offset, bytes, surface);
}

Status Endpoint::make_message(Direction direction, std::shared_ptr<Surface> surface, int own, int rank, int tag,
                              std::shared_ptr<Message> &message) const {
    std::shared_ptr<Message> made;
    if (const Status error = check_address(*channel, direction, rank, tag))
        return error;
    if (direction == Direction::pack) {
        auto send = std::make_shared<Send>();
        send->exact = true;
        made = std::move(send);
    } else {
        made = std::make_shared<Receive>();
    }
    if (const Status error = find_region(PIXMPI_WHOLE, surface->extent, made->region))
        return error;
    made->channel = channel;
    made->own = own;
    made->rank = rank;
    made->tag = tag;
    made->surface = std::move(surface);
    message = std::move(made);
    return PIXMPI_SUCCESS;
}

int Endpoint::next_tag() {
    constexpr int most = 16000; // tags up to 32767 are always there
    tag_ = tag_ % most + 1;
    return 2 * tag_;
}

void Endpoint::change_signal(std::uint32_t slot, std::uint32_t number, std::uint32_t what, std::uint32_t value) {
    std::uint32_t &one = signals_[std::size_t{slot} * shape.signals + number];
    one = what == PM_SIGNAL_ADD ? one + value : value;
    if (!(dispatched && info.mode == PIXMPI_MODE_TIMELINE))
        store(memory->in[layout.signal(slot, number)], one);
}

void Endpoint::write_signals() {
    std::copy(signals_.begin(), signals_.end(), memory->in.begin() + static_cast<std::ptrdiff_t>(layout.signals()));
}

} // namespace pixmpi
