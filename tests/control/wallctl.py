"""wallctl against walld: each command, each exit status, and how it finds the wall.  wallctl.py WALLD PROGRAM FOLDER"""
import http.server
import json
import os
import shutil
import stat
import subprocess
import sys
import threading

from wall import PATIENCE, Wall, main, require, wait_until

walld, program, folder = sys.argv[1:4]
wallctl = os.path.join(os.path.dirname(walld), "wallctl")
runtime = os.path.join(folder, "runtime")
WAIT = str(60 * PATIENCE)


def call(*arguments, expect=0, says="", cwd=None, **environment):
    found = subprocess.run([sys.executable, wallctl, *arguments], capture_output=True, text=True, timeout=60 * PATIENCE,
                           env={**os.environ, **environment}, stdin=subprocess.DEVNULL, cwd=cwd)
    what = f"wallctl {' '.join(arguments)}: {found.returncode}, {found.stdout[:300]}{found.stderr[:300]}"
    require(found.returncode == expect, f"{what}, expected {expect}")
    require(says in (found.stderr if expect else found.stdout), f"{what}, expected '{says}'")
    return found.stdout


def finds(wall):
    files = os.listdir(os.path.join(runtime, "pixmpi-walls"))
    require(files == [f"{wall.port}.json"], f"the links: {files}, expected one")
    mode = stat.S_IMODE(os.stat(os.path.join(runtime, "pixmpi-walls", files[0])).st_mode)
    require(mode == 0o600, f"the link's file: {mode:o}, expected 600")
    call("status", says="no program is running")
    call("--port", str(wall.port), "status")
    call("--port", "1", "status", expect=3, says="no wall", WALL_LINK=wall.link)
    nowhere = os.path.join(folder, "nowhere")
    call("status", expect=3, says="no wall", XDG_RUNTIME_DIR=nowhere)
    call("status", XDG_RUNTIME_DIR=nowhere, WALL_LINK=wall.link)
    os.makedirs(nowhere, exist_ok=True)
    shutil.copytree(os.path.join(runtime, "pixmpi-walls"), os.path.join(folder, "elsewhere"))
    os.symlink(os.path.join(folder, "elsewhere"), os.path.join(nowhere, "pixmpi-walls"))
    call("status", expect=3, says="no wall", XDG_RUNTIME_DIR=nowhere)  # where a link leads may be another user's by now
    os.remove(os.path.join(nowhere, "pixmpi-walls"))
    os.rename(os.path.join(folder, "elsewhere"), os.path.join(nowhere, "pixmpi-walls"))
    os.chmod(os.path.join(nowhere, "pixmpi-walls"), 0o777)
    call("status", expect=3, says="no wall", XDG_RUNTIME_DIR=nowhere)  # others may have written it
    os.chmod(os.path.join(nowhere, "pixmpi-walls"), 0o700)
    call("status", XDG_RUNTIME_DIR=nowhere)
    shutil.rmtree(nowhere)
    link_file = os.path.join(folder, "link")
    with open(link_file, "w", encoding="utf-8") as file:
        file.write(wall.link + "\n")
    call("status", XDG_RUNTIME_DIR=nowhere, WALL_LINK_FILE=link_file)
    call("status", expect=2, says="WALL_LINK_FILE", WALL_LINK_FILE=nowhere)
    call("--link", wall.link, "status", XDG_RUNTIME_DIR=nowhere)
    call("--link", wall.link[:-1], "status", expect=4, says="token")
    call("--link", "http://127.0.0.1:1/?token=x", "status", expect=3, says="does not answer")
    for wrong in ("nonsense", "ftp://a/?token=x", "http://a:b/?token=x", "http://localhost:8080/"):
        call("--link", wrong, "status", expect=2, says="link: expected")


def logs(lines, *words):
    """Waits until the log has this many such lines."""
    def found():
        return len(call("log", *words).splitlines()) == lines
    wait_until(found, f"{lines} lines of wallctl log {' '.join(words)}")


