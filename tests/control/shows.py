"""Presets and the playlist with a real wall: by wallctl, across a crash, and across the server's end.
shows.py WALLD PROGRAM FOLDER"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

from browser import Browser, missing
from wall import PATIENCE, Wall, main, require, wait_until

server, program, folder = sys.argv[1:4]
wallctl = os.path.join(os.path.dirname(server), "wallctl")
wall_file, kept = os.path.join(folder, "lab.toml"), os.path.join(folder, "lab.presets.json")


def ctl(wall, *arguments, expect=0, says=""):
    found = subprocess.run([sys.executable, wallctl, *arguments], capture_output=True, text=True, timeout=60 * PATIENCE,
                           env={**os.environ, "WALL_LINK": wall.link}, stdin=subprocess.DEVNULL)
    what = f"wallctl {' '.join(arguments)}: {found.returncode}, {found.stdout}{found.stderr}"
    require(found.returncode == expect and says in found.stdout + found.stderr, f"{what}, expected {expect} and '{says}'")
    return found.stdout


def running(wall):
    return next((one["name"] for one in wall.json("GET", "/api/v1/programs")["programs"] if one["running"]), None)


def runs(wall, name, clock=None):
    def ready():
        run = wall.run()
        return running(wall) == name and run and run["state"] == "running" and run["frames"] > 0 and clock in (None, run["clock"])
    wait_until(ready, f"{name} runs, clock {clock}")


def presets(wall):
    ctl(wall, "presets")
    ctl(wall, "preset", "save", "none", "--program", "nothing", expect=1, says="no program of apps.toml")
    ctl(wall, "preset", "save", "a/b", expect=1)
    ctl(wall, "preset", "save", "dark", "--program", "", "--brightness", "0.25")
    ctl(wall, "preset", "apply", "none", expect=1, says="preset")
    ctl(wall, "preset", "apply", "dark", "--brightness", "1", expect=2, says="expected with save")
    ctl(wall, "preset", "apply", "dark")
    require(running(wall) is None, "a preset without a program starts none")
    require(wall.json("GET", "/api/v1/presets")["brightness"] == 0.25, "the brightness of all tiles")
    ctl(wall, "start", "one", "--clock", "step:50", "--wait", "60")
    ctl(wall, "brightness", "0.5")
    ctl(wall, "preset", "save", "as it is", says="")
    ctl(wall, "presets", says="as it is: one, clock step:50, brightness 0.5")
    ctl(wall, "preset", "save", "two", "--program", "two", "--brightness", "1")
    ctl(wall, "preset", "save", "short", "--program", "short", "--brightness", "1")
    ctl(wall, "preset", "apply", "two")
    runs(wall, "two", "wall")
    began = wall.run()["began"]
    ctl(wall, "preset", "apply", "two")
    require(wall.run()["began"] == began, "what runs already goes on")
    ctl(wall, "preset", "apply", "as it is")
    runs(wall, "one", "step:50")
    require(not wall.json("GET", "/api/v1/wall")["changed"], "the brightness is none of the wall file's")
    ctl(wall, "preset", "delete", "dark")
    ctl(wall, "preset", "delete", "dark", expect=1)
    with open(kept, encoding="utf-8") as file:
        require([one["name"] for one in json.load(file)["presets"]] == ["as it is", "short", "two"], "the file beside the wall's")


def said(wall, text):
    return any(text in line for line in list(wall.printed))


def plays(wall):
    ctl(wall, "playlist", "start", expect=1, says="no entries")
    ctl(wall, "playlist", "set", "none=5", expect=1, says="no preset")
    ctl(wall, "playlist", "set", "two", expect=2, says="expected NAME=SECONDS")
    ctl(wall, "playlist", "next", expect=1, says="not playing")
    ctl(wall, "playlist", "set", "two=3600", "short=3600", "as it is=3600", says="as it is=3600")
    ctl(wall, "preset", "delete", "two", expect=1, says="the playlist has")
    ctl(wall, "playlist", "start", says="* two=3600")
    runs(wall, "two")
    ctl(wall, "playlist", "next")
    wait_until(lambda: said(wall, "playlist: 'short': it ended with status 3; 'as it is' is next"), "the crash is told")
    runs(wall, "one", "step:50")
    ctl(wall, "playlist", "next")
    runs(wall, "two")


def goes_on(wall):
    """After the server's end, in place of what starts by itself."""
    runs(wall, "two")
    require(wall.json("GET", "/api/v1/presets")["playlist"]["plays"], "the playlist plays on")
    ctl(wall, "stop", "two", "--wait", "60")
    require(not wall.json("GET", "/api/v1/presets")["playlist"]["plays"], "who stops a program by hand stops the playlist")
    wait_until(lambda: said(wall, "by hand"), "why is told")
    require(running(wall) is None, "nothing else starts")
    ctl(wall, "playlist", "set", "as it is@00:00")
    ctl(wall, "playlist", "start", says="* as it is@00:00")
    runs(wall, "one")
    ctl(wall, "playlist", "stop", says="  as it is@00:00")
    require(running(wall) == "one", "what is shown goes on")
    ctl(wall, "playlist", "set", says="")


