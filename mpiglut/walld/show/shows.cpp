#include "show/shows.h"
#include "child/spawn.h"

#include <utility>

namespace mpiglut::walld {

namespace {

Playlist::Time now() { return std::chrono::system_clock::now(); }

} // namespace

Shows::Shows(Programs *programs, std::string file, Listener listener)
    : programs_(programs), listener_(std::move(listener)), presets_(std::move(file)),
      playlist_({[this](const std::string &name) { return apply(name); },
                 [this](const std::string &line) { listener_.says(line); }}) {
    if (const std::string error = presets_.load(); !error.empty())
        listener_.says("presets: " + error);
    playlist_.entries(presets_.entries(), now());
}

bool Shows::resume() { return presets_.plays() && playlist_.start(now()).empty(); }

void Shows::look() {
    const auto before = playlist_.to_json();
    playlist_.look(now());
    if (playlist_.to_json() != before)
        listener_.changed();
}

void Shows::program_ended(int status) {
    playlist_.ended("it ended with status " + std::to_string(launcher::shell_status(status)), now());
    listener_.changed();
}

void Shows::by_hand() {
    if (!playlist_.plays())
        return;
    listener_.says("the playlist stops: the wall is being operated by hand");
    stop();
}

void Shows::set_brightness(double brightness) {
    brightness_ = brightness;
    listener_.dim(brightness);
}

std::string Shows::changed_or(const std::string &error) {
    if (error.empty())
        listener_.changed();
    return error;
}

std::string Shows::save(const std::string &name, const PresetWish &wish) {
    const auto [program, clock] = programs_ ? programs_->running() : std::pair<std::string, std::string>();
    Preset preset{name, wish.program.value_or(program), {}, wish.brightness.value_or(brightness_)};
    preset.clock = wish.clock.value_or(preset.program == program ? clock : std::string());
    if (!preset.program.empty())
        if (const std::string error = programs_ ? programs_->why_not(preset.program, preset.clock)
                                                : "'" + preset.program + "' is no program of apps.toml";
            !error.empty())
            return error;
    return changed_or(presets_.put(preset));
}

std::string Shows::apply(const std::string &name) {
    const Preset *preset = presets_.find(name);
    if (!preset)
        return "'" + name + "' is no preset";
    set_brightness(preset->brightness);
    if (preset->program.empty())
        return {};
    return programs_ ? programs_->show(preset->program, preset->clock)
                     : "'" + preset->program + "' is no program of apps.toml";
}

std::string Shows::apply_by_hand(const std::string &name) {
    by_hand();
    return changed_or(apply(name));
}

std::string Shows::set_entries(const std::vector<PlaylistEntry> &entries) {
    const std::string error = presets_.set_entries(entries);
    if (error.empty())
        playlist_.entries(entries, now());
    return changed_or(error);
}

std::string Shows::start() {
    std::string error = playlist_.start(now());
    return changed_or(error.empty() ? presets_.set_plays(true) : error);
}

std::string Shows::stop() {
    if (!playlist_.plays())
        return "the playlist is not playing";
    playlist_.stop();
    return changed_or(presets_.set_plays(false));
}

std::string Shows::next() { return changed_or(playlist_.next(now())); }

nlohmann::json Shows::to_json() const {
    nlohmann::json presets = nlohmann::json::array();
    for (const Preset &one : presets_.all())
        presets.push_back(walld::to_json(one));
    return {{"presets", std::move(presets)}, {"playlist", playlist_.to_json()}, {"brightness", brightness_}};
}

} // namespace mpiglut::walld
