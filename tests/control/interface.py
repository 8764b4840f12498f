"""The interface for scripts: each call with and without the token, wrong types, random requests, hostile clients.
interface.py MPIGLUTRUN PROGRAM FOLDER"""
import json
import os
import random
import re
import shutil
import socket
import sys
import time

from interface_socket import say, upgrade
from wall import Wall, is_open, main, require, wait_until

launcher, program, folder = sys.argv[1:4]
CALLS = [("GET", "/"), ("GET", "/page.js"), ("GET", "/metrics"), ("GET", "/api/v1/status"), ("GET", "/api/v1/figures"),
         ("GET", "/api/v1/log"), ("GET", "/api/v1/captures"), ("GET", "/api/v1/programs"),
         ("POST", "/api/v1/input"), ("POST", "/api/v1/show"), ("POST", "/api/v1/quit"), ("POST", "/api/v1/screenshot"),
         ("POST", "/api/v1/film"), ("POST", "/api/v1/film/end"),
         ("GET", "/api/v1/wall"), ("POST", "/api/v1/wall/nudge"), ("POST", "/api/v1/wall/colour"), ("POST", "/api/v1/wall/save"),
         ("POST", "/api/v1/wall/reset"), ("POST", "/api/v1/record"), ("POST", "/api/v1/record/end"), ("POST", "/api/v1/replay"),
         ("POST", "/api/v1/replay/end"),
         ("GET", "/api/v1/presets"), ("POST", "/api/v1/presets/any/save"), ("POST", "/api/v1/presets/any/apply"),
         ("POST", "/api/v1/presets/any/delete"), ("POST", "/api/v1/captures/wall-1.png/delete"), ("POST", "/api/v1/playlist"), ("POST", "/api/v1/playlist/start"),
         ("POST", "/api/v1/playlist/stop"), ("POST", "/api/v1/playlist/next"), ("POST", "/api/v1/wall/brightness"),
         ("POST", "/api/v1/programs/any/start"), ("POST", "/api/v1/programs/any/stop"), ("POST", "/api/v1/sessions/revoke"),
         ("POST", "/api/v1/logout")]
WRONG = [("/api/v1/input", body, word) for body, word in [
    ("", "events"), ("[]", "body"), ("{", "body"), ("[" * 3000, "body"), ('{"events": 1}', "events"),
    ('{"events": [1]}', "events[0]"), ('{"events": [{"type": "mouse"}]}', "events[0].x"),
    ('{"events": [{"type": "mouse", "x": 1e400, "y": 0, "button": 0, "down": true}]}', "body"),
    ('{"events": [{"type": "mouse", "x": 1.5, "y": 0, "button": 0, "down": true}]}', "events[0].x"),
    ('{"events": [{"type": "mouse", "x": 99999999999999999999, "y": 0, "button": 0, "down": true}]}', "events[0].x"),
    ('{"events": [{"type": "mouse", "x": 1, "y": 0, "button": 3, "down": true}]}', "events[0].button"),
    ('{"events": [{"type": "mouse", "x": 1, "y": 0, "button": 0, "down": 1}]}', "events[0].down"),
    ('{"events": [{"type": "key", "key": "", "down": true}]}', "events[0].key"),
    ('{"events": [{"type": "key", "key": "Fn", "down": true}]}', "events[0].key"),
    ('{"events": [{"type": "wheel", "x": 1, "y": 1, "direction": 0}]}', "events[0].direction"),
    ('{"events": [{"type": "close"}]}', "events[0].type"), ('{"events": [{"type": "menu", "item": 1}]}', "events[0].menu"),
    ('{"events": [{"type": "menu", "menu": 1, "item": -1}]}', "events[0].item"),
    ('{"events": [' + ",".join(['{"type":"leave"}'] * 257) + "]}", "events")]] + [
    ("/api/v1/show", '{"show": 1}', "show"), ("/api/v1/show", '{"show": "no"}', "show"), ("/api/v1/quit", '{"now": 1}', "now"),
    ("/api/v1/film", '{"every": 0}', "every"), ("/api/v1/film", '{"every": "1"}', "every")]


