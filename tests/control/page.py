"""The page in a browser: sees the live picture, clicks and types into it, takes a screenshot, uses the tools, loses its
connection. Pictures of the page stay in FOLDER.  page.py MPIGLUTRUN PROGRAM FOLDER"""
import os
import shutil
import signal
import sys
import time

from browser import Browser, missing
from picture import Picture
from wall import Proxy, Wall, main, process_of, require, stop_at_work, wait_until

launcher, program, folder = sys.argv[1:4]
if missing():
    print(f"skipped: {' and '.join(missing())} missing")
    sys.exit(77)
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)

# The canvas's pixel at a share of its width and height.
PIXEL = """const c = document.getElementById('wall');
return [...c.getContext('2d').getImageData(c.width * arguments[0], c.height * arguments[1], 1, 1).data].slice(0, 3)"""
# How much the canvas and a screenshot differ, the mean of all bytes.
DIFFERENCE = """return (async () => { const wall = document.getElementById('wall'), c = new OffscreenCanvas(wall.width, wall.height).getContext('2d');
const seen = wall.getContext('2d').getImageData(0, 0, wall.width, wall.height).data;
const shot = await createImageBitmap(await (await fetch('/api/v1/screenshot', {method: 'POST'})).blob());
c.drawImage(shot, 0, 0, wall.width, wall.height);
const wanted = c.getImageData(0, 0, wall.width, wall.height).data;
return seen.reduce((sum, byte, at) => sum + Math.abs(byte - wanted[at]), 0) / seen.length; })()"""
# Every control that can be used has a name; nothing is wider than the page.
NAMELESS = """return [...document.querySelectorAll('button, input, select, canvas, [tabindex]')].filter((e) =>
  !(e.getAttribute('aria-label') || e.textContent.trim() || document.querySelector(`label[for="${e.id}"]`))).map((e) => e.outerHTML)"""
WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def near(browser, x, y, colour):
    return all(abs(a - b) < 40 for a, b in zip(browser.js(PIXEL, x, y), colour))


def sees_the_wall(browser):
    for x, y, colour in [(.1, .1, (255, 0, 0)), (.9, .1, (0, 255, 0)), (.1, .9, (0, 0, 255)), (.9, .9, (255, 255, 0))]:
        wait_until(lambda: near(browser, x, y, colour), f"{colour} in the live picture at {x}, {y}")
    require(near(browser, .5, .25, (0, 0, 0)), "the bezel is black in the live picture")
    first = int(browser.js("return document.getElementById('wall').dataset.pictures"))
    wait_until(lambda: int(browser.js("return document.getElementById('wall').dataset.pictures")) > first + 8, "more pictures")


def touches_it(browser, wall):
    browser.press_at("#wall", .75, .75)
    browser.type("q")
    def said():
        texts = [line["text"] for line in wall.json("GET", "/api/v1/log")["lines"] if line["rank"] == 3]
        return any(text.startswith("mouse 0 0 375") for text in texts) and "key q" in texts
    wait_until(said, "a click and a key on rank 3")
    wait_until(lambda: "key q" in browser.text("#log"), "the key in the page's log")


