"""A wall whose tiles die, and programs that crash: what the server and the page say.  death.py WALLD PROGRAM FOLDER"""
import contextlib
import os
import signal
import subprocess
import sys

from browser import Browser, missing
from wall import Wall, began_again, main, process_of, require, stop_at_work, stop_on_its_way_back, wait_until

server, program, folder = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
apps = f"{folder}/apps.toml"


def tile(wall, rank):
    return next(tile for tile in (wall.run() or {"tiles": []})["tiles"] if tile["rank"] == rank)


def wallctl_health(wall):
    """What wallctl makes of it, for a program that watches over hosts."""
    made = subprocess.run([sys.executable, os.path.join(os.path.dirname(server), "wallctl"), "health"], capture_output=True,
                          text=True, env={**os.environ, "WALL_LINK": wall.link}, stdin=subprocess.DEVNULL, timeout=60)
    return made.returncode, made.stdout


def health(wall, status, says):
    """On a busy machine a tile is late now and then."""
    def found():
        code, line = wallctl_health(wall)
        return code == status and says in line
    wait_until(found, f"health: {status} and '{says}'")


def logged(wall, says):
    wait_until(lambda: any(says in line["text"] for line in wall.json("GET", "/api/v1/log")["lines"]), f"'{says}' in the log")


def pixels(png):
    with open(f"{folder}/shot.png", "wb") as file:
        file.write(png)


def names_who_holds_the_others_up(wall):
    """Those that wait for a tile that hangs are not to blame."""
    pid = wait_until(lambda: process_of(wall, program, 2), "the program of rank 2")
    stop_at_work(wall, pid)
    try:
        wait_until(lambda: sum(tile["state"] == "waiting" for tile in wall.run()["tiles"]) > 1, "others wait for it")
        wait_until(lambda: "(0,1) on " in (line := wallctl_health(wall)[1]) and line.count(" on ") == 1, "health names that tile alone")
    finally:
        os.kill(pid, signal.SIGCONT)


def kills_a_tile(wall, browser):
    wall.wait_for_frames()
    if browser:
        browser.open(wall.link)
        wait_until(lambda: int(browser.js("return document.getElementById('wall').dataset.pictures ?? 0")) > 4, "live pictures")
    wait_until(lambda: all(tile["state"] == "running" for tile in wall.run()["tiles"]), "all tiles run")
    health(wall, 0, "well: ")
    names_who_holds_the_others_up(wall)
    health(wall, 0, "well: ")
    os.kill(wait_until(lambda: process_of(wall, program, 3), "the program of rank 3"), signal.SIGKILL)
    dead = wait_until(lambda: tile(wall, 3)["state"] == "dead" and tile(wall, 3), "rank 3 is marked")
    require(dead["host"] and dead["since"] > wall.run()["began"], f"who, where and since when: {dead}")
    health(wall, 1, f"(1,1) on {dead['host']} dead for ")
    frames = wall.run()["frames"]
    wait_until(lambda: wall.run()["frames"] > frames + 5, "the others go on")
    status, png, _ = wall.ask("POST", "/api/v1/screenshot", "{}")
    require(status == 200 and png.startswith(b"\x89PNG"), f"a screenshot without the dead tile: {status}")
    pixels(png)
    logged(wall, "the wall goes on without it")
    if browser:
        wait_until(lambda: "dead" in browser.text("#tiles"), "the page says so")
        browser.picture(f"{folder}/dead.png")


def comes_back(wall, browser):
    """A tile is killed, and stopped on its way back, so that there is time to look."""
    wall.wait_for_frames()
    if browser:
        browser.open(wall.link)
        wait_until(lambda: "3\u00a0(1,1)" in browser.text("#tiles"), "the tiles")
    second = stop_on_its_way_back(wall, program, 3)
    health(wall, 1, " returning for ")
    frames = wall.run()["frames"]
    wait_until(lambda: wall.run()["frames"] > frames + 5, "the others go on")
    if browser:
        wait_until(lambda: "coming back" in browser.text("#tiles"), "the page says so")
        browser.picture(f"{folder}/returning.png")
    os.kill(second, signal.SIGCONT)
    wait_until(lambda: tile(wall, 3)["state"] == "running", "rank 3 is back")
    logged(wall, "is back after")
    status, png, _ = wall.ask("POST", "/api/v1/screenshot", "{}")
    require(status == 200 and png.startswith(b"\x89PNG"), f"a screenshot with the tile: {status}")
    pixels(png)
    require(wall.run()["divergences"] == 0, f"divergences: {wall.run()['divergences']}")


def crashes(wall, times):
    """Of rank 0, which ends the run; each but the last is followed by another run."""
    for restart in range(1, times + 1):
        began = wall.run()["began"]
        os.kill(wait_until(lambda: process_of(wall, program, 0), "the program of rank 0"), signal.SIGKILL)
        wait_until(lambda: began_again(wall, began), f"restart {restart}")
        wall.wait_for_frames()
        history = wall.json("GET", "/api/v1/programs")["history"]
        require([run["restarts"] for run in history] == list(range(restart, -1, -1)), f"the history: {history}")
    os.kill(wait_until(lambda: process_of(wall, program, 0), "the program of rank 0"), signal.SIGKILL)
    wait_until(lambda: any("not started again" in line for line in list(wall.printed)), "the limit is told")
    require(len(wall.json("GET", "/api/v1/programs")["history"]) == times + 1, "no run beyond the limit")


def with_wall(app, *steps):
    with open(apps, "w") as file:
        file.write(f"[[app]]\nname = 'subject'\ncommand = '{program}'\nautostart = true\n{app}\n")
    with Wall([server, "2x2@120x90", "--headless", "--apps", apps, "--captures", folder, "--port", "0"]) as wall:
        for step in steps:
            step(wall)


def test():
    with contextlib.nullcontext() if missing() else Browser(f"{folder}/failed.png") as browser:
        with_wall("restart = 1", lambda wall: kills_a_tile(wall, browser), lambda wall: crashes(wall, 1))
        with_wall("clock = 'step:60'\non_death = 'rejoin'", lambda wall: comes_back(wall, browser))


main(test)
