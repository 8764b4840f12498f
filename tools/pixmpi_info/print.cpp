#include "facts.h"

#include "base/variables.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace {

std::string text_of(const Json &value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void print_ranks(const Json &ranks) {
    std::printf("\n%5s %-20s %8s %6s  %s\n", "rank", "host", "pid", "cores", "OpenGL");
    for (const Json &rank : ranks) {
        const Json &gl = rank["gl"];
        std::printf("%5d %-20s %8d %6d  %s\n", rank["rank"].get<int>(), text_of(rank["host"]).c_str(),
                    rank["pid"].get<int>(), rank["cores"].get<int>(),
                    gl.contains("context") ? (text_of(gl["context"]) + "; " + text_of(gl["version"])).c_str()
                                           : ("none: " + text_of(gl["error"])).c_str());
    }
}

void print_vulkan(const Json &ranks) {
    std::printf("\n%5s Vulkan\n", "rank");
    for (const Json &rank : ranks) {
        const Json &vk = rank["vk"];
        std::printf("%5d %s\n", rank["rank"].get<int>(),
                    (vk.contains("device") ? text_of(vk["device"]) : "none: " + text_of(vk["error"])).c_str());
    }
}

/// The first rank of each host.
std::vector<Json> one_for_each_host(const Json &ranks) {
    std::vector<Json> firsts;
    for (const Json &rank : ranks)
        if (std::none_of(firsts.begin(), firsts.end(), [&](const Json &one) { return one["host"] == rank["host"]; }))
            firsts.push_back(rank);
    return firsts;
}

void print_devices(const Json &ranks) {
    for (const Json &rank : one_for_each_host(ranks)) {
        std::printf("\ndevices of %s, as Vulkan numbers them:%s\n", text_of(rank["host"]).c_str(),
                    rank["vk"]["devices"].empty() ? " none" : "");
        for (const Json &device : rank["vk"]["devices"])
            std::printf("%5d %s: %s, Vulkan %s\n", device["number"].get<int>(), text_of(device["kind"]).c_str(),
                        text_of(device["name"]).c_str(), text_of(device["vulkan"]).c_str());
    }
}

void print_cards(const Json &ranks) {
    for (const Json &rank : one_for_each_host(ranks)) {
        const std::string host = text_of(rank["host"]);
        std::printf("\nGPUs of %s, as EGL numbers them:%s\n", host.c_str(), rank["cards"].empty() ? " none" : "");
        for (const Json &card : rank["cards"])
            std::printf("%5d %s%s\n", card["number"].get<int>(), card["software"].get<bool>() ? "software" : "GPU",
                        card.contains("file") ? (" " + text_of(card["file"])).c_str() : "");
    }
}

/// Rank 0's, and those that differ.
void print_options(const Json &ranks) {
    for (const Json &rank : ranks)
        if (rank["rank"] == 0 || rank["options"] != ranks[0]["options"]) {
            std::printf("\noptions of rank %d:\n", rank["rank"].get<int>());
            for (const auto &[name, value] : rank["options"].items())
                if (name != "environment")
                    std::printf("  %-12s %s\n", name.c_str(),
                                name == "band_bytes" && value == 0 ? "as suits the device" : text_of(value).c_str());
            for (const auto &[name, value] : rank["options"]["environment"].items())
                std::printf("  %s=%s in the environment%s\n", name.c_str(), text_of(value).c_str(),
                            pixmpi::find_variable(name) ? "" : ": no such variable (pixmpi_info --variables)");
        }
}

void print_routes(const Json &ranks) {
    std::printf("\nroute from the rank on the left to the rank above:\n     ");
    for (const Json &rank : ranks)
        std::printf(" %4d", rank["rank"].get<int>());
    for (const Json &rank : ranks) {
        std::printf("\n%5d", rank["rank"].get<int>());
        for (const Json &route : rank["routes"])
            std::printf(" %4s", text_of(route).c_str());
    }
    std::printf("\n");
}

void print_rates(const Json &ranks) {
    for (const Json &rank : ranks) {
        if (!rank.contains("formats"))
            continue;
        std::printf("\nformats, GB/s, measured by rank %d (OpenGL: %s; Vulkan: %s):\n", rank["rank"].get<int>(),
                    rank["gl"].value("renderer", "none").c_str(), rank["vk"].value("device", "none").c_str());
        std::printf("%-18s %6s %10s %10s %10s %10s %10s\n", "format", "bytes", "GL pack", "GL unpack", "Vk pack",
                    "Vk unpack", "host copy");
        for (const Json &row : rank["formats"]) {
            std::printf("%-18s %6d", text_of(row["format"]).c_str(), row["bytes"].get<int>());
            for (const char *rate : {"gl_pack_gbps", "gl_unpack_gbps", "vk_pack_gbps", "vk_unpack_gbps", "host_gbps"})
                row[rate].is_null() ? std::printf(" %10s", "-") : std::printf(" %10.2f", row[rate].get<double>());
            std::printf("\n");
        }
    }
}

void print_stats(const Json &ranks) {
    const std::map<std::string, const char *> names = {{"host", "host memory"}, {"gl", "OpenGL"}, {"vk", "Vulkan"}};
    for (const Json &rank : ranks) {
        if (!rank.contains("stats"))
            continue;
        for (const auto &[api, stats] : rank["stats"].items()) {
            std::printf("\nrank %d, messages of %s:\n", rank["rank"].get<int>(), names.at(api));
            for (const auto &[name, value] : stats.items())
                std::printf("  %-18s %s\n", name.c_str(), value.dump().c_str());
        }
    }
}

} // namespace

void print(const Json &all) {
    std::printf("pixmpi %s, %s, %d ranks\n", text_of(all["version"]).c_str(), text_of(all["mpi"]).c_str(),
                static_cast<int>(all["ranks"].size()));
    print_ranks(all["ranks"]);
    print_cards(all["ranks"]);
    print_vulkan(all["ranks"]);
    print_devices(all["ranks"]);
    print_options(all["ranks"]);
    print_routes(all["ranks"]);
    print_rates(all["ranks"]);
    print_stats(all["ranks"]);
}

void print_variables() {
    std::string_view group;
    for (const pixmpi::Variable &variable : pixmpi::variables) {
        if (group != variable.group) {
            std::printf("%s## %s\n\n| variable | values | default | meaning |\n|---|---|---|---|\n",
                        group.empty() ? "" : "\n", std::string(variable.group).c_str());
            group = variable.group;
        }
        std::string values;
        if (variable.is_number())
            values = std::string(variable.values) + ", " + std::to_string(variable.least) + " to " +
                     std::to_string(variable.most);
        else if (variable.has_words())
            pixmpi::each_word(variable.values, [&](std::string_view word) {
                values += (values.empty() ? "`" : ", `") + std::string(word) + "`";
            });
        else
            values = variable.values;
        std::printf("| `%s` | %s | %s | %s |\n", std::string(variable.name).c_str(), values.c_str(),
                    std::string(variable.usual).c_str(), std::string(variable.meaning).c_str());
    }
}