def health(wall):
    """Its line is on standard output whatever the status, so that what runs it has it."""
    def is_(word, status, *arguments, **environment):
        found = subprocess.run([sys.executable, wallctl, *arguments], capture_output=True, text=True, timeout=60 * PATIENCE,
                               env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
        require(found.returncode == status and found.stdout.startswith(f"{word}: ") and found.stdout.count("\n") == 1,
                f"wallctl {arguments}: {found.returncode}, {found.stdout}{found.stderr}, expected {word}, {status}")
        return found.stdout
    is_("down", 2, "health")
    is_("down", 2, "health", XDG_RUNTIME_DIR=os.path.join(folder, "nowhere"))
    is_("down", 2, "--link", "http://127.0.0.1:1/?token=x", "health")
    is_("unknown", 3, "--link", wall.link[:-1], "health")
    call("health", "now", expect=3, says="now")
    call("--timeout", "x", "health", expect=3, says="--timeout")
    call("start", "subject", "--wait", WAIT)
    wait_until(lambda: all(tile["state"] == "running" for tile in wall.run()["tiles"]), "both tiles run")
    def well():  # on a busy machine a tile is late now and then
        made = subprocess.run([sys.executable, wallctl, "health", *json_], capture_output=True, text=True, timeout=60 * PATIENCE,
                              stdin=subprocess.DEVNULL)
        return made.returncode == 0 and made.stdout
    json_ = ()
    line = wait_until(well, "the wall is well")
    require(line.startswith("well: ") and ": 2 tiles | fps=" in line and "tiles=2 bad=0" in line, f"{line}: expected tiles and figures")
    json_ = ("--json",)
    found = json.loads(wait_until(well, "the wall is well, in JSON"))
    require(found["health"] == "well" and found["exit_status"] == 0, f"{found}")
    call("stop", "subject", "--wait", WAIT)
    require("ended with 0" in is_("down", 2, "health"), "what has ended, and how")


def commands(wall):
    call("programs", says="subject")
    for words in ((), ("nothing",), ("start",), ("stop", "--wait", "x"), ("--timeout", "0", "status")):
        call(*words, expect=2)
    call("screenshot", expect=1, says="no program is running")  # the last one has ended
    call("start", "none of these", expect=1, says="program")
    call("start", "short", "--wait", WAIT, expect=1, says="ended with 3")
    call("start", "subject", "--wait", WAIT)
    call("start", "subject", expect=1, says="running")
    for show, shows in (("blank", "black"), ("identify", "identify"), ("pattern", "pattern"), ("freeze", "frozen"),
                        ("picture", "picture")):
        call(show)
        shown = json.loads(call("--json", "status"))["run"]["shows"]
        require(shown == shows, f"after {show}: shows {shown}, expected {shows}")
    require(len(call("status").splitlines()) == 3, "the status has the run and two tiles")
    picture = os.path.join(folder, "picture.png")
    call("screenshot", picture, says=picture)
    with open(picture, "rb") as file:
        require(file.read(4) == b"\x89PNG", "the screenshot is no PNG")
    call("screenshot", os.path.join(folder, "none", "a.png"), expect=2, says="FILE")
    here = os.path.join(folder, "here")
    os.makedirs(here)
    names = [call("screenshot", says="wall-", cwd=here).strip() for _ in range(2)]
    require(sorted(os.listdir(here)) == sorted(set(names)) and len(names) == 2, f"two screenshots are {os.listdir(here)}")
    call("input", '{"type": "key", "key": "a", "down": true}')
    call("input", '{"type": "key"}', expect=1, says="events[0]")
    call("input", "{", expect=2, says="EVENTS")
    logs(2, "--filter", "key a")
    call("log", "--filter", "key a", says="0: key a")
    call("figures")
    call("wall", says="bezels 0 x 0 px, as saved")
    call("nudge", "bezels", "12", "0", says="332 x 105 px, bezels 12 x 0 px, not saved")
    call("nudge", "(1,0)", "-2", "1", says="160x105+170+1, moved by -2 x 1")
    call("nudge", "none", "1", "0", expect=1, says="(1,0)")
    call("nudge", "bezels", "x", "0", expect=2)
    call("colour", "0", "--brightness", "0.5", "--colour", "1", "0.9", "1", says="brightness 0.5, gamma 1, colour 1 0.9 1")
    call("colour", "0", "--gamma", "0", expect=1, says="gamma")
    saved = call("save-wall", says=".toml").strip()
    with open(os.path.join(folder, saved), encoding="utf-8") as file:
        require("bezel = [12, 0]" in file.read(), f"{saved} lacks the bezels")
    call("nudge", "bezels", "1", "0")
    call("reset-wall", says="330 x")
    call("record", "start", says=".jsonl")
    call("input", '{"type": "key", "key": "w", "down": true}')
    logs(2, "--filter", "key w")
    wait_until(lambda: wall.run()["recording"]["events"] >= 1, "the key in the recording")
    recording = call("record", "end", says=".jsonl").strip()
    call("replay", recording, "--wait", WAIT)
    logs(4, "--filter", "key w")  # two ranks have had the key twice
    call("replay", expect=1, says="nothing is being replayed")
    for words, option in ((("replay", "--wait", "1"), "--wait"), (("stop", "subject", "--now"), "--now"),
                          (("--json", "screenshot", "-"), "--json"), (("--link", "http://a/?token=x", "--port", "1", "status"), "--port"),
                          (("--link", "http://a/?token=x", "--certificate", "a.pem", "status"), "--certificate")):
        call(*words, expect=2, says=f"{option}: expected")
    call("restart", "subject", "--wait", WAIT)
    call("stop", "short", expect=1, says="not running")
    call("stop", "subject", "--wait", WAIT)
    call("start", "subject", "--clock", "step", expect=1, says="clock: expected wall, off or step:HZ")
    call("start", "subject", "--clock", "step:50", "--wait", WAIT)
    clock = json.loads(call("--json", "status"))["run"]["clock"]
    require(clock == "step:50", f"the clock: {clock}, expected step:50")
    call("stop", "--now", "--wait", WAIT)
    call("screenshot", expect=1)


def names_nothing():
    """A server that gives its picture the name of a file of the user's."""
    class Evil(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.send_response(200)
            self.send_header("x-capture", "../.bashrc")
            self.end_headers()
            self.wfile.write(b"evil")

        def log_message(self, *_):
            pass
    here = os.path.join(folder, "there")
    os.makedirs(here)
    with http.server.HTTPServer(("127.0.0.1", 0), Evil) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        call("--link", f"http://127.0.0.1:{server.server_port}/?token=x", "screenshot", cwd=here, says="wall-")
    require(not os.path.exists(os.path.join(folder, ".bashrc")) and len(os.listdir(here)) == 1, "the server names files")


def test():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(runtime, mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = runtime
    apps = os.path.join(folder, "apps.toml")
    with open(apps, "w", encoding="utf-8") as file:
        file.write(f'[[app]]\nname = "subject"\ncommand = {json.dumps(program)}\n'
                   '[[app]]\nname = "short"\ncommand = "/bin/sh"\narguments = ["-c", "exit 3"]\n')
    with Wall([walld, "2x1@160x105", "--apps", apps, "--port", "0", "--headless", "--captures", folder]) as wall:
        finds(wall)
        health(wall)
        commands(wall)
        names_nothing()
    require(not os.listdir(os.path.join(runtime, "pixmpi-walls")), "the server has left its link behind")


main(test)
