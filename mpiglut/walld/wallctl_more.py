# --- health, presets and the playlist: wallctl is one file again when it is built ------------------------------------

def judge(answer, restarting):
    """(exit status, why, the tiles that are not well) of a wall with this status."""
    run = answer["run"]
    if not run or run["state"] == "ended":
        ended = "no program is running" if not run else f"{' '.join(run['program'])} ended with {run['exit_status']}"
        return (DEGRADED, f"'{restarting}' is about to be started again", []) if restarting else (DOWN, ended, [])
    program = " ".join(run["program"])
    bad = [tile for tile in run["tiles"] if tile["state"] != "running"]
    if run["state"] == "running" and not bad:
        return WELL, f"{program}: {len(run['tiles'])} tiles", []
    culprits = [tile for tile in bad if tile["state"] != "waiting"] or bad  # a tile that waits does so for another one
    names = [f"{tile['name']} on {tile['host'] or 'this host'} {tile['state']} for "
             f"{max(0, time.time() - tile['since'] / 1000):.0f} s" for tile in culprits]
    names[5:] = [f"{len(names) - 5} more"] * (len(names) > 5)
    return DEGRADED, f"{program}: " + (", ".join(names) or run["state"]), bad


def health(options):
    """For systems that watch over hosts: all that happens becomes a line and a status."""
    bad, run, code = [], None, UNKNOWN
    try:
        wall = Wall(find_server(options), options.timeout or 10)
        answer = wall.get("status")
        run = answer["run"]
        code, why, bad = judge(answer, wall.get("programs").get("restarting"))
    except Trouble as trouble:
        code, why = DOWN if trouble.status == UNREACHABLE else UNKNOWN, str(trouble)
    except (ValueError, KeyError, TypeError) as error:
        why = f"the answer is not that of a wall: {type(error).__name__}: {error}"
    word = ("well", "degraded", "down", "unknown")[code]
    rates = {"fps": run["fps"], "tiles": len(run["tiles"]), "bad": len(bad)} if run else {}
    text = " ".join(f"{word}: {why}".split()) + (" | " if rates else "") + " ".join(f"{key}={rates[key]:g}" for key in rates)
    return {"health": word, "exit_status": code, "why": why, "run": run}, text + "\n", code


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


