"""Brings a wall and its page into each state that an operator may see, one after the other: for the rules of accessibility,
and for the pictures of the guide."""
import contextlib
import json
import os
import signal
import time

from browser import Browser
from wall import Wall, process_of, require, stop_on_its_way_back, wait_until

ESCAPE = "\ue00c"


class Stage:
    """`program`: a GLUT program with a menu on the right button. `look(name, browser)` is called in each state. `linger`:
    seconds that a program runs before anything is done to it."""

    def __init__(self, server, program, folder, look, wall="2x2@160x105+10+10", linger=0):
        self.server, self.program, self.folder, self.look, self.size = server, program, folder, look, wall
        self.name, self.linger = os.path.basename(program), linger
        os.makedirs(folder, exist_ok=True)
        self.apps, self.rejoining = f"{folder}/apps.toml", f"{self.name} with rejoin"
        with open(f"{folder}/flight", "w") as file:
            file.write("#!/bin/sh\necho 'loading scene alps'\necho 'flight: error: scenes/alps.gltf: no such file' >&2\nexit 3\n")
        os.chmod(f"{folder}/flight", 0o755)
        with open(self.apps, "w") as file:
            for name, command, arguments, more in (
                    (self.name, program, [], ""), (self.rejoining, program, [], "clock = 'step:60'\non_death = 'rejoin'\n"),
                    ("flight", "./flight", ["--scene", "alps"], ""),
                    ("no wall", program, [], "wall = 'none.toml'\n")):
                file.write(f"[[app]]\nname = '{name}'\ncommand = '{command}'\narguments = {json.dumps(arguments)}\n{more}")

    def open(self):
        return Wall([self.server, self.size, "--headless", "--apps", self.apps, "--captures", self.folder, "--port", "0"])

    def start(self, browser, wall, name):
        browser.click(f"[aria-label='Start {name}']")
        wait_until(lambda: (run := wall.run()) and run["name"] == name and run["frames"] > 5, f"{name} runs")
        wait_until(lambda: level(browser) == "good", "the page says so")
        wait_until(lambda: int(browser.js("return document.getElementById('wall').dataset.pictures ?? 0")) > 8, "live pictures")
        time.sleep(self.linger)

    def signal(self, wall, rank, number):
        pid = wait_until(lambda: process_of(wall, self.program, rank), f"the program of rank {rank}")
        os.kill(pid, number)
        return pid


def level(browser):
    return browser.js("return document.getElementById('status').dataset.level")


def title(browser):
    return browser.text("#trouble-title")


def confirm(browser, yes=True):
    browser.wait_for("return document.getElementById('confirm').open", "a question")
    browser.click("#confirm-yes" if yes else "#confirm-no")


def settles(browser):
    """What appears by and by has its colours."""
    browser.wait_for("return document.getAnimations().every((e) => e.playState !== 'running' || e.effect.getComputedTiming().endTime === Infinity)",
                     "animations that end")


def fits(browser):
    """All of the table is there at once on a usual screen."""
    browser.resize(1280, 1000)
    wide = browser.js("const e = document.querySelector('.scroll'); return e.scrollWidth - e.clientWidth")
    require(wide <= 0, f"the table of tiles is {wide} pixels wider than its place")


def running(stage, browser, wall):
    wait_until(lambda: browser.text("#state") == "no program is running", "nothing runs")
    stage.look("idle", browser)
    stage.start(browser, wall, stage.name)
    browser.wait_for("return document.querySelectorAll('#charts polyline').length >= 3", "charts")
    stage.look("running", browser)


