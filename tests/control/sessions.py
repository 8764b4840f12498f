"""A bookmark outlives the server: sessions are kept as hashes in a file of the user's own, and can be revoked. An old link
says what to do. A browser that has control keeps others from changing the wall.  sessions.py WALLD PROGRAM FOLDER"""
import json
import os
import random
import re
import shutil
import socket
import stat
import subprocess
import sys

from interface_socket import say, upgrade
from wall import PATIENCE, Wall, main, require, wait_until

server, program, folder = sys.argv[1:4]
state, runtime = f"{folder}/state", f"{folder}/runtime"


def free_port():
    """One that stays free between two servers: none of those that the system gives to who asks for any."""
    while True:
        try:
            with socket.create_server(("127.0.0.1", random.randrange(10000, 20000))) as one:
                return one.getsockname()[1]
        except OSError:
            pass


def wallctl(*arguments):
    found = subprocess.run([sys.executable, os.path.join(os.path.dirname(server), "wallctl"), *arguments], capture_output=True,
                           text=True, timeout=60 * PATIENCE)
    return found.returncode, found.stdout + found.stderr


def start(port, *more):
    return Wall([server, "1x1@120x90", "--headless", "--apps", f"{folder}/apps.toml", "--captures", folder, "--port", str(port), *more])


def session(wall, token):
    status, _, headers = wall.ask("GET", f"/?token={token}", token=False)
    require(status == 200 and "Max-Age=2592000" in headers["set-cookie"], f"a session of 30 days: {status} {headers}")
    return headers["set-cookie"].split(";")[0]


def with_cookie(wall, cookie, method="GET", path="/api/v1/status"):
    return wall.ask(method, path, "{}" if method == "POST" else None, False, {"Cookie": cookie})[0]


def kept():
    """What is in the file, which only this user can read."""
    folder_of_it = f"{state}/pixmpi-walls"
    (name,) = os.listdir(folder_of_it)
    for path, expected in ((folder_of_it, 0o700), (f"{folder_of_it}/{name}", 0o600)):
        mode = stat.S_IMODE(os.stat(path).st_mode)
        require(mode == expected, f"{path}: {mode:o}, expected {expected:o}")
    with open(f"{folder_of_it}/{name}") as file:
        return file.read()


def survives(port):
    with start(port) as wall:
        operates = session(wall, wall.token)
        looks = session(wall, next(line.split("token=")[1].strip() for line in list(wall.printed) if "looking" in line))
        gone = session(wall, wall.token)
        require(with_cookie(wall, gone, "POST", "/api/v1/logout") == 200, "logging out")
        text, old = kept(), wall.token
        for secret in (operates, looks, gone, old):
            require(secret.split("=")[-1] not in text, f"the file has a secret: {text}")
    with start(port) as wall:
        require(wall.token != old, "each start has a token of its own")
        require(with_cookie(wall, operates) == 200, "a session from before the restart")
        require(with_cookie(wall, looks) == 200 and with_cookie(wall, looks, "POST", "/api/v1/quit") == 403, "one for looking stays one")
        require(with_cookie(wall, gone) == 401, "what was logged out stays so")
        require(wall.ask("GET", "/", token=False, headers={"Cookie": operates})[0] == 200, "a bookmark opens the page")
        old_link(wall, old)
        require(wallctl("link") == (0, wall.link + "\n"), f"wallctl link: {wallctl('link')}, expected {wall.link}")
        require("token=" in wallctl("link", "--look")[1] and wall.token not in wallctl("link", "--look")[1], "the link for looking")
        require(wallctl("revoke")[0] == 0, "wallctl revoke")
        require(with_cookie(wall, operates) == with_cookie(wall, looks) == 401, "all sessions are over")
        kept_until = session(wall, wall.token)
    with start(port) as wall:
        require(with_cookie(wall, operates) == 401 and with_cookie(wall, kept_until) == 200, "revoked for good, the later one not")
    with start(port, "--forget-sessions") as wall:
        require(with_cookie(wall, kept_until) == 401 and json.loads(kept())["sessions"] == [], "--forget-sessions")
        exposed = session(wall, wall.token)
    os.chmod(next(os.scandir(f"{state}/pixmpi-walls")).path, 0o644)
    with start(port) as wall:
        require(with_cookie(wall, exposed) == 401, "a file that others could read counts as none")
        require(with_cookie(wall, session(wall, wall.token)) == 200, "new sessions are kept again")
        require(json.loads(kept())["cookie"] == session(wall, wall.token).split("=")[0], "it is replaced")


