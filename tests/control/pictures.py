"""Takes all pictures of the page that docs/howto/operate.md shows, of a program of this toolkit, each in a state that is brought
about for it.  pictures.py WALLD PROGRAM FOLDER: build/release/bin/walld, build/release/bin/powerwall, docs/images"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from browser import Browser, missing
from states import Stage, all_states
from wall import main, require

server, program, folder = (os.path.abspath(path) for path in sys.argv[1:4])
WIDTH = 1280
# What the guide shows of each state: its name there, and how high the picture is. None: nothing.
SHOWN = {"idle": 620, "running": 1000, "menu": 720, "adjust": 960, "confirm": 720, "asked": 720, "hung": 800, "dead": 800,
         "returning": 800, "ended": 720, "failed": 720, "log": 620, "lost": 720, "old-link": 560}
ALSO = {"running": ("dark", 1000), "dead": ("phone", 844)}


def look(name, browser):
    if name == "running":
        time.sleep(12)  # so that the charts have something to show
    if name in SHOWN:
        take(browser, name, WIDTH, SHOWN[name])
    if ALSO.get(name, [""])[0] == "dark":
        browser.prefer("dark")
        take(browser, "dark", WIDTH, ALSO[name][1])
        browser.prefer("light")
    if ALSO.get(name, [""])[0] == "phone":
        take(browser, "phone", 390, ALSO[name][1])
    browser.resize(WIDTH, 1000)


def take(browser, name, width, height):
    browser.resize(width, height)
    if name != "menu":
        browser.js("document.querySelector(arguments[0]).scrollIntoView({block: 'end'})", "#log" if name == "log" else "h1")
    time.sleep(.7)
    path = f"{folder}/operating{'' if name == 'running' else f'-{name}'}.png"
    browser.picture(path)
    if shutil.which("convert"):  # a third of the bytes, and nobody sees it
        subprocess.run(["convert", path, "-colors", "256", f"PNG8:{path}"], check=True)


def test():
    require(not missing(), f"{' and '.join(missing())} missing")
    with tempfile.TemporaryDirectory() as scratch, Browser(f"{folder}/failed.png") as browser:
        browser.resize(WIDTH, 1000)
        all_states(Stage(server, program, scratch, look, "2x2@480x300+24+24", 8), browser)


main(test)
