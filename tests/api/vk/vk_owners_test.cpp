// Images and buffers that belong to another queue family before or after a message. The software driver has one family,
// so what is recorded is looked at: the acquiring barrier before everything else, the releasing one after it, both with
// the layouts and families that the other queue's halves have.
#include "vk/vk_fragile.h"
#include "vk/vk_sync.h"

#include <algorithm>

using namespace api;
using vk_interpose::journal;
using vk_interpose::Recorded;

namespace {

constexpr std::uint32_t theirs = 1, nobody = VK_QUEUE_FAMILY_IGNORED;
constexpr VkImageLayout before = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, then = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;

struct Owners {
    std::uint32_t from, to;
};
constexpr Owners all_owners[] = {{theirs, theirs}, {theirs, nobody}, {nobody, theirs}, {nobody, nobody}, {0, 0}};

vkMPI_Surface owned(vkMPI_Surface surface, const Owners &owners) {
    surface.family = owners.from;
    surface.family_after = owners.to;
    return surface;
}

/// What was recorded for one object.
struct Story {
    Story(const std::vector<Recorded> &all, std::uint64_t object) {
        for (const Recorded &one : all)
            if (one.touches(object))
                entries.push_back(one);
    }
    std::vector<Recorded> owner_changes() const {
        std::vector<Recorded> some;
        std::copy_if(entries.begin(), entries.end(), std::back_inserter(some),
                     [](const Recorded &one) { return one.changes_owner(); });
        return some;
    }
    std::vector<Recorded> entries;
};

/// Both halves where they should be, and no others.
void check_changes(const Story &story, const Owners &owners, std::uint32_t ours) {
    const bool acquires = owners.from == theirs, releases = owners.to == theirs;
    CHECK_EQ(story.owner_changes().size(), static_cast<std::size_t>(acquires + releases));
    NEED(!story.entries.empty());
    if (acquires) {
        const Recorded &first = story.entries.front();
        CHECK(first.changes_owner());
        CHECK_EQ(first.from_family, theirs);
        CHECK_EQ(first.to_family, ours);
        CHECK_EQ(first.before, VkAccessFlags{0}); // the other queue's half has made it available
        CHECK(first.after != 0);
    }
    if (releases) {
        const Recorded &last = story.entries.back();
        CHECK(last.changes_owner());
        CHECK_EQ(last.from_family, ours);
        CHECK_EQ(last.to_family, theirs);
        CHECK(last.before != 0);
        CHECK_EQ(last.after, VkAccessFlags{0});
    }
}

/// Neither half changes the layout: the other queue's has to name the same ones.
void check_layouts(const Story &story, const Owners &owners) {
    if (owners.from == theirs) {
        CHECK_EQ(story.entries.front().from, before);
        CHECK_EQ(story.entries.front().to, before);
    }
    if (owners.to == theirs) {
        CHECK_EQ(story.entries.back().from, then);
        CHECK_EQ(story.entries.back().to, then);
    }
}

bool has_copies(const Story &story) {
    return std::any_of(story.entries.begin(), story.entries.end(),
                       [](const Recorded &one) { return one.what == Recorded::What::copy; });
}

} // namespace

RANK_CASE(vk_owners, images, 1) {
    Fragile fragile;
    vk_rig::Device &device = *fragile.device;
    for (const int edge : {16, 900}) // one band, and several
        for (const Owners &owners : all_owners) {
            note("edge %d, from family %u to %u", edge, owners.from, owners.to);
            VulkanImage out(device, PIXMPI_RGBA8, edge, edge, before), in(device, PIXMPI_RGBA8, edge, edge, before);
            const Bytes sent = out.fill(1);
            in.fill(2);
            vkMPI_Surface from = owned(out.surface(), owners), to = owned(in.surface(), owners);
            from.layout_after = to.layout_after = then;
            journal.begin();
            CHECK_OK(vkMPI_Sendrecv(from, PIXMPI_WHOLE, next_rank(), 1, to, PIXMPI_WHOLE, previous_rank(), 1, world(),
                                    MPI_STATUS_IGNORE, nullptr, nullptr));
            const std::vector<Recorded> recorded = journal.end();
            for (const VkImage image : {from.image, to.image}) {
                const Story story(recorded, vk_interpose::number_of(image));
                check_changes(story, owners, device.info.queue_family);
                check_layouts(story, owners);
                CHECK(has_copies(story));
            }
            CHECK_PIXELS(in.read(then), sent, edge, 4);
        }
    CHECK_SILENCE(device);
}

