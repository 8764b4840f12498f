#include "api/shared_objects.h"

#include "base/struct_size.h"
#include "host/host_device.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

namespace pixmpi {
namespace {

struct Object {
    std::unique_ptr<SharedBacking> backing;
    std::unique_ptr<Shadow> shadow; // goes before its device
    std::byte *base = nullptr;
    std::size_t bytes = 0;
    pixMPI_Sharing kind = PIXMPI_SHARED_PINNED;
    std::atomic<int> lent{0}; ///< to the device, and for what; 0: the CPU has it

    Status check_usable() const {
        return backing->usable() ? PIXMPI_SUCCESS
                                 : fail(PIXMPI_ERR_CONTEXT, "pointer: its object belongs to a context that is not this "
                                                            "thread's, expected one that is");
    }
};

struct Objects {
    std::mutex mutex;
    std::map<const std::byte *, std::shared_ptr<Object>> by_base;
    std::atomic<std::size_t> count{0};
};

// Never destroyed: what is in it may be freed late.
Objects &objects() {
    static auto *const one = new Objects;
    return *one;
}

std::shared_ptr<Object> find(const void *pointer) {
    Objects &all = objects();
    if (all.count.load() == 0)
        return nullptr;
    const auto *const byte = static_cast<const std::byte *>(pointer);
    const std::lock_guard lock(all.mutex);
    auto next = all.by_base.upper_bound(byte);
    if (next == all.by_base.begin())
        return nullptr;
    const std::shared_ptr<Object> &found = std::prev(next)->second;
    return byte < found->base + found->bytes ? found : nullptr;
}

Status need(const void *pointer, std::shared_ptr<Object> &object) {
    object = find(pointer);
    return object
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_ARGUMENT,
                      "pointer: %p, expected one into memory of vkMPI_Shared_create or glMPI_Shared_create", pointer);
}

Status check_access(int access) {
    if (access > 0 && access <= (PIXMPI_READ | PIXMPI_WRITE))
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_ARGUMENT, "access: %d, expected PIXMPI_READ, PIXMPI_WRITE or both", access);
}

/// What of the object's bytes a surface has.
class Watch final : public SurfaceWatch {
  public:
    Watch(std::shared_ptr<Object> object, std::size_t offset, std::size_t bytes)
        : object_(std::move(object)), offset_(offset), bytes_(bytes) {}
    Status begins() override { return object_->shadow->write_back(offset_, bytes_); }
    Status ends(Direction direction) override {
        return direction == Direction::unpack ? object_->shadow->device_wrote(offset_, bytes_) : PIXMPI_SUCCESS;
    }

  private:
    const std::shared_ptr<Object> object_;
    const std::size_t offset_, bytes_;
};

Status make_surface(const std::shared_ptr<Object> &object, const pixMPI_Surface &named, const Use &use,
                    std::shared_ptr<Surface> &surface) {
    if (named.row_bytes < 0)
        return fail(PIXMPI_ERR_SURFACE, "surface.row_bytes: %td, expected 0 or more in shared memory with a shadow",
                    named.row_bytes);
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte *>(named.data) - object->base);
    std::shared_ptr<Surface> made;
    if (const Status error = object->backing->make_surface(named, offset, use, made))
        return error;
    const auto rows = static_cast<std::size_t>(made->extent.height);
    const std::size_t last = static_cast<std::size_t>(made->extent.width) * static_cast<std::size_t>(made->pixel_bytes);
    if (object->shadow && rows > 0 && last > 0)
        made->watch =
            std::make_shared<Watch>(object, offset, (rows - 1) * static_cast<std::size_t>(named.row_bytes) + last);
    surface = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace

bool make_shared_surface(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface,
                         Status &error) {
    const std::shared_ptr<Object> object = find(named.data);
    if (!object)
        return false;
    const SharedBacking &backing = *object->backing;
    if (!object->shadow && (backing.near_host() || !backing.usable() || named.row_bytes < 0))
        return false; // host memory as any other
    error = make_surface(object, named, use, surface);
    return true;
}

Status choose_sharing(pixMPI_Sharing kind, bool one_memory, bool imports, SharingChoice &choice) {
    int number = 0; // from C it may hold any
    std::memcpy(&number, &kind, sizeof number);
    if (number < PIXMPI_SHARED_AUTO || number > PIXMPI_SHARED_COHERENT)
        return fail(PIXMPI_ERR_ARGUMENT, "kind: %d, expected one of pixMPI_Sharing", number);
    GuardWish wish{};
    if (const Status error = read_guard_wish(wish))
        return error;
    const bool apart = !one_memory || wish != GuardWish::automatic;
    if (kind == PIXMPI_SHARED_AUTO)
        kind = apart && imports ? PIXMPI_SHARED_COHERENT : PIXMPI_SHARED_PINNED;
    choice = {kind, kind == PIXMPI_SHARED_COHERENT && apart};
    if (choice.shadow && !imports)
        return fail(PIXMPI_ERR_DEVICE, "kind: coherent, expected another one: the device does not import host memory");
    return PIXMPI_SUCCESS;
}