def documented():
    """docs/openapi.yaml has all calls, and no others."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(root, "mpiglut", "walld", "calls", "api.cpp")) as source:
        calls = {(method.lower(), path.replace("*", "{name}")) for method, path in re.findall(r'{"(GET|POST)", "(/[^"]*)", &Api', source.read())}
    found, path = set(), ""
    with open(os.path.join(root, "docs", "openapi.yaml")) as page:
        for line in page:
            if line.startswith("  /"):
                path = line.strip().rstrip(":")
            elif method := re.match("    (get|post):", line):
                found.add((method.group(1), path))
    found.discard(("get", "/api/v1/events"))  # the WebSocket
    require(calls == found, f"docs/openapi.yaml lacks {calls - found}, and has {found - calls}")


def tokens(wall):
    wrong = ("x", wall.token[:-1], wall.token + "0")  # by turns: each refusal makes the next ones wait
    for number, (method, path) in enumerate(CALLS):
        for token in (False, wrong[number % len(wrong)]):
            status, body, _ = wall.ask(method, path, "{}" if method == "POST" else None, token)
            require(status in (401, 429), f"{method} {path} with a wrong token: {status}, expected 401")
            require(wall.token.encode() not in body, f"{path} tells the token")
            if status == 429:
                time.sleep(0.3)
    time.sleep(3)  # wrong tokens are counted, and those of the next steps want to be told so
    for method, path in CALLS[:8]:
        status, _, headers = wall.ask(method, path)
        require(status == 200, f"{method} {path}: {status}, expected 200")
        require("frame-ancestors 'none'" in headers["content-security-policy"], f"{path} has no policy")
    status, _, headers = wall.ask("GET", f"/?token={wall.token}", token=False)
    cookie = headers.get("set-cookie", "")
    require(status == 200 and "HttpOnly" in cookie and "SameSite=Strict" in cookie, f"the link sets no cookie: {cookie}")
    require(wall.token not in cookie and wall.token[:8] not in cookie, f"the cookie tells of the token: {cookie}")
    status, _, _ = wall.ask("GET", "/api/v1/status", token=False, headers={"Cookie": "a=b; " + cookie.split(";")[0]})
    require(status == 200, f"with the cookie: {status}, expected 200")
    for headers, path in (({}, f"/api/v1/status?token={wall.token}"), ({}, f"/page.js?token={wall.token}"),
                          ({"Cookie": f"{cookie.split('=')[0]}={wall.token}"}, "/api/v1/status")):
        status, _, _ = wall.ask("GET", path, token=False, headers=headers)
        require(status == 401, f"{path} {headers}: {status}, expected 401: the link opens the page, and nothing else")
    for origin, expected in (("http://evil.example", 403), ("null", 403), (f"http://127.0.0.1:{wall.port}", 200)):
        status, _, _ = wall.ask("GET", "/api/v1/status", headers={"Origin": origin})
        require(status == expected, f"Origin {origin}: {status}, expected {expected}")


def session(wall, token):
    """The Cookie header of a browser that has opened this link."""
    return wall.ask("GET", f"/?token={token}", token=False)[2]["set-cookie"].split(";")[0]


def recording_of_keys(wall, look_token, looks):
    """What was typed may be a password: who only looks gets none of it, nor do other users of the host."""
    name = wall.json("POST", "/api/v1/record", {})["recording"]
    wall.json("POST", "/api/v1/record/end", {})
    require(name in wall.json("GET", "/api/v1/captures")["captures"], f"{name} is a capture")
    require(os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o600, f"{name} is for its owner alone")
    for token, headers in ((look_token, {}), (False, {"Cookie": looks})):
        status, listed, _ = wall.ask("GET", "/api/v1/captures?details=9", token=token, headers=headers)
        require(status == 200 and name.encode() not in listed, f"{name} is listed for one who may only look: {listed}")
        status, _, _ = wall.ask("GET", f"/api/v1/captures/{name}", token=token, headers=headers)
        require(status == 403, f"{name} for one who may only look: {status}, expected 403")
    wall.json("POST", f"/api/v1/captures/{name}/delete", {})


def sessions(wall):
    """One that may only look, and what is left of one that has logged out."""
    def as_(cookie, method, path):
        return wall.ask(method, path, "{}" if method == "POST" else None, False, {"Cookie": cookie})[0]
    look_token = wait_until(lambda: next((line.split("token=")[1].strip() for line in list(wall.printed) if "looking" in line), None),
                            "the link for looking")
    require(look_token != wall.token, "the two links have one token")
    looks, operates = session(wall, look_token), session(wall, wall.token)
    for method, path in CALLS:
        status = as_(looks, method, path) if path != "/api/v1/logout" else 403
        require(status == (200 if method == "GET" else 403), f"{method} {path} of one who may only look: {status}")
    status, _, _ = wall.ask("POST", "/api/v1/show", "{}", token=look_token)
    require(status == 403, f"a script with the token for looking: {status}, expected 403")
    for origin in ("", "null", "http://localhost:9", f"http://localhost:{wall.port}.example"):
        status, _, _ = wall.ask("POST", "/api/v1/show", '{"show": "black"}', False, {"Cookie": operates, "Origin": origin})
        require(status == 403, f"the cookie, sent by a page of '{origin}', changes the wall: {status}, expected 403")
    recording_of_keys(wall, look_token, looks)
    _, looker, heard = upgrade(wall, f"Cookie: {looks}", f"Origin: http://localhost:{wall.port}")
    _, operator, _ = upgrade(wall, f"Cookie: {operates}", f"Origin: http://localhost:{wall.port}")
    say(looker, b'{"control": "ask"}')
    while b'"event":"error"' not in heard:
        some = looker.recv(1 << 20)
        require(some and b'"event":"control"' not in heard, "one who may only look has control")
        heard += some
    require(b'"role":"look"' in heard, "the page is told that it is for looking")
    require(as_(operates, "POST", "/api/v1/logout") == 200, "a session ends")
    wait_until(lambda: not is_open(operator), "the socket of a session that is over is closed")
    require(is_open(looker), "another session goes on")
    # Refusals are limited, too, so the answer may be 429 for a while.
    wait_until(lambda: as_(operates, "GET", "/api/v1/status") == 401, "a session is over for good")
    require(wall.ask("POST", "/api/v1/logout", "{}")[0] == 409, "a token is no session")
    lookers = [upgrade(wall, f"Authorization: Bearer {look_token}", f"Origin: http://localhost:{wall.port}") for _ in range(64)]
    refused = [status for status, _, _ in lookers if status != 101]
    require(refused and set(refused) == {503}, f"64 who look: {refused} of them refused, expected some, by 503")
    status, one, _ = upgrade(wall, f"Authorization: Bearer {wall.token}", f"Origin: http://localhost:{wall.port}")
    require(status == 101, f"an operator beside 64 who look: {status}, expected 101")
    for other in (looker, operator, one, *(each for _, each, _ in lookers)):
        other.close()


def links_in_captures(wall):
    """Others may write in that folder: a link is no capture."""
    name = "wall-20200101-000000-001.png"
    os.symlink("/etc/passwd", os.path.join(folder, name))
    require(wall.ask("GET", f"/api/v1/captures/{name}")[0] == 404, "a link among the captures leads to a file of the system")
    require(name not in wall.json("GET", "/api/v1/captures")["captures"], "a link is listed")
    os.unlink(os.path.join(folder, name))


def wrong_things(wall):
    for path, body, word in WRONG:
        status, answer, _ = wall.ask("POST", path, body)
        require(status == 400 and word in json.loads(answer)["error"], f"{path} {body[:80]}: {status} {answer}, expected 400 {word}")
    for method, path, expected in [("POST", "/api/v1/status", 405), ("GET", "/api/v1/input", 405), ("GET", "/api/v1/none", 404),
                                   ("GET", "/../etc/passwd", 404), ("GET", "/api/v1/captures/..%2f..%2fetc%2fpasswd", 404),
                                   ("GET", "/api/v1/captures/wall-..png", 404), ("GET", "/api/v1/log?after=x", 400),
                                   ("DELETE", "/api/v1/status", 405), ("POST", "/api/v1/programs/any/start", 404)]:
        status, _, _ = wall.ask(method, path, "{}" if method == "POST" else None)
        require(status == expected or (".." in path and status in (403, 404)), f"{method} {path}: {status}, expected {expected}")
    status, _, _ = wall.ask("POST", "/api/v1/input", "x" * 70000)
    require(status == 413, f"a body of 70,000 bytes: {status}, expected 413")


def long_heads(wall):
    """A browser sends the cookies of every server on localhost."""
    for length, expected in ((15000, 200), (20000, 431), (60000, 431)):
        for headers in ({"Cookie": "c=" + "a" * length}, {"Cookie": "c=d", "User-Agent": "a" * length}):
            status, _, _ = wall.ask("GET", "/api/v1/status", headers=headers)
            require(status == expected, f"headers of {length} bytes: {status}, expected {expected}")
    for length, expected in ((15000, 200), (25000, 431), (60000, 431)):  # one, or many, that no server has heard of
        for headers in ({"X-Unknown": "a" * length}, {f"X-{number}": "a" * 500 for number in range(length // 500)}):
            status, _, _ = wall.ask("GET", "/api/v1/status", headers=headers)
            require(status == expected, f"unknown headers of {length} bytes: {status}, expected {expected}")
    status, _, _ = wall.ask("POST", "/api/v1/show", json.dumps({"show": "picture", "x": "a" * 50000}))
    require(status in (200, 400), f"a body of 50,000 bytes is no head: {status}")
    require(wall.ask("GET", "/api/v1/log?filter=" + "a" * 10000)[0] == 200, "a query of 10,000 bytes")


def random_bytes(wall, count):
    seed = random.Random(1)
    head = f"Authorization: Bearer {wall.token}\r\n".encode()
    for number in range(count):
        lines = [b"POST /api/v1/input HTTP/1.1\r\n", b"Host: localhost\r\n", head, b"Content-Length: 9\r\n", b"\r\n", b'{"a":"b"}']
        for _ in range(seed.randrange(1, 4)):
            at = seed.randrange(len(lines))
            kind = seed.randrange(4)
            if kind == 0:
                lines[at] = bytes(seed.randrange(256) for _ in range(seed.randrange(200)))
            elif kind == 1:
                lines.insert(at, lines[seed.randrange(len(lines))])
            elif kind == 2:
                del lines[at]
                lines = lines or [b"\r\n"]
            else:
                line = bytearray(lines[at] or b"x")
                line[seed.randrange(len(line))] = seed.randrange(256)
                lines[at] = bytes(line)
        with socket.create_connection(("127.0.0.1", wall.port), 10) as one:
            one.settimeout(0.02)
            try:
                one.sendall(b"".join(lines))
                if number % 16 == 0:
                    one.recv(4096)
            except OSError:
                pass


def answers(wall):
    """Who has sent nonsense may be kept waiting for some seconds."""
    try:
        status, body, _ = wall.ask("GET", "/api/v1/status")
    except OSError:
        return False
    require(status in (200, 429), f"status after nonsense: {status}, expected 200, or 429 for a while")
    return status == 200 and json.loads(body)["run"]["state"] == "running"


def sockets(wall):
    """The events, which have a door of their own."""
    token = f"Authorization: Bearer {wall.token}"
    for lines, expected in [((), 401), (("Authorization: Bearer x",), 401), ((token, "Origin: http://evil.example"), 403),
                            ((token, "Origin: null"), 403), ((token,), 101), ((token, f"Origin: http://localhost:{wall.port}"), 101)]:
        status, one, _ = upgrade(wall, *lines)
        require(status == expected, f"a WebSocket with {lines}: {status}, expected {expected}")
        one.close()


def half_open(wall):
    """More than may stay. A proper client need not wait until their time is over."""
    idle = []
    for number in range(300):
        one = socket.create_connection(("127.0.0.1", wall.port), 10)
        idle.append(one)
        if number % 3:
            one.sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: x"[:number % 30])
    require(wall.json("GET", "/api/v1/status")["run"]["state"] == "running", "answers beside 300 half-open connections")
    left = sum(map(is_open, idle))
    require(64 <= left <= 256, f"{left} of 300 half-open connections are open, expected 64 to 256: the newest")
    require(is_open(idle[-1]) and not is_open(idle[0]), "the oldest give way")
    for one in idle:
        one.close()


def crowds(wall):
    """There may be many sockets, and each may say much, within limits."""
    token = f"Authorization: Bearer {wall.token}"
    tries = [upgrade(wall, token) for _ in range(70)]
    accepted = [status for status, *_ in tries].count(101)
    require(accepted == 64 and tries[-1][0] == 503, f"{accepted} of 70 sockets, the last one {tries[-1][0]}: expected 64, and 503")
    for _, one, _ in tries:
        one.close()
    _, proper, heard = wait_until(lambda: (found := upgrade(wall, token))[0] == 101 and found, "room for a socket again")
    loud, large = upgrade(wall, token)[1], upgrade(wall, token)[1]
    say(large, b" " * 70000)
    wait_until(lambda: not is_open(large), "a message of 70,000 bytes is the end of a socket")
    for _ in range(5000):
        say(loud, b'{"control": "none"}')
    for one in (loud, proper):
        say(one, b'{"control": "ask"}')
    while b'"event":"control"' not in heard:
        some = proper.recv(1 << 20)
        require(some, "a proper socket is closed beside a loud one")
        heard += some
    own, first = (re.search(pattern, heard) for pattern in (rb'"client":(\d+)[^}]*"event":"hello"', rb'"client":(\d+)},"event":"control"'))
    require(own and own.group(1) == first.group(1), f"a loud socket goes before a proper one: {heard[:300]}")
    loud.close(), proper.close()


def hostile(wall):
    """Half-open and slow clients beside one that works."""
    for _ in range(300):  # more than there may be connections: who asks and goes leaves none behind
        with socket.create_connection(("127.0.0.1", wall.port), 10) as one:
            one.sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
    slow = [upgrade(wall, f"Authorization: Bearer {wall.token}")[1] for _ in range(5)]
    require(wall.json("GET", "/api/v1/status")["run"]["state"] == "running", "answers beside 300 clients that ask and go")
    for one in slow:
        one.close()
    half_open(wall)
    crowds(wall)


def effects(wall):
    for show in ("black", "identify", "pattern", "frozen", "picture"):
        wall.json("POST", "/api/v1/show", {"show": show})
        require(wall.run()["shows"] == show, f"shows {show}")
    status, png, headers = wall.ask("POST", "/api/v1/screenshot")
    require(status == 200 and png.startswith(b"\x89PNG"), f"screenshot: {status} {png[:100]}")
    size = tuple(int.from_bytes(png[at:at + 4], "big") for at in (16, 20))
    require(size == (330, 220), f"screenshot: {size}, expected 330x220")
    name = headers["x-capture"]
    require(name in wall.json("GET", "/api/v1/captures")["captures"], f"{name} is not among the captures")
    require(wall.ask("GET", f"/api/v1/captures/{name}")[1] == png, f"{name} is another picture")
    wall.json("POST", "/api/v1/input", {"events": [{"type": "key", "key": "a", "down": True},
                                                   {"type": "mouse", "x": 200, "y": 150, "button": 0, "down": True},
                                                   {"type": "move", "x": 210, "y": 160},
                                                   {"type": "mouse", "x": 210, "y": 160, "button": 0, "down": False},
                                                   {"type": "key", "key": "F3", "down": True, "modifiers": 1}]})
    wanted = ["key a", "mouse 0 0 200 150", "motion 210 160", "mouse 0 1 210 160", "special 3 modifiers 1"]

    def said():
        lines = wall.json("GET", "/api/v1/log")["lines"]
        return all([line["text"] for line in lines if line["rank"] == rank and line["text"] in wanted] == wanted for rank in range(4))
    wait_until(said, "every rank's callbacks, in order")
    require(wall.token not in wall.ask("GET", "/api/v1/log")[1].decode(), "the log tells no token to those who only look")
    found = wall.json("GET", "/api/v1/log?after=0&filter=key%20a")["lines"]
    require(found and all("key a" in line["text"] for line in found), f"the log by number and text: {found}, expected 'key a'")
    require("wall_tile_frames_per_second{rank=\"3\"" in wall.ask("GET", "/metrics")[1].decode(), "figures of rank 3")


def menu(wall):
    """The program's menu, as a script sees and uses it."""
    def act(*events):
        wall.json("POST", "/api/v1/input", {"events": events})
    right = {"type": "mouse", "x": 40, "y": 30, "button": 2}
    act({**right, "down": True}, {**right, "down": False})
    opened = wait_until(lambda: wall.run()["menu"], "an open menu")
    expected = {"by": "operator", "x": 40, "y": 30, "menu": 2, "entries": [{"label": "two bars"}, {"label": "colours", "submenu": {
        "menu": 1, "entries": [{"label": "gr\u00fcn"}, {"label": "red"}]}}]}
    require(opened == expected, f"the menu: {opened}, expected {expected}")
    act({"type": "menu", "menu": 1, "item": 2})
    wait_until(lambda: wall.run()["menu"] is None, "the menu closes")
    act({"type": "menu", "menu": 2, "item": 1})  # of a menu that is not open
    act({**right, "down": True}, {**right, "down": False}, {"type": "menu", "menu": 3, "item": 1}, {"type": "key", "key": "m", "down": True})
    def said(rank):
        return [line["text"] for line in wall.json("GET", "/api/v1/log")["lines"]
                if line["rank"] == rank and line["text"].startswith(("menu", "key m"))]
    wanted = ["menu opens at 40 30", "menu closes at 40 30", "menu 8 of 1", "menu opens at 40 30", "menu closes at 40 30", "key m"]
    wait_until(lambda: all(said(rank) == wanted for rank in range(4)), f"{wanted} on all ranks")