def old_link(wall, token):
    status, page, headers = wall.ask("GET", f"/?token={token}", token=False)
    require(status == 401 and headers["content-type"].startswith("text/html"), f"an old link: {status} {headers}, expected a page")
    require(b"wallctl link" in page and wall.token.encode() not in page, f"it says what to do, and no token: {page}")
    require(wall.ask("GET", "/stranger.css", token=False)[0] == 200 and wall.ask("GET", "/page.css", token=False)[0] == 401, "its style")
    status, answer, _ = wall.ask("GET", "/api/v1/status", token=False)
    require(status == 401 and b"token" in json.loads(answer)["error"].encode(), f"scripts get JSON: {status} {answer}")


def hello(wall, cookie):
    """A browser's connection, and its number at the server."""
    _, one, heard = upgrade(wall, f"Cookie: {cookie}", f"Origin: http://localhost:{wall.port}")
    while not (found := re.search(rb'"client":(\d+),', heard)):
        some = one.recv(65536)
        require(some, "the server says hello")
        heard += some
    return one, int(found.group(1))


def control(port):
    """All that changes the wall needs control; looking and pictures do not."""
    with start(port) as wall:
        cookies = [session(wall, wall.token) for _ in range(2)]
        browsers = [hello(wall, cookie) for cookie in cookies]
        names = [name for _, name in browsers]
        holds, other = [dict(cookie=cookie, client=name) for cookie, name in zip(cookies, names)]

        def post(who, path, query=""):
            headers, query = {}, f"?{query}" if query else ""
            if who:
                headers, query = {"Cookie": who["cookie"]}, f"?client={who['client']}&{query[1:]}"
            return wall.ask("POST", path + query, "{}", token=not who, headers=headers)[0]
        start_path = "/api/v1/programs/subject/start"
        require(post(None, "/api/v1/programs/none/start") == 404, "nobody has control: a script may")
        require(post(holds, start_path) == 200, "a browser takes control that nobody has")
        wall.wait_for_frames()
        changing = ["input", "show", "quit", "film", "film/end", "wall/nudge", "wall/colour", "wall/reset", "wall/save", "record",
                    "record/end", "replay", "replay/end", "programs/subject/start", "programs/subject/stop", "programs/subject/restart"]
        for path in changing:
            for who in (other, None, {**other, "client": holds["client"]}):
                require(post(who, f"/api/v1/{path}") == 423, f"{path} by another one: {post(who, f'/api/v1/{path}')}, expected 423")
        require(post(other, "/api/v1/screenshot") == 200 and wall.run()["state"] == "running", "a picture changes nothing")
        require(post(holds, "/api/v1/wall/reset") == 200, "who has control may")
        require(wallctl("blank")[0] == 1 and "has it" in wallctl("blank")[1], f"wallctl is told: {wallctl('blank')}")
        require(wallctl("--take-control", "blank")[0] == 0 and wall.run()["shows"] == "black", "wallctl takes control")
        require(post(other, "/api/v1/wall/reset") == 200 and post(holds, "/api/v1/wall/reset") == 423, "then it is free for others")
        say(browsers[0][0], b'{"control": "take"}')
        wait_until(lambda: post(holds, "/api/v1/wall/reset") == 200, "a browser takes control from another one")
        for one, _ in browsers:
            one.close()
        wait_until(lambda: post(None, "/api/v1/wall/reset") == 200, "control ends with the browser")


def test():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(runtime, mode=0o700)
    os.environ.update(XDG_STATE_HOME=state, XDG_RUNTIME_DIR=runtime)
    with open(f"{folder}/apps.toml", "w") as file:
        file.write(f"[[app]]\nname = 'subject'\ncommand = '{program}'\n")
    survives(free_port())
    control(0)


main(test)