# Every control that can be used has a name.
NAMELESS = """return [...document.querySelectorAll('#shows-section :is(button, input, select)')].filter((e) =>
  !(e.getAttribute('aria-label') || e.textContent.trim() || document.querySelector(`label[for="${e.id}"]`))).map((e) => e.outerHTML)"""
WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def on_the_page(wall):
    with Browser(f"{folder}/failed.png") as browser:
        def put(selector, value):
            browser.js("const e = document.querySelector(arguments[0]); e.value = arguments[1];"
                       "e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change'))", selector, value)
        browser.open(wall.link)
        wait_until(lambda: "as it is" in browser.text("#presets"), "the presets")
        put("#wall-brightness", "1.5")
        wait_until(lambda: wall.json("GET", "/api/v1/presets")["brightness"] == 1.5, "the brightness")
        put("#preset-name", "bright")
        browser.click("#shows-section form button")
        wait_until(lambda: "bright" in browser.text("#presets") and "brightness 1.5" in browser.text("#presets"), "it is saved")
        browser.click("[aria-label='Show two']")
        runs(wall, "two")
        wait_until(lambda: browser.text("#wall-brightness-value") == "1.00", "the preset's brightness")
        for _ in range(3):
            browser.click("#playlist-add")
        put("[aria-label='Preset of entry 1']", "bright")
        put("[aria-label='Preset of entry 2']", "two")
        put("[aria-label='Minutes of entry 2']", "1.5")
        put("[aria-label='Time of day of entry 2']", "23:59")
        browser.click("[aria-label='Entry 2 earlier']")
        browser.click("[aria-label='Remove entry 3']")
        browser.click("#playlist-save")
        wait_until(lambda: "does not play" in browser.text("#playlist-state"), "the playlist is saved")
        entries = wall.json("GET", "/api/v1/presets")["playlist"]["entries"]
        require(entries == [{"preset": "two", "seconds": 90, "at": "23:59"}, {"preset": "bright", "seconds": 600, "at": None}],
                f"the playlist: {entries}")
        while time.strftime("%H:%M") in ("23:57", "23:58", "23:59"):  # when the clock would call the other one
            time.sleep(1)
        browser.click("#playlist-plays")
        wait_until(lambda: browser.text("#playlist-state").startswith("plays bright"), "it plays")
        require(browser.js(NAMELESS) == [], f"controls without a name: {browser.js(NAMELESS)}")
        browser.js("document.getElementById('shows-section').scrollIntoView()")
        browser.picture(f"{folder}/shows.png")
        browser.resize(360, 780)
        require(browser.js(WIDE) <= 0, f"at 360 pixels the page is {browser.js(WIDE)} too wide")
        browser.js("document.getElementById('shows-section').scrollIntoView()")
        browser.picture(f"{folder}/shows-narrow.png")
        browser.click("#playlist-plays")
        wait_until(lambda: "does not play" in browser.text("#playlist-state"), "it stops")
        require(browser.complaints() == [], f"the browser complains: {browser.complaints()}")
    ctl(wall, "playlist", "set", says="")


def mistaken(wall):
    wait_until(lambda: said(wall, "lab.presets.json': expected"), "what is wrong with the file")
    ctl(wall, "preset", "save", "new", expect=1, says="no preset is changed until that is mended")


def test():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(wall_file, "w", encoding="utf-8") as file:
        file.write("[grid]\ncolumns = 2\nrows = 1\ntile = [120, 90]\n")
    apps = os.path.join(folder, "apps.toml")
    with open(apps, "w", encoding="utf-8") as file:
        for name in ("one", "two"):
            file.write(f'[[app]]\nname = "{name}"\ncommand = {json.dumps(program)}\n')
        file.write('[[app]]\nname = "short"\ncommand = "/bin/sh"\narguments = ["-c", "exit 3"]\nautostart = true\n')
    for steps, ends in (((presets, plays), signal.SIGKILL), ((goes_on,) + (() if missing() else (on_the_page,)), signal.SIGTERM), ((mistaken,), signal.SIGTERM)):
        with Wall([server, wall_file, "--apps", apps, "--port", "0", "--headless", "--captures", folder]) as wall:
            for step in steps:
                step(wall)
            wall.process.send_signal(ends)
            wall.process.wait(30 * PATIENCE)
        if goes_on in steps:
            with open(kept, "w", encoding="utf-8") as file:
                file.write("[]")


main(test)
