"""The operator ends a program of X11: it is asked to close its window, on all ranks, and ends by itself. One that stays is
ended the second time.
closing.py MPIGLUTRUN PROGRAM FOLDER"""
import os
import shutil
import sys

from wall import PATIENCE, Wall, main, require, wait_until

launcher, program, folder = sys.argv[1:4]
TILES = ["(0,0)", "(1,0)", "(0,1)", "(1,1)"]


def start(*arguments):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return Wall([launcher, "--control", "0", "--captures", folder, "--wall", "2x2@200x150", "--headless", "--system", "x11",
                 "--output", "all", "--", program, *arguments])


def say(wall, what):
    """The tiles whose program has said it."""
    return [tile for tile in TILES if any(tile in line and what in line for line in list(wall.printed))]


def end(wall):
    wall.json("POST", "/api/v1/quit", {})


def wait_for_end(wall):
    status = wall.process.wait(60 * PATIENCE)
    require(status == 0, f"the run ended with {status}, expected 0")
    require(not any("divergence" in line for line in wall.printed), "the ranks go the same way")


def closes():
    with start() as wall:
        wall.wait_for_frames()
        end(wall)
        wait_for_end(wall)
        wait_until(lambda: say(wall, "done") == TILES, "all have ended by themselves")
        require(say(wall, "asked to close") == TILES, f"asked: {say(wall, 'asked to close')}, expected {TILES}")


def stays():
    with start("stays") as wall:
        wall.wait_for_frames()
        end(wall)
        wait_until(lambda: say(wall, "asked to close") == TILES, "all are asked")
        wall.wait_for_frames(wall.run()["frames"] + 3)
        end(wall)
        wait_for_end(wall)
        require(say(wall, "done") == [], f"ended: {say(wall, 'done')} said that they end by themselves")


def test():
    closes()
    stays()


main(test)
