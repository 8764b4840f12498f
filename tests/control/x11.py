"""Programs of X11: the operator ends one, which is asked to close its window, on all ranks, and ends by itself; one that
stays is ended the second time. The live picture has what is drawn by X requests.
x11.py MPIGLUTRUN PROGRAM PROGRAM-WITHOUT-OPENGL FOLDER"""
import os
import shutil
import socket
import sys
from http.client import HTTPException

from interface_socket import say as send, upgrade
from wall import PATIENCE, Failed, Wall, main, require, wait_until

launcher, program, drawn, folder = sys.argv[1:5]
TILES = ["(0,0)", "(1,0)", "(0,1)", "(1,1)"]


def start(program, *arguments):
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


def has_ended(wall):
    """Ends it once more: after half a minute it is asked anew, and that may have gone by."""
    try:
        end(wall)
    except (OSError, HTTPException, Failed):
        pass  # it has gone
    return wall.process.poll() is not None


def closes():
    with start(program) as wall:
        wall.wait_for_frames()
        end(wall)
        wait_for_end(wall)
        wait_until(lambda: say(wall, "done") == TILES, "all have ended by themselves")
        require(say(wall, "asked to close") == TILES, f"asked: {say(wall, 'asked to close')}, expected {TILES}")


def stays():
    with start(program, "stays") as wall:
        wall.wait_for_frames()
        end(wall)
        wait_until(lambda: say(wall, "asked to close") == TILES, "all are asked")
        wall.wait_for_frames(wall.run()["frames"] + 3)
        wait_until(lambda: has_ended(wall), "it ends")
        wait_for_end(wall)
        require(say(wall, "done") == [], f"ended: {say(wall, 'done')} said that they end by themselves")


def is_seen():
    """The heads of live pictures say that they lie below all windows, for each rank."""
    with start(drawn, f"{folder}/screen.ppm", "input") as wall:
        status, one, heard = upgrade(wall, f"Authorization: Bearer {wall.token}", f"Origin: http://localhost:{wall.port}")
        require(status == 101, f"a WebSocket: {status}, expected 101")
        send(one, b'{"live": true}')
        one.settimeout(0.2)

        def heard_of_all():
            nonlocal heard
            try:
                heard += one.recv(1 << 20)
            except socket.timeout:
                pass
            return all(f'"layer":-1,"rank":{rank},'.encode() in heard for rank in range(4))

        wait_until(heard_of_all, "pictures of all tiles")


def test():
    closes()
    stays()
    is_seen()


main(test)
