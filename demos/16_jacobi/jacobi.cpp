// ComP-Net's Jacobi iteration: heat in a plate, cut into bands of rows. With --driven device one run of a shader makes
// all steps of a frame: each workgroup has a band, puts its outer rows into the neighbouring bands with a signal, and
// looks at the largest change by an allreduce, all inside the shader. With --driven host each rank has a band, and
// dispatches a shader for each step between messages of rows. Both find the same bits.
#include "solvers.h"

#include "heat_comp.spv.h"

#include <cstring>
#include <optional>
#include <pixmpi.h>

namespace {

int slots = 4, steps = 100, every = 20, millionths = 0;
std::string driven = "device";

/// The whole field, on rank 0.
std::vector<float> collect(const demo::World &world, const Field &field, Solver &solver) {
    const int own = field.bands / world.ranks;
    std::vector<std::vector<float>> sent;
    std::vector<float> whole(world.rank == 0 ? static_cast<std::size_t>(field.width) * field.height : 0);
    std::vector<pixMPI_Request> requests;
    for (int i = 0; i < own; ++i) {
        const int band = world.rank * own + i, rows = field.rows_of(band);
        if (rows == 0)
            continue;
        sent.push_back(solver.band(i));
        pixMPI_Isend(pixMPI_Memory(sent.back().data() + field.width, PIXMPI_R32F, field.width, rows), PIXMPI_WHOLE, 0,
                     band, MPI_COMM_WORLD, &requests.emplace_back());
    }
    for (int band = 0; world.rank == 0 && band < field.bands; ++band)
        if (const int rows = field.rows_of(band))
            pixMPI_Irecv(pixMPI_Memory(&whole[static_cast<std::size_t>(band) * field.rows() * field.width], PIXMPI_R32F,
                                       field.width, rows),
                         PIXMPI_WHOLE, band / own, band, MPI_COMM_WORLD, &requests.emplace_back());
    pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return whole;
}

/// So many steps by the CPU.
std::vector<float> by_cpu(const Field &field, int all) {
    const int width = field.width, height = field.height;
    std::vector<float> now(static_cast<std::size_t>(width) * height), next(now.size());
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            now[static_cast<std::size_t>(y) * width + x] = cell_at_first(field, x, y);
    const auto at = [&](int x, int y) {
        return x < 0 || x >= width || y < 0 || y >= height ? 0.0f : now[static_cast<std::size_t>(y) * width + x];
    };
    for (int i = 0; i < all; ++i) {
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                next[static_cast<std::size_t>(y) * width + x] =
                    0.25f * ((at(x, y - 1) + at(x, y + 1)) + (at(x - 1, y) + at(x + 1, y)));
        now.swap(next);
    }
    return now;
}

/// What rank 0 shows.
struct Plate {
    Plate(const demo::Gpu &gpu, const Field &field)
        : cells(gpu, sizeof(float) * static_cast<std::size_t>(field.width) * field.height),
          picture(gpu, field.width, field.height), heat(gpu, heat_comp, {.images = 1, .buffers = 1, .push_bytes = 4}) {}
    demo::Buffer cells;
    demo::Image picture;
    demo::Kernel heat;
    VkDescriptorSet bound = heat.bind({&picture}, {&cells});
};

void jacobi(demo::VkWorld &world) {
    if (driven != "host" && driven != "device")
        throw demo::UsageError("--driven " + driven + ": expected host or device");
    const bool by_device = driven == "device";
    const Field field{world.options.width, world.options.height, world.ranks * (by_device ? slots : 1)};
    const std::unique_ptr<Solver> solver =
        by_device ? make_device_solver(world, field, slots) : make_host_solver(world, field);
    const int each = (steps + every - 1) / every * every;
    std::optional<Plate> plate;
    if (world.rank == 0)
        plate.emplace(world.gpu(), field);

    std::vector<float> whole;
    float change = 1;
    double seconds = 0;
    int all = 0, timed = 0;
    while (world.next_frame()) {
        demo::meet();
        const double start = demo::now();
        int done = 0;
        change = solver->go_on(each, every, 1e-6f * static_cast<float>(millionths), done);
        demo::meet();
        all += done;
        if (world.frame() > 0 || world.options.frames == 1) { // shaders are compiled in the first one
            seconds += demo::now() - start;
            timed += done;
        }
        whole = collect(world, field, *solver);
        if (!plate)
            continue;
        plate->cells.write(whole.data());
        const float scale = 1.0f;
        world.gpu().run([&](VkCommandBuffer commands) {
            plate->heat.run(commands, plate->bound, scale, field.width, field.height);
        });
        world.show(plate->picture);
    }
    world.say("driven   ranks  bands  steps  us a step  million cells a second  largest change");
    world.say("%-7s %6d %6d %6d %10.1f %23.2f %15.6f", driven.c_str(), world.ranks, field.bands, all,
              1e6 * seconds / std::max(timed, 1), 1e-6 * field.width * field.height * timed / seconds, change);
    if (plate && world.options.check && world.frame() > 0) {
        const std::vector<float> expected = by_cpu(field, all);
        for (std::size_t i = 0; i < whole.size(); ++i)
            if (std::memcmp(&whole[i], &expected[i], sizeof(float)) != 0)
                throw demo::Error("--check: cell " + std::to_string(i % field.width) + ", " +
                                  std::to_string(i / field.width) + " is " + std::to_string(whole[i]) + ", expected " +
                                  std::to_string(expected[i]) + " as by the CPU");
        world.say("the same bits as by the CPU");
    }
    if (plate && !world.options.output.empty())
        demo::save_png(plate->picture.picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(
        argc, argv,
        {.name = "jacobi",
         .text = "Heat in a plate by Jacobi's iteration, all steps in one run of a shader",
         .defaults = {.width = 512, .height = 512, .frames = 5, .output = "jacobi.png"},
         .check = "compares the field with that of the CPU",
         .numbers = {{"--slots", "bands of a rank, where the device drives", &slots, 1, 64},
                     {"--steps", "of a frame", &steps, 1, 1000000},
                     {"--every", "after how many steps the change is looked at", &every, 1, 10000},
                     {"--enough", "millionths of a degree of change, at which a frame ends", &millionths, 0, 1000000}},
         .texts = {{"--driven", "who exchanges rows: host or device", &driven}}},
        jacobi);
}
