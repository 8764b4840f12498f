// pixbench: what this project's parts cost, each with its baseline in the same run. Started by mpiexec.

#include "codec/jpeg.h"
#include "modes.h"
#include "object/api.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <error.h>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

namespace {

void print(const std::vector<WaitRow> &rows, int ranks) {
    std::printf("# waiting for each other, %d ranks, %d cores here; medians\n", ranks, usable_cores());
    std::printf("%-28s %12s %12s %12s %14s %10s\n", "way", "us", "least", "most", "cpu us, all", "faster");
    for (const WaitRow &row : rows)
        std::printf("%-28s %12.2f %12.2f %12.2f %14.2f %9.1fx\n", row.name.c_str(), row.us, row.least_us, row.most_us,
                    row.cpu_us, row.speedup);
}

bool write(const std::string &path, const nlohmann::ordered_json &all) {
    std::ofstream file(path);
    file << all.dump(2) << std::endl;
    if (!file)
        std::fprintf(stderr, "pixbench: --json: %s cannot be written\n", path.c_str());
    return file.good();
}

bool write_json(const std::string &path, const std::vector<WaitRow> &rows, int ranks) {
    nlohmann::ordered_json all{{"mode", "wait"}, {"ranks", ranks}, {"cores", usable_cores()}};
    all["rows"] = nlohmann::ordered_json::array();
    for (const WaitRow &row : rows)
        all["rows"].push_back({{"name", row.name},
                               {"us", row.us},
                               {"least_us", row.least_us},
                               {"most_us", row.most_us},
                               {"cpu_us", row.cpu_us},
                               {"times_faster", row.speedup}});
    return write(path, all);
}

int run_wait(const WaitSettings &settings, const std::string &json, const Team &all) {
    const std::vector<WaitRow> rows = measure_wait(settings);
    if (all.rank != 0)
        return 0;
    print(rows, all.ranks);
    return json.empty() || write_json(json, rows, all.ranks) ? 0 : 1;
}

int run_device(const DeviceSettings &settings, const std::string &json, const Team &all) {
    std::string about;
    const std::vector<DeviceRow> rows = measure_device(all, settings, about);
    if (all.rank != 0)
        return 0;
    std::printf("# messages from inside a running shader, %d ranks, %s; medians\n", all.ranks, about.c_str());
    std::printf("%-30s %14s %14s %10s\n", "what", "shader us", "host us", "host/shader");
    nlohmann::ordered_json file{{"mode", "device"}, {"ranks", all.ranks}, {"device", about}};
    file["rows"] = nlohmann::ordered_json::array();
    for (const DeviceRow &row : rows) {
        std::printf("%-30s %14.2f %14.1f %9.2fx\n", row.name.c_str(), row.shader_us, row.host_us,
                    row.host_us / row.shader_us);
        file["rows"].push_back({{"name", row.name}, {"shader_us", row.shader_us}, {"host_us", row.host_us}});
    }
    return json.empty() || write(json, file) ? 0 : 1;
}

/// "texture, framebuffer or buffer"
std::string alternatives(const std::vector<std::string> &words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
    return text;
}

/// What is wrong with the settings, or nothing.
std::string problem_of(const Settings &s, const Api &api, const Team &all) {
    const int ranks = all.ranks;
    const std::vector<std::string> objects = api.objects();
    if (std::find(objects.begin(), objects.end(), s.object) == objects.end())
        return "--object: " + s.object + " is none of --api " + s.api + ", expected " + alternatives(objects);
    const bool alone = s.mode == "pack" || s.mode == "jpeg" || s.mode == "copy" || s.mode == "shared";
    if (alone && ranks != 1)
        return s.mode + ": started with " + std::to_string(ranks) + " ranks, expected 1: mpiexec -n 1 pixbench " +
               s.mode;
    if (s.mode == "jpeg" && s.format != PIXMPI_FORMAT_NONE && pixmpi::check_jpeg_format(s.format))
        return std::string("--") + pixMPI_Error_text(); // it names the format
    if (s.mode == "codec" && !codec_format_problem(s.format).empty())
        return codec_format_problem(s.format);
    if (s.mode == "composite" && !composite_format_problem(s.format).empty())
        return composite_format_problem(s.format);
    if (s.mode == "composite" && s.overlap && !s.csv.empty())
        return "--csv: not with --overlap, expected one of them";
    if (s.mode == "composite" && s.overlap && !s.trace.empty())
        return "--trace: not with --overlap, expected one of them";
    if (s.mode == "composite" && !s.trace.empty() && access((s.trace + "/.").c_str(), W_OK) != 0)
        return "--trace: " + s.trace + " cannot be written to, expected a folder";
    if (s.mode == "shared" && s.api == "host")
        return "--api: host has no device to share memory with, expected gl or vk";
    if (s.mode == "pack" && s.object == "buffer")
        return "--object: buffer is none of pack, expected what is no buffer already";
    if (s.mode == "file" && access(s.folder.c_str(), W_OK) != 0)
        return "--folder: " + s.folder + " cannot be written to, expected a folder";
    const bool of_any = alone || s.mode == "file" || s.mode == "pixels" || s.mode == "composite";
    if (s.mode == "matrix" || s.mode == "coll" ? ranks < 2 : !of_any && ranks != 2)
        return s.mode + ": started with " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + ", expected " +
               (s.mode == "matrix" || s.mode == "coll" ? "at least 2: mpiexec -n 4 pixbench "
                                                       : "2: mpiexec -n 2 pixbench ") +
               s.mode;
    for (const auto &[option, file] : {std::pair{"--json", s.json}, std::pair{"--csv", s.csv}})
        if (all.rank == 0 && !file.empty() && !std::ofstream(file, std::ios::app))
            return std::string(option) + ": " + file + " cannot be written"; // not after a minute of measuring
    return "";
}

int run_messages(Settings settings, const Team &all) {
    Job job;
    job.all = all;
    job.all.in_a_row = settings.in_a_row();
    job.api = make_api(settings.api);
    if (settings.object.empty())
        settings.object = job.api->objects().front();
    const std::string problem = problem_of(settings, *job.api, all);
    if (!all_well(problem.empty(), problem, all.comm))
        return 2;
    if (!open_api(job, settings.devices))
        return 1;
    pixMPI_Options options = PIXMPI_OPTIONS_INIT;
    if (settings.mode == "pack") // whole objects in one piece, and scratch memory for many messages at once
        options.stage_bytes = (std::size_t{1} << 30) + 4 * largest_pack(settings);
    if (settings.mode == "jpeg") // several pictures at once
        options.stage_bytes = std::size_t{1} << 30;
    const int attached = pixMPI_Comm_attach(all.comm, &options);
    if (!all_well(attached == PIXMPI_SUCCESS, pixMPI_Error_text(), all.comm))
        return 1;
    bool written = true, any = true;
    {
        Report report(settings, all.ranks, job.api->driver(), all.rank == 0);
        const std::map<std::string, void (*)(const Job &, const Settings &, Report &)> modes = {
            {"pt2pt", measure_pt2pt},         {"region", measure_region}, {"matrix", measure_matrix},
            {"coll", measure_coll},           {"pack", measure_pack},     {"jpeg", measure_jpeg},
            {"codec", measure_codec_links},   {"pixels", measure_pixels}, {"stages", measure_stages},
            {"composite", measure_composite}, {"copy", measure_copy},     {"file", measure_file},
            {"shared", measure_shared}};
        modes.at(settings.mode)(job, settings, report);
        any = settings.only.empty() || !report.empty();
        written = all.rank != 0 || settings.json.empty() || report.write_json(settings.json);
    }
    job.api->close();
    check(pixMPI_Comm_detach(all.comm));
    if (!all_well(any, "--only: no case of " + settings.mode + " has \"" + settings.only + "\" in its name", all.comm))
        return 2;
    return all_well(written, "the results are incomplete", all.comm) ? 0 : 1;
}

void read_size(const std::string &text, Settings &s) {
    char end = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &s.width, &s.height, &end) != 2 || s.width <= 0 || s.height <= 0 ||
        s.width > 32768 || s.height > 32768)
        throw CLI::ValidationError("--size", text +
                                                 " is no size, expected WIDTHxHEIGHT such as 1920x1080, each at most "
                                                 "32768");
}