def uses_the_menu(browser, wall):
    """The program's own, by mouse, by keys and by one finger; what closes it is no click for the program."""
    def said(rank=3):
        return [line["text"] for line in wall.json("GET", "/api/v1/log")["lines"]
                if line["rank"] == rank and line["text"].startswith(("menu", "mouse"))]
    def item(label):
        browser.js("[...document.querySelectorAll('#menu button')].find((e) => e.textContent === arguments[0]).click()", label)
    opened, closed = "return document.querySelectorAll('#menu button').length === 4", "return document.getElementById('menu').hidden"
    before = len(said())
    browser.press_at("#wall", .6, .25, 2)
    browser.wait_for(opened, "the menu")
    browser.picture(f"{folder}/menu.png")
    item("colours")
    browser.picture(f"{folder}/submenu.png")
    item("gr\u00fcn")
    browser.wait_for(closed, "it closes with the choice")
    place = wait_until(lambda: said()[before:], "the program hears that it opens")[0].removeprefix("menu opens")
    wanted = [f"menu opens{place}", f"menu closes{place}", "menu 7 of 1"]
    wait_until(lambda: said()[before:] == said(0)[before:] == wanted, f"{wanted} on all ranks")
    browser.press_at("#wall", .9, .9, 2)
    browser.wait_for(opened, "the menu again")
    browser.press_at("#wall", .1, .1)
    browser.wait_for(closed, "a press elsewhere closes it")
    browser.click("#right")
    browser.press_at("#wall", .4, .4)
    browser.wait_for(opened, "the menu by a left button that stands for the right one")
    browser.type("\ue015\ue013\ue007")  # down, up, Enter
    browser.wait_for(closed, "a choice by keys")
    wait_until(lambda: len(said()) == before + 8, f"all of it: {said()[before:]}")
    require("menu 3 of 2" in said()[before + 5:] and not any("mouse" in line for line in said()[before:]), f"the program heard {said()[before:]}")


def uses_the_tools(browser):
    browser.click("#screenshot")
    wait_until(lambda: "KiB" in browser.text("#captured"), "a screenshot")
    browser.click("#film")
    wait_until(lambda: browser.text("#film").startswith("End the film (") and "(0)" not in browser.text("#film"), "frames of a film")
    browser.click("#film")
    wait_until(lambda: "frames)" in browser.text("#captured"), "a film")
    browser.click("[data-show=identify]")
    wait_until(lambda: "identify" in browser.text("#state"), "the state says identify")
    wait_until(lambda: not near(browser, .05, .05, (255, 0, 0)), "identify in the live picture")
    browser.picture(f"{folder}/identify.png")
    browser.click("[data-show=pattern]")
    wait_until(lambda: "pattern" in browser.text("#state"), "the state says pattern")
    browser.js("return new Promise((go) => setTimeout(go, 700))")
    browser.picture(f"{folder}/pattern.png")
    browser.click("[data-show=black]")
    wait_until(lambda: near(browser, .1, .1, (0, 0, 0)), "blank in the live picture")
    browser.click("[data-show=picture]")
    wait_until(lambda: near(browser, .1, .1, (255, 0, 0)), "the program's picture again")


def sees_the_gallery(browser, wall):
    """What the tools have made: a thumbnail, a film that this browser plays, and what is deleted, once that is meant."""
    files = wall.json("GET", "/api/v1/captures?details=24")["files"]
    picture = next(file["name"] for file in files if file["type"] == "image/png")
    film = next(file for file in files if file["type"].startswith("video/"))
    browser.js("document.getElementById('gallery-section').scrollIntoView()")
    thumbnail = "return document.querySelector(`[id='${arguments[0]}'] img`)?.naturalWidth ?? 0"
    wait_until(lambda: 0 < browser.js(thumbnail, picture) <= 320, "the thumbnail of a screenshot")
    if film["type"] != "video/x-msvideo":
        played = "const film = document.querySelector(`[id='${arguments[0]}'] video`); return film.readyState > 0 && film.videoWidth"
        wait_until(lambda: browser.js(played, film["name"]) == 500, "the film in the browser")
    browser.picture(f"{folder}/gallery.png")
    item = f"return document.getElementById('{picture}') === null"
    for yes in (False, True):
        browser.js("const yes = arguments[0]; window.confirm = () => yes", yes)
        browser.click(f"[aria-label='Delete {picture}']")
        if browser.js("return document.getElementById('confirm')?.open ?? false"):
            browser.click("#confirm-yes" if yes else "#confirm-no")
        require(yes or wall.ask("GET", f"/api/v1/captures/{picture}")[0] == 200, "without a yes it stays")
    wait_until(lambda: browser.js(item), "it is gone from the page")
    require(wall.ask("GET", f"/api/v1/captures/{picture}")[0] == 404, "it is deleted")
    browser.js("scrollTo(0, 0)")


