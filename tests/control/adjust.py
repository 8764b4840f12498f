"""The wall is adjusted while a program runs: bezels, places and colours, on a screen that can be looked at; with turned
tiles, and with --balance. Input is recorded and played again.  adjust.py MPIGLUTRUN PROGRAM FOLDER"""
import json
import os
import shutil
import sys
import time

from picture import Picture
from screen import Screen
from wall import Wall, main, require, wait_until

launcher, program, folder = sys.argv[1:4]
RED, GREEN, BLUE, YELLOW, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (0, 0, 0)
LAB = """# the lab's wall
[grid]
columns = 2
rows = 2
tile = [160, 100]
bezel = 20      # measured on Monday

[[tile]]        # upside down
column = 1
row = 1
rotation = 180
"""


def near(a, b):
    return all(abs(x - y) <= 2 for x, y in zip(a, b))


def screenshot(wall):
    status, png, _ = wall.ask("POST", "/api/v1/screenshot")
    require(status == 200, f"screenshot: {status} {png[:200]}")
    return Picture(png)


def is_wall(wall, picture, bezels, tiles):
    """The program's quarters at the places where tiles show them, black between tiles."""
    width, height = 2 * 160 + bezels[0], 2 * 100 + bezels[1]
    require((picture.width, picture.height) == (width, height),
            f"the wall is {picture.width}x{picture.height}, expected {width}x{height}")
    for rank, (x, y) in enumerate(tiles):
        for at_x, at_y in ((x + 2, y + 2), (x + 157, y + 97)):
            expected = [[RED, GREEN], [BLUE, YELLOW]][at_y >= height / 2][at_x >= width / 2]
            seen = picture.at(at_x, at_y)
            require(seen == expected or seen == (255, 255, 255), f"tile {rank} shows {seen} at {at_x}, {at_y}, expected {expected}")
    require(picture.at(160 + bezels[0] // 2, 5) == BLACK, "the bezel is black")


def nudges(wall):
    is_wall(wall, screenshot(wall), (20, 20), [(0, 0), (180, 0), (0, 120), (180, 120)])
    answer = wall.json("POST", "/api/v1/wall/nudge", {"target": "bezels", "by": [14, -10]})
    require(answer["bezels"] == [34, 10] and answer["changed"], f"the bezels: {answer}, expected 34 x 10")
    is_wall(wall, screenshot(wall), (34, 10), [(0, 0), (194, 0), (0, 110), (194, 110)])
    for _ in range(5):
        wall.json("POST", "/api/v1/wall/nudge", {"target": 1, "by": [-1, 1]})
    require(wall.run()["tiles"][1]["rect"] == [189, 5, 160, 100], f"tile 1: {wall.run()['tiles'][1]['rect']}, expected at 189, 5")
    picture = screenshot(wall)
    is_wall(wall, picture, (34, 10), [(0, 0), (189, 5), (0, 110), (194, 110)])
    require(picture.at(200, 2) == BLACK, "nothing is above a tile that was moved down")
    answer = wall.json("POST", "/api/v1/wall/reset", {})
    require(not answer["changed"], "all is undone")
    is_wall(wall, screenshot(wall), (20, 20), [(0, 0), (180, 0), (0, 120), (180, 120)])
    for body, status in (({"target": 4, "by": [1, 0]}, 409), ({"target": "bezels", "by": [1.5, 0]}, 400), ({"by": [1, 0]}, 400),
                         ({"target": "bezels", "by": [-10001, 0]}, 400), ({"target": 0, "by": 3}, 400)):
        found = wall.ask("POST", "/api/v1/wall/nudge", json.dumps(body))
        require(found[0] == status, f"nudge {body}: {found}, expected {status}")


def corrects(wall, screen, corners):
    """Corners: of the tiles' windows on the screen."""
    def shows(*colours):
        seen = [screen.pixel(x + 40, y + 30) for x, y in corners]
        return all(near(a, b) for a, b in zip(seen, colours))
    wait_until(lambda: shows(RED, GREEN, BLUE, YELLOW), "the program's colours")
    wall.json("POST", "/api/v1/wall/colour", {"tile": 0, "brightness": 0.5})
    wall.json("POST", "/api/v1/wall/colour", {"tile": 3, "colour": [1, 0.25, 1]})
    wait_until(lambda: shows((128, 0, 0), GREEN, BLUE, (255, 64, 0)), "two tiles' colours")
    require(screenshot(wall).at(5, 5) == RED, "a screenshot has the program's colours")
    wall.json("POST", "/api/v1/show", {"show": "identify"})
    plain, half = (screen.pixel(corners[1][0] + 4, corners[1][1] + 4), screen.pixel(corners[0][0] + 4, corners[0][1] + 4))
    wait_until(lambda: sum(screen.pixel(corners[0][0] + 4, corners[0][1] + 4)) not in (128, 0), f"identify: {plain} {half}")
    wall.json("POST", "/api/v1/show", {"show": "picture"})
    wall.json("POST", "/api/v1/input", {"events": [{"type": "key", "key": "g", "down": True}]})
    wall.json("POST", "/api/v1/wall/colour", {"tile": 1, "gamma": 2})
    grey = (64, 64, 64)
    wait_until(lambda: shows((32, 32, 32), (128, 128, 128), grey, (64, 16, 64)), "gamma and brightness of grey")
    wall.json("POST", "/api/v1/wall/brightness", {"brightness": 0.5})
    wait_until(lambda: shows((16, 16, 16), (64, 64, 64), (32, 32, 32), (32, 8, 32)), "half the brightness of each tile")
    wall.json("POST", "/api/v1/wall/reset", {})
    wait_until(lambda: shows((32, 32, 32), (32, 32, 32), (32, 32, 32), (32, 32, 32)), "no correction except the brightness of all")
    require(not wall.json("GET", "/api/v1/wall")["changed"], "which is none of the wall file's")
    wall.json("POST", "/api/v1/wall/brightness", {"brightness": 1})
    wait_until(lambda: shows(grey, grey, grey, grey), "no correction any more")
    wall.json("POST", "/api/v1/input", {"events": [{"type": "key", "key": "g", "down": True}]})
    wait_until(lambda: shows(RED, GREEN, BLUE, YELLOW), "the program's colours again")
    for body in ({"tile": 0, "gamma": 0}, {"tile": -1}, {"tile": 0, "colour": [1, 1]}, {"tile": 0, "brightness": "1"}):
        found = wall.ask("POST", "/api/v1/wall/colour", json.dumps(body))
        require(found[0] == 400, f"colour {body}: {found}, expected 400")


def saves(wall, file):
    wall.json("POST", "/api/v1/wall/nudge", {"target": "bezels", "by": [2, 0]})
    wall.json("POST", "/api/v1/wall/nudge", {"target": 3, "by": [0, 4]})
    wall.json("POST", "/api/v1/wall/colour", {"tile": 3, "gamma": 1.2})
    require(wall.json("POST", "/api/v1/wall/save", {})["file"] == file, "it is saved in the wall file")
    with open(file) as saved:
        text = saved.read()
    expected = LAB.replace("bezel = 20 ", "bezel = [22, 20] ").replace("down\n", "down\ngamma = 1.2\nnudge = [0, 4]\n")
    require(text == expected, f"the wall file: {text}, expected {expected}")
    with open(file, "a") as other:
        other.write("# somebody else\n")
    wall.json("POST", "/api/v1/wall/nudge", {"target": 3, "by": [0, 1]})
    status, answer, _ = wall.ask("POST", "/api/v1/wall/save", "{}")
    require(status == 409 and b"changed" in answer, f"a file that has changed: {status} {answer}, expected 409")
    wall.json("POST", "/api/v1/wall/reset", {})


def said(wall, rank):
    return [line["text"] for line in wall.json("GET", "/api/v1/log")["lines"] if line["rank"] == rank]


def records(wall):
    require(wall.ask("POST", "/api/v1/record/end", "{}")[0] == 409, "nothing is recorded")
    wall.json("POST", "/api/v1/record", {})
    require(wall.ask("POST", "/api/v1/record", "{}")[0] == 409, "one recording at a time")
    events = [{"type": "key", "key": "r", "down": True}, {"type": "mouse", "x": 300, "y": 200, "button": 0, "down": True},
              {"type": "move", "x": 301, "y": 202}, {"type": "mouse", "x": 301, "y": 202, "button": 0, "down": False}]
    wall.json("POST", "/api/v1/input", {"events": events})
    wait_until(lambda: all("mouse 0 1 301 202" in said(wall, rank) for rank in range(4)), "the input arrives")
    wait_until(lambda: wall.run()["recording"]["events"] >= 4, "its events in the recording")
    made = wall.json("POST", "/api/v1/record/end", {})
    name = made["recording"]
    require(made["events"] >= 4 and name in wall.json("GET", "/api/v1/captures")["captures"], f"the recording: {made}")
    before = said(wall, 2)
    wanted = [text for text in before if text != "key g"]
    wall.json("POST", "/api/v1/replay", {"recording": name})
    wait_until(lambda: said(wall, 2) == before + wanted, f"{wanted} once more")
    wait_until(lambda: not wall.run()["replay"]["runs"], "the replay is over")
    wall.json("POST", "/api/v1/input", {"events": [{"type": "key", "key": "z", "down": True}]})
    wait_until(lambda: said(wall, 0)[-1] == "key z", "devices have the wall again")
    for body, status in (({"recording": "wall-none.jsonl"}, 404), ({"recording": "../" + name}, 404), ({}, 400)):
        found = wall.ask("POST", "/api/v1/replay", json.dumps(body))
        require(found[0] == status, f"replay {body}: {found}, expected {status}")
    long = os.path.join(folder, "wall-long.jsonl")
    with open(long, "w") as file:
        file.write('{"mpiglut":"input","version":1,"width":1,"height":1}\n')
        for number in range(3000):
            file.write(json.dumps({"frame": 0, "after": 0, "kind": "passive", "window": 1, "x": number, "y": 1}) + "\n")
        file.write('{"frame":1000000,"after":0,"kind":"key","window":1,"a":120}\n')
    wall.json("POST", "/api/v1/replay", {"recording": "wall-long.jsonl"})
    require(wall.run()["replay"]["runs"], "a long replay")
    time.sleep(1)
    wall.json("POST", "/api/v1/replay/end", {})
    wait_until(lambda: not wall.run()["replay"]["runs"], "the replay is ended")
    require("key x" not in said(wall, 0), "what lay ahead is not played")


def run(arguments, test, **environment):
    os.environ.update(environment)
    with Wall([launcher, *arguments, "--control", "0", "--captures", folder, "--", program]) as wall:
        wall.wait_for_frames()
        test(wall)
        require(wall.run()["divergences"] == 0, "the ranks go the same way")


def test():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    file = os.path.join(folder, "lab.toml")
    with open(file, "w") as lab:
        lab.write(LAB)
    screen = Screen(800, 600)
    corners = [(0, 0), (180, 0), (0, 120), (180, 120)]
    try:
        os.environ["DISPLAY"] = screen.display
        run(["--wall", file], lambda wall: (nudges(wall), corrects(wall, screen, corners), records(wall), saves(wall, file)))
        for balance in ["--balance"], ["--balance", "latency:1"]:
            with open(file, "w") as lab:
                lab.write(LAB)
            run(["--wall", file, *balance], lambda wall: (nudges(wall), corrects(wall, screen, corners)), MPIGLUT_BALANCE="force")
    finally:
        screen.end()


if not shutil.which("Xvfb"):
    print("skipped: Xvfb is missing (Debian: xvfb)")
    sys.exit(77)
main(test)