void read_format(const std::string &text, Settings &s) {
    s.format = pixMPI_Format_named(text.c_str());
    if (s.format == PIXMPI_FORMAT_NONE)
        throw CLI::ValidationError("--format", text + " is no format, expected a name of pixmpi.h such as RGBA8");
}

void read_api(const std::string &text, Settings &s) {
    if (!make_api(text))
        throw CLI::ValidationError("--api", text + " is none, expected " + alternatives(api_names()));
    s.api = text;
}

void read_strategy(const std::string &text, Settings &s) {
    const std::vector<std::string> all = composite_strategies();
    if (std::find(all.begin(), all.end(), text) == all.end())
        throw CLI::ValidationError("--strategy", text + " is none, expected " + alternatives(all));
    s.strategy = text;
}

/// "gl's texture, framebuffer or buffer; host's memory"
std::string objects_of_all() {
    std::string text;
    for (const std::string &api : api_names())
        text += (text.empty() ? "" : "; ") + api + "'s " + alternatives(make_api(api)->objects());
    return text;
}

/// The options that all modes about messages have.
void add_options(CLI::App &mode, Settings &s) {
    const auto add = [&](const char *name, void (*read)(const std::string &, Settings &),
                         const std::string &description) {
        mode.add_option_function<std::string>(
            name, [&s, read](const std::string &text) { read(text, s); }, description);
    };
    add("--api", read_api, "the API that is measured: " + alternatives(api_names()) + "; default: gl");
    mode.add_option("--object", s.object, "what holds the pixels: " + objects_of_all());
    add("--size", read_size, "WIDTHxHEIGHT in pixels, instead of the mode's cases");
    add("--format", read_format, "a name of pixmpi.h, such as RGBA8, R32F, DEPTH32F");
    mode.add_option("--json", s.json, "writes the rows to this file too");
    mode.add_option(
            "--device", s.devices,
            "numbers of GPUs, for rank after rank; default: the rank on its host; vk: the library's choice; "
            "copy: its own GPU and another one")
        ->delimiter(',')
        ->check(CLI::Range(0, 1000));
    mode.add_option("--seconds", s.seconds, "for each case, about")
        ->check(CLI::Range(0.001, 600.0))
        ->capture_default_str();
    mode.add_flag("--least", s.least,
                  "the minimum of the repetitions instead of medians, if the machine is not quiet");
    mode.add_option("--repetitions", s.repetitions, "of each case, at most")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"Measures this project's parts, each with its baseline in the same run. Start it by mpiexec."};
    app.set_version_flag("--version", "pixbench " PROGRAM_VERSION);
    app.require_subcommand(1);
    Settings settings;
    const std::pair<const char *, const char *> modes[] = {{"pt2pt", "messages between two ranks"},
                                                           {"region", "messages of many rectangles"},
                                                           {"matrix", "every rank to every other"},
                                                           {"coll", "collectives of all ranks"},
                                                           {"codec", "rendered pictures through each codec"},
                                                           {"pack", "packing and unpacking alone, on a GPU"},
                                                           {"copy", "copies within a process"},
                                                           {"file", "pictures between a disk and surfaces"},
                                                           {"shared", "memory that the CPU and a device share"},
                                                           {"jpeg", "JPEG alone, on the CPU and on a GPU"},
                                                           {"composite", "pictures of all ranks become one"},
                                                           {"pixels", "pixels that 1, 2, 4, ... ranks compute"},
                                                           {"stages", "where the time and the memory of a message go"}};
    std::map<std::string, CLI::App *> commands;
    for (const auto &[name, description] : modes)
        add_options(*(commands[name] = app.add_subcommand(name, description)), settings);
    commands["pt2pt"]->add_flag("--sweep", settings.sweep, "all sizes from 16x16 to 4096x4096 afterwards");
    commands["coll"]->add_flag("--sweep", settings.sweep, "16 KiB to 64 MiB afterwards");
    for (const char *mode : {"pt2pt", "coll"})
        commands[mode]->add_option_function<std::string>(
            "--peer", [&settings](const std::string &text) { settings.peer = text == "nccl" ? "libnccl.so.2" : text; },
            "nccl, or the file libnccl.so.2: also NCCL's messages of the same size");
    for (const char *mode :
         {"pt2pt", "region", "matrix", "coll", "pack", "jpeg", "codec", "composite", "copy", "file", "shared"})
        commands[mode]->add_option("--only", settings.only, "the cases with this in their names, such as \"one way\"");
    commands["pixels"]
        ->add_option("--work", settings.work, "steps of arithmetic for each pixel")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    commands["composite"]->add_option_function<std::string>(
        "--strategy", [&settings](const std::string &text) { read_strategy(text, settings); },
        "this one alone: " + alternatives(composite_strategies()));
    commands["composite"]->add_flag("--overlap", settings.overlap,
                                    "drawing that takes as long as composing, at the same time");
    commands["file"]
        ->add_option("--folder", settings.folder, "where the file is made, which decides the disk")
        ->capture_default_str();
    commands["composite"]->add_option("--csv", settings.csv,
                                      "writes a line for each measurement, as IceT's timing test");
    commands["composite"]->add_option("--trace", settings.trace,
                                      "folder; writes what each rank does in each frame, for Perfetto");
    commands["stages"]
        ->add_option("--messages", settings.messages, "of the long runs")
        ->check(CLI::Range(1, 100000000))
        ->capture_default_str();

    // Modes that measure no surfaces.
    const auto add_plain = [&](const char *name, const char *text, auto &of_mode) {
        auto *mode = app.add_subcommand(name, text);
        mode->add_option("--json", settings.json, "writes the rows to this file too");
        mode->add_option("--repetitions", of_mode.repetitions, "of each measurement")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        mode->add_option("--seconds", of_mode.seconds, "for each way in each repetition")
            ->check(CLI::Range(0.001, 60.0))
            ->capture_default_str();
    };
    WaitSettings wait_settings;
    add_plain("wait", "waiting for all ranks, against MPI_Barrier", wait_settings);
    DeviceSettings device_settings;
    add_plain("device", "messages from inside a running shader, against the host's", device_settings);

    MPI_Init(&argc, &argv);
    pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr); // check() prints, and knows what to end
    Team all{.comm = MPI_COMM_WORLD};
    MPI_Comm_rank(all.comm, &all.rank);
    MPI_Comm_size(all.comm, &all.ranks);
    int status = 0;
    try {
        app.parse(argc, argv);
        settings.mode = app.get_subcommands().front()->get_name();
        if (settings.mode == "wait")
            status = run_wait(wait_settings, settings.json, all);
        else if (settings.mode == "device")
            status = run_device(device_settings, settings.json, all);
        else
            status = run_messages(settings, all);
    } catch (const demo::Error &error) { // Vulkan's, in the middle of something
        give_up(error.what());
    } catch (const CLI::ParseError &error) {
        // Every rank reads the same arguments; one of them says what is wrong with them.
        if (error.get_exit_code() == 0)
            status = all.rank == 0 ? app.exit(error) : 0;
        else if (status = 2; all.rank == 0)
            std::fprintf(
                stderr, "pixbench: %s\n",
                app.get_subcommands().empty()
                    ? "expected a mode: pt2pt, region, matrix, coll, codec, composite, copy, file, pack, jpeg, pixels, "
                      "stages, device or wait"
                    : error.what());
    }
    MPI_Finalize();
    return status;
}
