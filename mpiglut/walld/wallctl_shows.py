# --- presets and the playlist: a part of wallctl, which is one file again when it is built --------------------------

def describe_entry(entry):
    return (entry["preset"] + (f"@{entry['at']}" if entry["at"] is not None else "")
            + (f"={entry['seconds']}" if entry["seconds"] is not None else ""))


def presets(wall, options):
    answer = wall.get("presets")
    lines = [f"{one['name']}: {one['program'] or 'any program'}" + (f", clock {one['clock']}" if one["clock"] else "") +
             f", brightness {one['brightness']:g}" for one in answer["presets"]]
    return answer, "".join(line + "\n" for line in lines)


def preset(wall, options):
    wish = {key: value for key in ("program", "clock", "brightness") if (value := getattr(options, key)) is not None}
    if wish and options.what != "save":
        raise Trouble(WRONG, f"--{list(wish)[0]}: expected with save")
    if wish.get("program") == "":
        wish["program"] = None
    answer = wall.post(f"presets/{quoted(options.name)}/{options.what}", wish)
    return answer, ""


def read_entry(text):
    """NAME, @HH:MM and =SECONDS, from behind, since a name may have such signs, too."""
    entry, (rest, sign, seconds) = {"preset": text}, text.rpartition("=")
    if sign and seconds.isdecimal():
        entry.update(preset=rest, seconds=int(seconds))
    rest, sign, when = entry["preset"].rpartition("@")
    if sign and len(when) == 5 and when[2] == ":":
        entry.update(preset=rest, at=when)
    if len(entry) == 1:
        raise Trouble(WRONG, f"{text}: expected NAME=SECONDS, NAME@HH:MM or NAME@HH:MM=SECONDS")
    return entry


def playlist(wall, options):
    if options.entries and options.what != "set":
        raise Trouble(WRONG, "ENTRY: expected with set")
    if options.what == "set":
        wall.post("playlist", {"entries": [read_entry(text) for text in options.entries]})
    elif options.what != "show":
        wall.post(f"playlist/{options.what}")
    answer = wall.get("presets")["playlist"]
    lines = [("* " if number == answer["current"] else "  ") + describe_entry(entry)
             for number, entry in enumerate(answer["entries"])]
    return answer, "".join(line + "\n" for line in lines)


def brightness(wall, options):
    return wall.post("wall/brightness", {"brightness": options.brightness}), ""


def add_shows(add):
    add("presets", presets, "the presets: program, clock and brightness under a name")
    command = add("preset", preset, "saves, applies or deletes a preset")
    command.add_argument("what", choices=("save", "apply", "delete"))
    command.add_argument("name")
    command.add_argument("--program", help="of apps.toml; an empty text: whatever runs goes on (default: what runs)")
    command.add_argument("--clock", metavar="wall|step:HZ|off", help="(default: as it runs)")
    command.add_argument("--brightness", type=float, metavar="FACTOR", help="of all tiles (default: as it is)")
    command = add("playlist", playlist, "shows the playlist, after it was set, started, stopped or sent to the next entry")
    command.add_argument("what", nargs="?", default="show", choices=("show", "set", "start", "stop", "next"))
    command.add_argument("entries", nargs="*", metavar="ENTRY",
                         help="NAME=SECONDS, NAME@HH:MM (shown from then on), or NAME@HH:MM=SECONDS")
    add("brightness", brightness, "of all tiles, over that of each").add_argument("brightness", type=float, metavar="FACTOR")