def sees_a_tile_hang(browser, wall):
    pid = wait_until(lambda: process_of(wall, program, 2), "the program of rank 2")
    stop_at_work(wall, pid)
    try:
        wait_until(lambda: browser.js("return [...document.querySelectorAll('#tiles td.hung')].length") > 0, "a tile that hangs")
        state = [tile["state"] for tile in wall.run()["tiles"]]
        require(state[2] == "hung" and state.count("hung") == 1, f"tiles: {state}, expected rank 2 alone to hang")
        browser.js("return new Promise((go) => setTimeout(go, 300))")
        browser.picture(f"{folder}/hung.png")
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until(lambda: wall.run()["tiles"][2]["state"] == "running", "the tile goes on")


def nudges(browser):
    """By the arrow keys; the bezels are chosen by a click between tiles."""
    browser.click("#adjust")
    wait_until(lambda: browser.text("#place") == "20 × 20 px", "the bezels")
    browser.press_at("#wall", .2, .2)
    wait_until(lambda: browser.text("#place").startswith("moved by 0"), "a tile is chosen")
    browser.press_at("#wall", .5, .2)
    browser.type("\ue014\ue014\ue014")
    wait_until(lambda: browser.text("#place") == "23 × 20 px", "three pixels more")
    browser.chord("\ue008", "\ue015")
    wait_until(lambda: browser.text("#place") == "23 × 30 px", "ten pixels more")
    wait_until(lambda: browser.js("const c = document.getElementById('wall'); return c.width / c.height") == 1006 / 660,
               "the picture has the wall's shape")
    browser.picture(f"{folder}/adjust.png")
    browser.click("#save-wall")
    wait_until(lambda: ".toml" in browser.text("#toasts") and browser.text("#kept") == "As saved", "it is saved")
    browser.js("document.getElementById('wall').focus()")
    browser.type("\ue00c")
    wait_until(lambda: browser.js("return document.getElementById('adjusting').hidden"), "Escape ends it")


def records(browser, wall):
    def keys():
        return [line["text"] for line in wall.json("GET", "/api/v1/log")["lines"] if line["rank"] == 1].count("key k")
    before = keys() + 1
    browser.click("#record")
    wait_until(lambda: browser.text("#record").startswith("End the recording"), "a recording")
    browser.press_at("#wall", .1, .1)
    browser.type("k")
    wait_until(lambda: wall.run()["recording"]["events"] >= 4, "its events")
    browser.click("#record")
    wait_until(lambda: ".jsonl" in browser.text("#captured"), "the recording is a link")
    wait_until(lambda: keys() == before, "the key")
    wait_until(lambda: browser.js("return !document.getElementById('replay').disabled"), "it is in the list")
    browser.click("#replay")
    wait_until(lambda: keys() == before + 1, "the key once more")


def reads_the_charts(browser):
    """A legend with values, those of the moment that the pointer or a key chooses, and a range."""
    browser.wait_for("return document.querySelectorAll('#charts polyline')[0]?.points.numberOfItems >= 3", "three seconds of figures")
    legends = browser.js("return [...document.querySelectorAll('.legend')].map((e) => e.children.length)")
    require(legends == [1, 2, 4, 4], f"the entries of the legends: {legends}, expected the wall, two quantiles and four ranks twice")
    browser.js("document.getElementById('charts').focus()")
    browser.type("\ue012")  # to the left
    browser.wait_for("return /at \\d\\d:\\d\\d:\\d\\d/.test(document.querySelector('figcaption').textContent)", "a moment is chosen by key")
    lines = browser.js("return document.querySelectorAll('.cursor').length")
    require(lines == 4, f"the moment is marked in {lines} charts, expected four")
    browser.type("\ue00c")
    browser.wait_for("return !document.querySelector('.cursor')", "it is now again")
    browser.move_to("#charts svg", .98, .5)
    browser.wait_for("return document.querySelector('.cursor')", "a moment is chosen by the pointer")
    browser.js("const e = document.getElementById('range'); e.value = '600'; e.dispatchEvent(new Event('change'))")
    require("10 min ago" in browser.text("#charts"), "the range is ten minutes")