def film(wall):
    name = wall.json("POST", "/api/v1/film", {"every": 3})["film"]
    for path in ("film", "screenshot"):
        status, answer, _ = wall.ask("POST", f"/api/v1/{path}", "{}")
        require(status == 409 and b"film" in answer, f"{path} beside a film: {status} {answer}, expected 409")
    wait_until(lambda: wall.run()["film"]["frames"] >= 4, "four frames of a film")
    require("MPIGLUT_FFMPEG is none, so films are AVI files" in wall.ask("GET", "/api/v1/log")[1].decode(), "a line says why")
    frames = wall.json("POST", "/api/v1/film/end", {})["frames"]
    require(wall.run()["film"]["runs"] is False, "the film has ended")
    require(wall.ask("POST", "/api/v1/film/end", "{}")[0] == 409, "a film ends once")
    status, avi, headers = wall.ask("GET", f"/api/v1/captures/{name}")
    require(status == 200 and headers["content-type"] == "video/x-msvideo", f"{name}: {status}, {headers}")
    require(avi.count(b"00dc") == 2 * frames and avi.count(b"\xff\xd8\xff") == frames,
            f"{name}: {avi.count(b'00dc')} chunks and places for {frames} frames")
    require(wall.ask("POST", "/api/v1/screenshot")[0] == 200, "a screenshot after the film")


def test():
    documented()
    os.environ["MPIGLUT_FFMPEG"] = "none"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with Wall([launcher, "--headless", "--wall", "2x2@160x105+10+10", "--control", "0", "--captures", folder, "--", program]) as wall:
        wall.wait_for_frames()
        tokens(wall)
        sockets(wall)
        sessions(wall)
        links_in_captures(wall)
        wrong_things(wall)
        long_heads(wall)
        effects(wall)
        film(wall)
        menu(wall)
        hostile(wall)
        random_bytes(wall, 10000)
        wait_until(lambda: answers(wall), "an answer after all that")
        time.sleep(1)  # requests are counted
        wall.json("POST", "/api/v1/quit", {})
        require(wall.process.wait(60) == 0, f"quit: {wall.process.returncode}, expected 0: {''.join(wall.printed)}")


main(test)
