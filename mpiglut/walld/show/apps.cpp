// apps.toml. All its mistakes are told together.
#include "option/option_values.h"
#include "option/options.h"
#include "show/programs.h"
#include "wall/toml_library.h"

#include <filesystem>
#include <set>

namespace mpiglut::walld {

namespace {

struct Reader {
    const std::string &file;
    std::vector<std::string> &errors;

    void wrong(const toml::node &where, const std::string &what) const {
        errors.push_back(file + ":" + std::to_string(where.source().begin.line) + ": " + what);
    }
    std::string text(const toml::table &table, const char *key) const {
        const toml::node *node = table.get(key);
        if (node && !node->is_string())
            wrong(*node, std::string(key) + ": expected a text");
        return node && node->is_string() ? node->as_string()->get() : std::string();
    }
    /// Relative to the file.
    std::string path(const toml::table &table, const char *key) const {
        const std::string value = text(table, key);
        return value.empty() ? value
                             : std::filesystem::absolute(std::filesystem::path(file).parent_path() / value)
                                   .lexically_normal()
                                   .string();
    }
    std::vector<std::string> texts(const toml::table &table, const char *key) const {
        std::vector<std::string> texts;
        const toml::node *list = table.get(key);
        const toml::array *array = list ? list->as_array() : nullptr;
        if (list && (!array || (!array->empty() && !array->is_homogeneous(toml::node_type::string))))
            wrong(*list, std::string(key) + ": expected a list of texts");
        else if (array)
            for (const toml::node &one : *array)
                texts.push_back(one.as_string()->get());
        return texts;
    }
    /// Of mpiglutrun's options, those that the server gives itself are none of the program's.
    static std::string wrong_options(const App &app) {
        if (app.options.empty())
            return {};
        const bool rejoins = app.on_death == "rejoin";
        const launcher::Parsed parsed = launcher::parse_command_line(
            words_of({.name = {}, .command = "p", .arguments = {}, .options = app.options, .on_death = app.on_death},
                     "1x1@64x48", rejoins ? "step:60" : "wall"));
        if (!parsed.command)
            return parsed.errors.empty() ? "expected options of a run" : parsed.errors.front();
        if (parsed.command->control.wanted)
            return "--control: the page is there already";
        if (parsed.command->run.headless)
            return "--headless: expected at walld, for all programs";
        return parsed.command->program == std::vector<std::string>{"p"} ? "" : "expected options and their values alone";
    }
    App app(const toml::table &table) const {
        App app{.name = text(table, "name"), .command = text(table, "command"), .arguments = {}, .options = {}};
        if (app.command.find('/') != std::string::npos) // else the search path has it
            app.command = path(table, "command");
        app.folder = path(table, "folder");
        app.wall = text(table, "wall");
        app.clock = text(table, "clock");
        app.picture = path(table, "picture");
        app.on_death = text(table, "on_death");
        if (!app.on_death.empty() && app.on_death != "end" && app.on_death != "continue" && app.on_death != "rejoin")
            wrong(*table.get("on_death"), "on_death: expected end, continue or rejoin");
        RunOptions clock;
        if (const std::string error = app.clock.empty() ? "" : launcher::read_clock(app.clock, clock); !error.empty())
            wrong(*table.get("clock"), "clock: " + error);
        else if (const std::string clash = clash_of_clock(app, app.clock); !clash.empty())
            wrong(*table.get("on_death"), clash);
        app.arguments = texts(table, "arguments");
        app.options = texts(table, "options");
        if (const std::string error = wrong_options(app); !error.empty())
            wrong(*table.get("options"), "options: " + error);
        if (const toml::node *node = table.get("restart")) {
            const auto times = node->value<std::int64_t>();
            if (!node->is_integer() || !times || *times < 0 || *times > 1000)
                wrong(*node, "restart: expected how often, from 0 to 1000");
            else
                app.restart = static_cast<int>(*times);
        }
        if (const toml::node *node = table.get("autostart")) {
            if (!node->is_boolean())
                wrong(*node, "autostart: expected true or false");
            else
                app.autostart = node->as_boolean()->get();
        }
        static const std::set<std::string_view> known{"name",  "command", "arguments", "folder",   "wall",
                                                      "clock", "picture", "autostart", "on_death", "restart",
                                                      "options"};
        for (const auto &[key, value] : table)
            if (!known.contains(key.str()))
                wrong(value, std::string(key.str()) +
                                 ": expected name, command, arguments, options, folder, wall, clock, autostart, "
                                 "on_death, restart or picture");
        if (app.name.empty() || app.name.find_first_of("/?#%&\\") != std::string::npos)
            wrong(table, "name: expected a text without / ? # % & \\");
        if (app.command.empty())
            wrong(table, "command: expected the program to run");
        return app;
    }
};

} // namespace

std::vector<std::string> words_of(const App &app, const std::string &wall, const std::string &clock) {
    std::vector<std::string> words{"--wall", wall};
    if (!clock.empty())
        words.insert(words.end(), {"--clock", clock});
    words.insert(words.end(), app.options.begin(), app.options.end());
    words.insert(words.end(), {"--on-death", app.on_death.empty() ? "continue" : app.on_death, "--", app.command});
    words.insert(words.end(), app.arguments.begin(), app.arguments.end());
    return words;
}

std::string clash_of_clock(const App &app, const std::string &clock) {
    return app.on_death == "rejoin" && !clock.starts_with("step:") ? "on_death: rejoin needs a clock of step:HZ" : "";
}

Apps parse_apps(std::string_view text, const std::string &file) {
    Apps result;
    const toml::parse_result parsed = toml::parse(text, file);
    if (!parsed) {
        result.errors.push_back(file + ":" + std::to_string(parsed.error().source().begin.line) + ": " +
                                std::string(parsed.error().description()));
        return result;
    }
    const Reader reader{file, result.errors};
    for (const auto &[key, value] : parsed.table())
        if (key != "app" || !value.is_array_of_tables())
            reader.wrong(value, std::string(key.str()) + ": expected [[app]] and nothing else");
    std::set<std::string> names;
    if (const toml::array *list = parsed.table()["app"].as_array(); list && result.errors.empty())
        for (const toml::node &one : *list) {
            result.apps.push_back(reader.app(*one.as_table()));
            if (!names.insert(result.apps.back().name).second)
                reader.wrong(one, "name: '" + result.apps.back().name + "' is there twice");
        }
    return result;
}

} // namespace mpiglut::walld