Status share(std::unique_ptr<SharedBacking> backing, std::size_t bytes, const SharingChoice &choice, void **pointer) {
    const auto object = std::make_shared<Object>();
    object->backing = std::move(backing);
    object->bytes = bytes;
    object->kind = choice.kind;
    if (choice.shadow) {
        GuardWish wish{};
        if (const Status error = read_guard_wish(wish))
            return error;
        if (const Status error = Shadow::make(*object->backing, bytes, wish, object->shadow))
            return error;
        object->base = object->shadow->memory();
    } else {
        object->base = object->backing->mapped();
        std::memset(object->base, 0, bytes);
    }
    Objects &all = objects();
    const std::lock_guard lock(all.mutex);
    all.by_base.emplace(object->base, object);
    all.count = all.by_base.size();
    *pointer = object->base;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi

using namespace pixmpi;

int pixMPI_Shared_to_device(void *pointer, int access) {
    return call_without_lock("pixMPI_Shared_to_device", [&]() -> Status {
        std::shared_ptr<Object> object;
        if (const Status error = need(pointer, object))
            return error;
        if (const Status error = check_access(access))
            return error;
        if (const Status error = object->check_usable())
            return error;
        serve_shadows();
        if (object->lent != 0)
            return fail(PIXMPI_ERR_ARGUMENT,
                        "pointer: the device has its object already, expected that the CPU has it");
        if (object->shadow) {
            if (const Status error = object->shadow->pop_failure())
                return error;
            if (const Status error = object->shadow->write_back(0, object->bytes))
                return error;
        }
        object->lent = access;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Shared_to_host(void *pointer) {
    return call_without_lock("pixMPI_Shared_to_host", [&]() -> Status {
        std::shared_ptr<Object> object;
        if (const Status error = need(pointer, object))
            return error;
        if (const Status error = object->check_usable())
            return error;
        serve_shadows();
        if (object->lent == 0)
            return fail(PIXMPI_ERR_ARGUMENT,
                        "pointer: the CPU has its object, expected that pixMPI_Shared_to_device gave it to "
                        "the device");
        if (object->lent & PIXMPI_WRITE) {
            const Status error =
                object->shadow ? object->shadow->device_wrote(0, object->bytes) : object->backing->finish();
            if (error)
                return error;
        }
        object->lent = 0;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Shared_free(void *pointer) {
    return public_call("pixMPI_Shared_free", [&]() -> Status {
        std::shared_ptr<Object> object;
        if (const Status error = need(pointer, object))
            return error;
        if (pointer != object->base)
            return fail(PIXMPI_ERR_ARGUMENT, "pointer: %p, expected %p, the object's first byte", pointer,
                        static_cast<void *>(object->base));
        if (const Status error = object->check_usable())
            return error;
        Objects &all = objects();
        {
            const std::lock_guard lock(all.mutex);
            constexpr long table_and_ours = 2;
            if (object.use_count() > table_and_ours)
                return fail(PIXMPI_ERR_REQUEST, "pointer: requests that use the object have not completed, or "
                                                "persistent ones have not been freed; expected none");
            all.by_base.erase(object->base);
            all.count = all.by_base.size();
        }
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Shared_touch(void *pointer, size_t bytes, int access) {
    return call_without_lock("pixMPI_Shared_touch", [&]() -> Status {
        if (const Status error = check_access(access))
            return error;
        const std::shared_ptr<Object> object = find(pointer);
        if (!object || !object->shadow || bytes == 0)
            return PIXMPI_SUCCESS;
        const auto offset = static_cast<std::size_t>(static_cast<std::byte *>(pointer) - object->base);
        if (bytes > object->bytes - offset)
            return fail(PIXMPI_ERR_ARGUMENT, "bytes: %zu, expected at most the %zu that the object has from there on",
                        bytes, object->bytes - offset);
        serve_shadows();
        return object->shadow->touch(offset, bytes, access & PIXMPI_WRITE);
    });
}

int pixMPI_Shared_get_info(const void *pointer, pixMPI_Shared_info *info) {
    return call_without_lock("pixMPI_Shared_get_info", [&]() -> Status {
        std::shared_ptr<Object> object;
        if (const Status error = need(pointer, object))
            return error;
        if (const Status error = check_struct("info", info))
            return error;
        pixMPI_Shared_info facts = PIXMPI_SHARED_INFO_INIT;
        facts.pointer = object->base;
        facts.bytes = object->bytes;
        facts.kind = object->kind;
        facts.faults = "none";
        if (object->shadow) {
            const Shadow::Counts counts = object->shadow->counts();
            facts.faults = object->shadow->guard().name();
            facts.block_bytes = object->shadow->block_bytes();
            facts.fault_count = counts.faults;
            facts.bytes_fetched = counts.fetched;
            facts.bytes_written = counts.written;
        }
        write_struct(facts, info);
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Shared_fault(void *address) { return answered_fault(address, Fault::unknown) ? 1 : 0; }
