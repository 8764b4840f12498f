// ComP-Net's allreduce by many rings. With --driven device one run of a shader does all of it: a workgroup has a ring,
// waits for chunks, adds its words and puts the sums into the next rank, while further chunks travel. With --driven
// host the host sends chunks between dispatches that add. Beside both stands the library's own Allreduce.
#include "ways.h"

#include <algorithm>
#include <pixmpi_collectives.h>

namespace {

int bytes = 0, rings = 4, chunks = 4, steps = 10;
std::string driven = "all";

/// What pixMPI_Allreduce makes of a buffer.
class Library final : public Way {
  public:
    Library(const demo::VkWorld &world, const Rings &given)
        : Way(given), sums_(world.gpu(), sizeof(float) * rings.words) {
        const vkMPI_Surface sums = sums_.surface(PIXMPI_R32F, static_cast<int>(rings.words), 1);
        pixMPI_Allreduce_init(pixMPI_In_place(), PIXMPI_WHOLE, vkMPI_Any(&sums, nullptr), PIXMPI_WHOLE, PIXMPI_SUM,
                              MPI_COMM_WORLD, &request_);
    }
    ~Library() override { pixMPI_Request_free(&request_); }
    void write(const std::vector<float> &words) override { sums_.write(words.data()); }
    void run() override {
        pixMPI_Start(&request_);
        pixMPI_Wait(&request_, MPI_STATUS_IGNORE);
    }
    std::vector<float> sums() const override {
        std::vector<float> words(rings.words);
        sums_.read(words.data());
        return words;
    }

  private:
    demo::Buffer sums_;
    pixMPI_Request request_ = PIXMPI_REQUEST_NULL;
};

/// A line of the table. Collective.
void measure(const demo::VkWorld &world, const std::string &name, Way &way) {
    const Rings &shape = way.rings;
    std::vector<float> words(shape.words);
    double seconds = 0;
    for (int step = 0; step <= steps; ++step) {
        const auto round = static_cast<std::uint32_t>(step);
        for (std::uint32_t i = 0; i < shape.words; ++i)
            words[i] = word_of(shape.rank, round, i);
        way.write(words);
        demo::meet();
        const double start = demo::now();
        way.run();
        world.gpu().finish();
        if (step > 0) // shaders and routes are made ready in the first one
            seconds += demo::now() - start;
        demo::meet();
        if (!world.options.check)
            continue;
        const std::string wrong = wrong_word(shape, round, way.sums());
        if (!wrong.empty())
            throw demo::Error("--check: " + name + ", step " + std::to_string(step) + ": " + wrong);
    }
    MPI_Request longest;
    MPI_Iallreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &longest);
    demo::wait(longest);
    const double each = seconds / steps, rate = 1e-9 * sizeof(float) * shape.words / each;
    const auto count = [](std::uint32_t of) { return of ? std::to_string(of) : std::string("-"); };
    world.say("%-8s %12zu %6d %6s %7s %12.1f %9.3f %9.3f", name.c_str(), sizeof(float) * shape.words, world.ranks,
              count(shape.rings).c_str(), count(shape.chunks).c_str(), 1e6 * each, rate,
              rate * 2 * (world.ranks - 1) / world.ranks);
}

/// The default of --bytes.
int usual_bytes(const demo::Gpu &gpu) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu.physical_device, &properties);
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? 1 << 20 : 64 << 20;
}

void allreduce(demo::VkWorld &world) {
    if (driven != "all" && driven != "device" && driven != "host" && driven != "library")
        throw demo::UsageError("--driven " + driven + ": expected device, host, library or all");
    if (bytes % 4 != 0)
        throw demo::UsageError("--bytes: " + std::to_string(bytes) + ", expected a multiple of 4");
    const auto number = [](int given) { return static_cast<std::uint32_t>(given); };
    int all = bytes ? bytes : usual_bytes(world.gpu());
    MPI_Request same; // ranks may have different devices
    MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &same);
    demo::wait(same);
    Rings shape{number(all / 4), number(world.ranks), number(world.rank), number(rings), number(chunks)};
    const auto wanted = [](const char *name) { return driven == "all" || driven == name; };
    world.say("driven          bytes  ranks  rings  chunks           us      GB/s  GB/s bus");
    if (wanted("device"))
        measure(world, "device", *make_device_rings(world, shape));
    shape.rings = 1;
    if (wanted("host"))
        measure(world, "host", *make_host_rings(world, shape));
    shape.rings = shape.chunks = 0;
    if (wanted("library")) {
        Library library(world, shape);
        measure(world, "library", library);
    }
    demo::meet();
    if (world.options.check)
        world.say("the same words as by the CPU");
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(
        argc, argv,
        {.name = "allreduce",
         .text = "Words of all ranks are added up in rings, by workgroups of a running shader",
         .check = "compares every word with that of the CPU",
         .numbers = {{"--bytes", "of each rank; 0: 64 MiB, or 1 MiB where the driver computes with the CPU", &bytes, 0,
                      1 << 29},
                     {"--rings", "rings, each a workgroup's, where the device drives", &rings, 1, 64},
                     {"--chunks", "of a block of a ring on its way", &chunks, 1, 64},
                     {"--steps", "how many times it is measured", &steps, 1, 1'000'000}},
         .texts = {{"--driven",
                    "device: by shaders; host: by messages between dispatches; library: pixMPI_Allreduce; "
                    "or all of them",
                    &driven}},
         .draws = false},
        [](const demo::Start &start) {
            demo::Options options = start.options;
            options.headless = true; // there is nothing to see
            demo::VkWorld world({start.about, options, start.rank, start.ranks});
            allreduce(world);
        });
}