def sees_its_colours(browser):
    """The live picture shows them while the wall is adjusted, and the program's own otherwise."""
    browser.click("#adjust")
    browser.press_at("#wall", .1, .1)
    wait_until(lambda: browser.text("#place").startswith("moved by"), "a tile is chosen")
    browser.js("const e = document.getElementById('brightness'); e.value = .5; e.dispatchEvent(new Event('input'))")
    wait_until(lambda: near(browser, .1, .1, (128, 0, 0)) and near(browser, .9, .1, (0, 255, 0)), "one tile is darker")
    browser.click("#adjust")
    wait_until(lambda: near(browser, .1, .1, (255, 0, 0)), "the program's colours")
    browser.click("#adjust")
    wait_until(lambda: near(browser, .1, .1, (128, 0, 0)), "darker again")
    browser.click("#reset-wall")
    wait_until(lambda: near(browser, .1, .1, (255, 0, 0)), "all is undone")
    browser.press_at("#wall", .5, .2)
    browser.click("#adjust")


def swipes(browser, wall):
    """A finger scrolls the page, also over the picture; a tap is a click, and with Drag the fingers are the program's."""
    def heard():
        return [line["text"] for line in wall.json("GET", "/api/v1/log")["lines"] if line["rank"] == 0 and line["text"].startswith(("mouse", "motion"))]
    browser.resize(390, 500, touch=True)
    browser.js("scrollTo(0, 0)")
    before = len(heard())
    x, y = browser.place_of("#wall", .3, .7)
    browser.swipe(x, y, -100)
    browser.wait_for("return scrollY > 20", "the page is scrolled")
    # A tap on a page that still glides only stops it.
    browser.wait_for("const at = scrollY; return new Promise((go) => setTimeout(() => go(scrollY === at), 300))", "it has come to rest")
    browser.js("scrollTo(0, 0)")
    x, y = browser.place_of("#wall", .3, .7)
    browser.swipe(x, y, 0)
    wait_until(lambda: len(heard()) >= before + 2, "a tap is a click")
    require([line.split()[:3] for line in heard()[before:]] == [["mouse", "0", "0"], ["mouse", "0", "1"]], f"the program heard {heard()[before:]}")
    browser.js("document.getElementById('drag').click()")
    at = browser.js("return scrollY")
    browser.swipe(x, y, -40)
    wait_until(lambda: heard()[-1].startswith("mouse 0 1") and any(line.startswith("motion") for line in heard()[before + 2:]), "with Drag it drags")
    require(browser.js("return scrollY") == at, f"with Drag the page is scrolled from {at} to {browser.js('return scrollY')}")
    browser.js("document.getElementById('drag').click()")
    browser.resize(1280, 1000)


def loses_its_connection(browser, proxy):
    proxy.cut()
    wait_until(lambda: "no connection" in browser.text("#state"), "the page says that it has no connection")
    proxy.open = True
    wait_until(lambda: browser.text("#state").startswith("running"), "the page has its connection again")
    first = int(browser.js("return document.getElementById('wall').dataset.pictures"))
    wait_until(lambda: int(browser.js("return document.getElementById('wall').dataset.pictures")) > first + 4, "live pictures again")


def sees_the_last_frame(browser):
    """Two frames, one right after the other, and then none: the second one stays, and equals the screenshot."""
    for _ in range(4):
        browser.type("2")
        wait_until(lambda: all(near(browser, x, y, (0, 255, 255)) for x in (.1, .9) for y in (.1, .9)), "the last frame on all tiles")
        wait_until(lambda: browser.js(DIFFERENCE) < 3, "the live picture is the screenshot's, but for 3 of 255")
        browser.type("2")
        wait_until(lambda: near(browser, .9, .1, (0, 255, 0)), "the program's picture again")