def touched(stage, browser, wall):
    browser.press_at("#wall", .62, .25, 2)
    browser.wait_for("return document.querySelectorAll('#menu button').length > 1", "the menu")
    stage.look("menu", browser)
    browser.press_at("#wall", .1, .9)
    browser.wait_for("return document.getElementById('menu').hidden", "it is closed")
    browser.chord("\ue008", ESCAPE)
    browser.click("#adjust")
    browser.press_at("#wall", .8, .2)
    wait_until(lambda: "moved" in browser.text("#place"), "a tile is chosen")
    for name, value in (("brightness", .7), ("red", 1.4), ("blue", .5)):
        browser.js("const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input'))", name, value)
    wait_until(lambda: browser.text("#kept") == "Not saved", "colours")
    stage.look("adjust", browser)
    browser.click("#reset-wall")
    browser.click("#adjust")
    browser.click(f"[aria-label='Stop {stage.name}']")
    browser.wait_for("return document.getElementById('confirm').open", "a question")
    stage.look("confirm", browser)
    confirm(browser, False)
    wait_until(lambda: wall.run()["state"] == "running", "it goes on")
    with Browser(f"{stage.folder}/failed-second.png") as other:
        other.open(wall.link)
        wait_until(lambda: "has control" in other.text("#holder"), "the second page")
        other.click("#control")
        browser.wait_for("return [...document.querySelectorAll('.toast')].some((e) => /asks for control/.test(e.textContent))", "it asks")
        stage.look("asked", browser)


def troubled(stage, browser, wall):
    pid = stage.signal(wall, 2, signal.SIGSTOP)
    try:
        wait_until(lambda: "is late" in title(browser) or "hangs" in title(browser), "a tile is late")
        fits(browser)
        stage.look("late", browser)
        wait_until(lambda: "hangs" in title(browser), "a tile hangs")
        stage.look("hung", browser)
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until(lambda: level(browser) == "good", "it goes on")
    stage.signal(wall, 3, signal.SIGKILL)
    wait_until(lambda: "is dead" in title(browser), "a tile is dead")
    wait_until(lambda: "killed by signal 9" in browser.text("#cause") and browser.text("#remedies button") == "Restart",
               "the cause and what helps")
    fits(browser)
    browser.js("scrollTo(0, document.body.scrollHeight)")
    require(browser.js("return document.getElementById('alarm').getBoundingClientRect().top") >= 0, "the status stays in sight")
    settles(browser)
    stage.look("dead", browser)
    browser.click(f"[aria-label='Stop {stage.name}']")
    confirm(browser)
    wait_until(lambda: browser.text("#state").startswith("ended"), "the end")


def over(stage, browser, wall):
    stage.start(browser, wall, stage.name)
    browser.click("#quit")
    confirm(browser)
    wait_until(lambda: "ended normally" in title(browser), "a normal end")
    stage.look("ended", browser)
    browser.click("[aria-label='Start flight']")
    wait_until(lambda: "could not start" in title(browser), "a program that cannot start")
    wait_until(lambda: "alps.gltf" in browser.text("#cause"), "its error in the headline")
    stage.look("failed", browser)
    browser.click("[aria-label='Start no wall']")
    wait_until(lambda: "no wall could not start" in title(browser), "mpiglutrun itself cannot start")
    wait_until(lambda: "none.toml" in browser.text("#cause"), "mpiglutrun's last words")
    browser.js("document.getElementById('log').scrollIntoView({block: 'end'})")
    stage.look("log", browser)
    browser.js("scrollTo(0, 0)")


def returning(stage, browser, wall):
    stage.start(browser, wall, stage.rejoining)
    second = stop_on_its_way_back(wall, stage.program, 3)
    try:
        wait_until(lambda: "coming back" in title(browser), "it is coming back")
        settles(browser)
        stage.look("returning", browser)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(second, signal.SIGCONT)


def server_gone(stage, browser, wall):
    before = browser.text("#program")
    os.kill(wall.process.pid, signal.SIGKILL)
    wait_until(lambda: level(browser) == "lost", "the page says that the server is gone")
    require(browser.text("#program") == before and "connection" in title(browser), f"it is the server's end: {title(browser)}")
    stage.look("lost", browser)


def all_states(stage, browser):
    with stage.open() as wall:
        browser.open(wall.link)
        for step in (running, touched, troubled, over, returning):
            step(stage, browser, wall)
        browser.click("#logout")
        wait_until(lambda: level(browser) == "past", "logged out")
        browser.open(wall.link.replace("token=", "token=0"))
        wait_until(lambda: "wallctl link" in browser.text("body"), "what to do with an old link")
        stage.look("old-link", browser)
        browser.open(wall.link)
        wait_until(lambda: level(browser) in ("good", "bad"), "the page again")
        server_gone(stage, browser, wall)