RANK_CASE(vk_owners, images_that_stay_as_they_are, 1) {
    // One barrier makes an image ready for the message. What the message has written is shown to all that follows by a
    // barrier of all memory: behind all commands, and for a GPU behind the end that calls wait for.
    Fragile fragile;
    const auto is_barrier = [](const Recorded &one) { return one.what == Recorded::What::barrier; };
    constexpr VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const auto shows_all = [](const Recorded &one) {
        return one.what == Recorded::What::barrier && one.object == 0 && one.before == all && one.after == all;
    };
    const auto behind_ends = [] {
        return vk_interpose::submitted_batches - vk_interpose::hand("vkQueueSubmit").calls;
    };
    for (const int edge : {16, 900}) {
        note("edge %d", edge);
        VulkanImage out(*fragile.device, PIXMPI_RGBA8, edge, edge), in(*fragile.device, PIXMPI_RGBA8, edge, edge);
        const Bytes sent = out.fill(1);
        in.fill(2);
        const int before_it = behind_ends();
        journal.begin();
        CHECK_OK(vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), 1, in.surface(), PIXMPI_WHOLE,
                                previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr, nullptr));
        const std::vector<Recorded> recorded = journal.end();
        const auto shown = std::count_if(recorded.begin(), recorded.end(), shows_all);
        CHECK(shown == 1 || behind_ends() - before_it == 1); // what has been received
        for (const VkImage image : {out.surface().image, in.surface().image}) {
            const Story story(recorded, vk_interpose::number_of(image));
            CHECK_EQ(std::count_if(story.entries.begin(), story.entries.end(), is_barrier), 1);
        }
        CHECK_PIXELS(in.read(), sent, edge, 4);
    }
    CHECK_SILENCE(*fragile.device);
}

RANK_CASE(vk_owners, images_that_are_replaced, 1) {
    // Two ends of one message: acquired once, released once.
    Fragile fragile;
    constexpr Owners owners{theirs, theirs};
    VulkanImage image(*fragile.device, PIXMPI_RGBA8, 900, 900, before);
    image.fill(1);
    vkMPI_Surface surface = owned(image.surface(), owners);
    surface.layout_after = then;
    journal.begin();
    CHECK_OK(vkMPI_Sendrecv_replace(surface, PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, world(),
                                    MPI_STATUS_IGNORE, nullptr));
    const Story story(journal.end(), vk_interpose::number_of(surface.image));
    check_changes(story, owners, fragile.device->info.queue_family);
    check_layouts(story, owners);
}

RANK_CASE(vk_owners, messages_to_nobody, 1) {
    // Nothing is copied; the other queue expects its image all the same.
    Fragile fragile;
    constexpr Owners owners{theirs, theirs};
    VulkanImage image(*fragile.device, PIXMPI_RGBA8, 16, 16, before);
    image.fill(1);
    vkMPI_Surface surface = owned(image.surface(), owners);
    surface.layout_after = then;
    journal.begin();
    CHECK_OK(vkMPI_Send(surface, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), nullptr));
    const Story story(journal.end(), vk_interpose::number_of(surface.image));
    check_changes(story, owners, fragile.device->info.queue_family);
    check_layouts(story, owners);
    CHECK(!has_copies(story));
}

RANK_CASE(vk_owners, buffers, 1) {
    Fragile fragile;
    vk_rig::Device &device = *fragile.device;
    constexpr int edge = 300;
    constexpr VkDeviceSize before_it = 64, pitch = edge * 4 + 16, bytes = before_it + pitch * edge;
    for (const Owners &owners : all_owners) {
        note("from family %u to %u", owners.from, owners.to);
        vk_rig::Buffer memory[2];
        vkMPI_Surface ends[2];
        const Bytes content = pattern(bytes, 1);
        for (int i = 0; i < 2; ++i) {
            ends[i] = owned(vkMPI_Buffer(device.context(), VK_NULL_HANDLE, PIXMPI_RGBA8, edge, edge), owners);
            memory[i] = vk_rig::make_buffer(device, bytes, ends[i].buffer_usage, false);
            ends[i].buffer = memory[i].name;
            ends[i].offset = before_it;
            ends[i].row_bytes = pitch;
            vk_rig::write(device, memory[i], content.data());
        }
        journal.begin();
        CHECK_OK(vkMPI_Sendrecv(ends[0], PIXMPI_WHOLE, next_rank(), 1, ends[1], PIXMPI_WHOLE, previous_rank(), 1,
                                world(), MPI_STATUS_IGNORE, nullptr, nullptr));
        const std::vector<Recorded> recorded = journal.end();
        for (const vkMPI_Surface &one : ends) {
            const Story story(recorded, vk_interpose::number_of(one.buffer));
            check_changes(story, owners, device.info.queue_family);
            CHECK(has_copies(story));
            for (const Recorded &change : story.owner_changes()) { // the range that the other half has to name
                CHECK_EQ(change.offset, before_it);
                CHECK_EQ(change.bytes, pitch * (edge - 1) + edge * 4);
            }
        }
        Bytes seen(bytes);
        vk_rig::read(device, memory[1], seen.data());
        CHECK(seen == content);
        for (vk_rig::Buffer &one : memory)
            vk_rig::destroy(device, one);
    }
    CHECK_SILENCE(device);
}