def saves_what_capture_does(browser, wall):
    """The program stands still: its last frame is the one of --capture."""
    browser.press_at("#wall", .3, .3)
    browser.type("s")
    wait_until(lambda: "key s" in browser.text("#log"), "the program stands still")
    sees_the_last_frame(browser)
    browser.click("#screenshot")
    wait_until(lambda: ".png" in browser.text("#captured"), "a screenshot")
    name = browser.js("return document.querySelector('#captured a').download")
    browser.click("#quit")
    browser.wait_for("return document.getElementById('confirm').open", "a question")
    browser.click("#confirm-yes")
    wait_until(lambda: wall.process.poll() is not None, "the end")
    with open(f"{folder}/{name}", "rb") as screenshot, open(f"{folder}/capture.png", "rb") as capture:
        differ = Picture(screenshot.read()).differs(Picture(capture.read()))
    require(differ == 0, f"{name} and --capture differ in {differ} pixels")


def other_sizes(browser):
    browser.prefer("dark")
    browser.picture(f"{folder}/dark.png")
    browser.resize(360, 780)
    require(browser.js(WIDE) <= 0, f"at 360 pixels the page is {browser.js(WIDE)} too wide")
    browser.picture(f"{folder}/narrow.png")
    browser.prefer("light")
    browser.resize(1280, 1000)


def second_browser(browser, wall):
    with Browser(f"{folder}/failed-second.png") as other:
        other.open(wall.link)
        wait_until(lambda: other.text("#state").startswith("running"), "the second page")
        browser.press_at("#wall", .1, .1)
        wait_until(lambda: browser.text("#control") == "Give up control", "the first browser has control")
        other.press_at("#wall", .2, .2)
        wait_until(lambda: "has control" in other.text("#toasts"), "the second browser is refused")
        wait_until(lambda: browser.js("return document.querySelectorAll('#pointers span').length") == 1, "its pointer in the first")
        other.click("#control")
        wait_until(lambda: "asks for control" in browser.text("#toasts"), "it asks")
        browser.js("[...document.querySelectorAll('.toast button')].find((e) => /^Give/.test(e.textContent)).click()")
        wait_until(lambda: "Give up" in other.text("#control"), "it has control")


def test():
    with Wall([launcher, "--headless", "--wall", "2x2@240x150+20+20", "--capture", f"{folder}/capture.png", "--control", "0",
               "--captures", folder, "--", program]) as wall, Browser(f"{folder}/failed.png") as browser:
        wall.wait_for_frames()
        proxy = Proxy(wall.port)
        browser.open(wall.link.replace(f":{wall.port}", f":{proxy.port}"))
        wait_until(lambda: browser.text("#state").startswith("running"), "the page says running")
        require(browser.js("return location.search") == "", "the token stays in the address")
        sees_the_wall(browser)
        touches_it(browser, wall)
        uses_the_menu(browser, wall)
        uses_the_tools(browser)
        sees_the_gallery(browser, wall)
        require(wall.run()["divergences"] == 0, "the tools make ranks diverge")
        require(browser.js(NAMELESS) == [], f"controls without a name: {browser.js(NAMELESS)}")
        browser.wait_for("return document.querySelectorAll('#charts polyline').length >= 11", "charts")
        browser.picture(f"{folder}/light.png")
        sees_a_tile_hang(browser, wall)
        second_browser(browser, wall)
        reads_the_charts(browser)
        sees_its_colours(browser)
        swipes(browser, wall)
        nudges(browser)
        records(browser, wall)
        other_sizes(browser)
        require(browser.complaints() == [], f"the browser complains: {browser.complaints()}")
        loses_its_connection(browser, proxy)
        saves_what_capture_does(browser, wall)
        wait_until(lambda: "ended normally" in browser.text("#trouble-title"), "the page says that the end was a normal one")
        time.sleep(1)
        require("connection" not in browser.text("header"), f"an end is no loss of connection: {browser.text('header')}")


main(test)
