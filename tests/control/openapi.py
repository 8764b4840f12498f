"""docs/openapi.yaml against a running server: each call, its example, and that nothing is answered which the page does not
describe.  openapi.py WALLD PROGRAM FOLDER"""
import copy
import json
import os
import re
import shutil
import socket
import struct
import sys
import time

from wall import Wall, main, require, wait_until

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing.name} is missing (Debian: python3-jsonschema, python3-yaml)")
    sys.exit(77)

server, program, folder = sys.argv[1:4]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(root, "docs", "openapi.yaml"), encoding="utf-8") as file:
    page = yaml.safe_load(file)
seen = set()  # (method, path, status) that have been answered


def strict(node):
    """As JSON Schema: OpenAPI's `nullable`, and nothing beside the properties that are described."""
    if isinstance(node, list):
        return [strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    node = {key: strict(value) for key, value in node.items()}
    if "properties" in node:
        node.setdefault("additionalProperties", False)
    if node.pop("nullable", False):
        node = {"anyOf": [{"type": "null"}, node]}
    return node


components = {"components": {"schemas": strict(copy.deepcopy(page["components"]["schemas"]))}}


def validate(value, schema, what):
    try:
        jsonschema.Draft4Validator({**strict(copy.deepcopy(schema)), **components}).validate(value)
    except jsonschema.ValidationError as error:
        while error.context:  # of several ways the one that goes deepest
            error = max(error.context, key=lambda one: len(one.absolute_path))
        where = "/".join(map(str, error.absolute_path))
        require(False, f"{what}: {where or 'it'}: {error.message[:300]}")


def resolve(node):
    while "$ref" in node:
        parts, node = node["$ref"][2:].split("/"), page
        for part in parts:
            node = node[part]
    return node


def example(method, path):
    return next(iter(page["paths"][path][method].get("requestBody", {"content": {"": {}}})["content"].values())).get("example")


def call(wall, method, path, body=None, expect=200, query="", headers=None, token=True, **parts):
    """A call by its path in the page; the answer, which the page describes."""
    operation = page["paths"][path][method]
    if body is None and method == "post":
        body = example(method, path)
    if expect == 200 and "requestBody" in operation:
        validate(body, operation["requestBody"]["content"]["application/json"]["schema"], f"the body of {path}")
    real = re.sub(r"{(\w+)}", lambda found: parts[found.group(1)], path) + query
    text = body if isinstance(body, str) else None if body is None else json.dumps(body)
    status, answer, sent = wall.ask(method.upper(), real, text, token, headers)
    what = f"{method} {real}"
    require(status == expect, f"{what}: {status} {answer[:200]}, expected {expect}")
    require(str(status) in operation["responses"], f"{what}: {status} is not described")
    response = resolve(operation["responses"][str(status)])
    kind = sent["content-type"].split(";")[0]
    require(kind in response["content"], f"{what}: {status} is {kind}, expected {list(response['content'])}")
    for name in response.get("headers", {}):
        require(name in sent, f"{what}: {status} lacks the header {name}")
    if kind == "application/json":
        answer = json.loads(answer)
        validate(answer, response["content"][kind]["schema"], f"{what}: {status}")
    seen.add((method, path, status))
    return answer


def examples():
    """All that the page has, also those of answers."""
    def walk(node, where):
        if isinstance(node, dict):
            if "example" in node and "schema" in node:
                validate(node["example"], node["schema"], f"the example of {where}")
            for key, value in node.items():
                walk(value, f"{where}/{key}")
    walk(page, "")


def refusals(wall, look):
    """Who may do nothing here, for every call."""
    for path, operations in page["paths"].items():
        for method in operations:
            if path == "/api/v1/events":
                continue
            parts = {"name": "any"}
            call(wall, method, path, "{}" if method == "post" else None, 403, headers={"Origin": "http://evil.example"}, **parts)
            if method == "post" and path != "/api/v1/logout":
                call(wall, method, path, "{}", 403, token=look, **parts)
    for _ in range(40):
        status, answer, _ = wall.ask("GET", "/api/v1/status", token="x")
        validate(json.loads(answer), {"$ref": "#/components/schemas/Error"}, f"{status}")
        seen.add(("get", "/api/v1/status", status))
        if status == 429:
            break
    require({("get", "/api/v1/status", 401), ("get", "/api/v1/status", 429)} <= seen, "401, and 429 after many of them")
    time.sleep(0.5)


def without_a_run(wall):
    for method, path in (("get", "/api/v1/figures"), ("get", "/api/v1/wall"), ("post", "/api/v1/input"),
                         ("post", "/api/v1/show"), ("post", "/api/v1/quit"), ("post", "/api/v1/screenshot"), ("post", "/api/v1/film"),
                         ("post", "/api/v1/film/end"), ("post", "/api/v1/wall/nudge"), ("post", "/api/v1/wall/colour"),
                         ("post", "/api/v1/wall/reset"), ("post", "/api/v1/wall/save"), ("post", "/api/v1/record"),
                         ("post", "/api/v1/record/end"), ("post", "/api/v1/replay"), ("post", "/api/v1/replay/end")):
        call(wall, method, path, expect=409)
    require(call(wall, "get", "/api/v1/status")["run"] is None, "nothing runs")
    for name, expect in (("none", 404), ("subject", 409)):
        call(wall, "post", "/api/v1/programs/{name}/stop", expect=expect, name=name)
    for verb in ("start", "restart"):
        call(wall, "post", f"/api/v1/programs/{{name}}/{verb}", expect=404, name="none")
    for verb in ("start", "restart"):
        call(wall, "post", f"/api/v1/programs/{{name}}/{verb}", {"clock": "x"}, 400, name="subject")
    call(wall, "get", "/api/v1/programs/{name}/picture", expect=404, name="subject")
    call(wall, "get", "/api/v1/captures/{name}", expect=404, name="none")
    call(wall, "post", "/api/v1/logout", expect=409)


def with_a_run(wall):
    call(wall, "post", "/api/v1/programs/{name}/start", name="subject")
    wall.wait_for_frames()
    call(wall, "post", "/api/v1/programs/{name}/start", expect=409, name="subject")
    call(wall, "get", "/api/v1/programs")
    for path in ("/api/v1/input", "/api/v1/show", "/api/v1/wall/nudge", "/api/v1/wall/colour", "/api/v1/wall/save",
                 "/api/v1/wall/reset"):
        call(wall, "post", path)
    for path, wrong in (("input", {"events": [{"type": "none"}]}), ("show", {"show": "none"}), ("film", {"every": 0}),
                        ("wall/nudge", {"target": "none", "by": [0, 0]}), ("wall/colour", {"tile": 0, "gamma": 0}), ("replay", {}),
                        ("quit", {"now": 1})):
        call(wall, "post", f"/api/v1/{path}", wrong, 400)
    call(wall, "post", "/api/v1/input", "x" * 70000, 413)
    call(wall, "get", "/api/v1/log", expect=400, query="?after=x")
    wait_until(lambda: wall.json("GET", "/api/v1/log")["lines"], "what the program says of the events")
    wait_until(lambda: wall.json("GET", "/api/v1/figures")["samples"], "the figures")
    query = {one["name"]: one["example"] for one in page["paths"]["/api/v1/log"]["get"]["parameters"]}
    lines = call(wall, "get", "/api/v1/log", query=f"?after=0&filter={query['filter']}")["lines"]
    require(not lines or query["filter"] in lines[0]["text"], f"the log: {lines}")
    call(wall, "get", "/api/v1/log")
    call(wall, "get", "/api/v1/figures")
    for path in ("wall", "captures"):
        call(wall, "get", f"/api/v1/{path}")
    call(wall, "get", "/metrics")


def captures(wall):
    call(wall, "post", "/api/v1/record")
    call(wall, "post", "/api/v1/record", expect=409)
    call(wall, "post", "/api/v1/input")
    wait_until(lambda: wall.run()["recording"]["events"] > 0, "the input in the recording")
    call(wall, "post", "/api/v1/record/end")
    call(wall, "post", "/api/v1/film")
    call(wall, "post", "/api/v1/captures/{name}/delete", name=call(wall, "get", "/api/v1/status")["run"]["film"]["file"], expect=409)
    call(wall, "post", "/api/v1/film", expect=409)
    call(wall, "post", "/api/v1/screenshot", expect=409)
    wait_until(lambda: wall.run()["film"]["frames"] > 1, "frames of the film")
    call(wall, "post", "/api/v1/film/end")
    call(wall, "post", "/api/v1/film/end", expect=409)
    call(wall, "post", "/api/v1/record/end", expect=409)
    call(wall, "post", "/api/v1/screenshot")
    names = call(wall, "get", "/api/v1/captures")["captures"]
    for ending in {os.path.splitext(name)[1] for name in names}:
        call(wall, "get", "/api/v1/captures/{name}", name=next(name for name in names if name.endswith(ending)))
    kept = call(wall, "get", "/api/v1/captures", query="?details=24")
    require(len(kept["files"]) == len(names) and kept["bytes"] == sum(file["bytes"] for file in kept["files"]), f"the details: {kept}")
    call(wall, "get", "/api/v1/captures", query="?details=x", expect=400)
    for verb, name, expect in (("thumbnail", names[0], 404 if not names[0].endswith(".png") else 200), ("thumbnail", "none", 404)):
        call(wall, "get", f"/api/v1/captures/{{name}}/{verb}", name=name, expect=expect)
    call(wall, "post", "/api/v1/captures/{name}/delete", name=names[0])
    call(wall, "post", "/api/v1/captures/{name}/delete", name=names[0], expect=404)
    names = names[1:]
    for part, expect in (("bytes=0-3", 206), ("bytes=99999999999-", 416)):
        call(wall, "get", "/api/v1/captures/{name}", name=names[0], expect=expect, headers={"Range": part})
    call(wall, "post", "/api/v1/replay", expect=404)
    with open(os.path.join(folder, "wall-long.jsonl"), "w", encoding="utf-8") as file:  # not over before it is ended
        file.write('{"mpiglut":"input","version":1,"width":1,"height":1}\n'
                   '{"frame":1000000,"after":0,"kind":"key","window":1,"a":120}\n')
    call(wall, "post", "/api/v1/replay", {"recording": "wall-long.jsonl"})
    call(wall, "get", "/api/v1/status")
    call(wall, "post", "/api/v1/replay/end")
    wait_until(lambda: not wall.run()["replay"]["runs"], "the replay has ended")
    call(wall, "post", "/api/v1/replay/end", expect=409)


class Socket:
    """A WebSocket, as far as this needs one."""

    def __init__(self, wall):
        self.wire = socket.create_connection(("127.0.0.1", wall.port), 20)
        head = ["GET /api/v1/events HTTP/1.1", f"Host: localhost:{wall.port}", "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: wall", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                f"Authorization: Bearer {wall.token}"]
        self.wire.sendall("\r\n".join(head + ["", ""]).encode())
        self.bytes, self.heard, self.pictures = b"", set(), 0
        head = self._until(lambda: self.bytes.find(b"\r\n\r\n") + 4 if b"\r\n\r\n" in self.bytes else 0)
        require(b" 101 " in head.split(b"\r\n")[0], f"{head[:100]}, expected 101")

    def _until(self, length):
        while not (found := length()):
            some = self.wire.recv(1 << 20)
            require(some, "the socket is open")
            self.bytes += some
        taken, self.bytes = self.bytes[:found], self.bytes[found:]
        return taken

    def send(self, message):
        validate(message, {"$ref": "#/components/schemas/FromBrowser"}, f"{message}")
        text = json.dumps(message).encode()
        self.wire.sendall(struct.pack(">BBH", 0x81, 0xfe, len(text)) + bytes(4) + text)

    def next(self):
        """One message, which the page describes: its event, or "picture"."""
        head = self._until(lambda: 2 if len(self.bytes) >= 2 else 0)
        wide = {126: (2, ">H"), 127: (8, ">Q")}.get(head[1] & 127)
        length = head[1] & 127
        if wide:
            length = struct.unpack(wide[1], self._until(lambda: wide[0] if len(self.bytes) >= wide[0] else 0))[0]
        content = self._until(lambda: length if len(self.bytes) >= length else 0) if length else b""
        if head[0] & 15 == 2:
            size = struct.unpack("<I", content[:4])[0]
            validate(json.loads(content[4:4 + size]), page["paths"]["/api/v1/events"]["get"]["x-head-of-a-picture"], "a picture's head")
            require(content[4 + size:].startswith(b"\xff\xd8"), "a JPEG follows the head")
            self.heard.add("picture")
        elif head[0] & 15 == 1:
            message = json.loads(content)
            kinds = page["components"]["schemas"]["FromServer"]["discriminator"]["mapping"]
            require(message["event"] in kinds, f"the event {message['event']} is not described")
            validate(message, {"$ref": kinds[message["event"]]}, f"the event {message['event']}")
            self.heard.add(message["event"])
            return message

    def until(self, event):
        while event not in self.heard:
            message = self.next()
            if message and message["event"] == event:
                return message


def events(wall):
    """All that a browser is told, and all that it says."""
    one, two = Socket(wall), Socket(wall)
    numbers = [each.until("hello")["client"] for each in (one, two)]
    one.send({"live": True})
    two.send({"live": True})
    one.until("picture")
    one.send({"control": "ask"})
    one.until("control")
    two.until("control")
    two.send({"control": "ask"})
    one.until("asked")
    call(wall, "post", "/api/v1/show", expect=423)
    two.send({"events": [{"type": "key", "key": "a", "down": True}]})
    two.until("refused")
    two.send({"events": [{"type": "move", "x": 20, "y": 20}]})
    one.until("pointer")
    two.send({"events": [{"type": "mouse"}]})
    two.until("error")
    one.send({"give": numbers[1]})
    one.send({"events": [{"type": "key", "key": "a", "down": True}]})
    one.until("refused")
    two.send({"control": "leave"})
    two.send({"events": [{"type": "key", "key": "a", "down": True}]})
    two.send({"control": "leave"})
    free = 0  # control is given back twice: in between the key has taken it
    while free < 2:
        message = one.next()
        free += bool(message) and message["event"] == "control" and not message["control"]
    call(wall, "post", "/api/v1/show")
    for event in ("log", "figures", "status"):
        one.until(event)
    two.wire.close()
    one.until("left")
    one.wire.close()
    kinds = set(page["components"]["schemas"]["FromServer"]["discriminator"]["mapping"]) | {"picture"}
    require(one.heard | two.heard == kinds, f"not heard: {kinds - one.heard - two.heard}")


def shows(wall):
    """The page's example names a program and presets, which have to be there."""
    preset = example("post", "/api/v1/presets/{name}/save")
    for body, expect in ((preset, 409), ({"clock": "x"}, 400), ({**preset, "program": "subject"}, 200)):
        call(wall, "post", "/api/v1/presets/{name}/save", body, expect, name="any")
    call(wall, "post", "/api/v1/playlist", expect=409)
    for one in example("post", "/api/v1/playlist")["entries"]:
        call(wall, "post", "/api/v1/presets/{name}/save", {"program": "subject"}, name=one["preset"])
    for verb in ("start", "stop", "next"):
        call(wall, "post", f"/api/v1/playlist/{verb}", expect=409)
    call(wall, "post", "/api/v1/playlist", {"entries": 1}, 400)
    for path in ("playlist", "playlist/start", "playlist/next"):
        call(wall, "post", f"/api/v1/{path}")
    require(call(wall, "get", "/api/v1/presets")["playlist"]["current"] is not None, "the playlist plays")
    call(wall, "post", "/api/v1/playlist/stop")
    call(wall, "post", "/api/v1/presets/{name}/apply", name="any")
    call(wall, "post", "/api/v1/presets/{name}/delete", name="any")
    call(wall, "post", "/api/v1/presets/{name}/delete", expect=409, name="night")
    for verb in ("apply", "delete"):
        call(wall, "post", f"/api/v1/presets/{{name}}/{verb}", expect=404, name="any")
    call(wall, "post", "/api/v1/wall/brightness")
    call(wall, "post", "/api/v1/wall/brightness", {"brightness": 9}, 400)
    call(wall, "post", "/api/v1/wall/brightness", {"brightness": 1})


def the_end(wall):
    began = wall.run()["began"]
    call(wall, "post", "/api/v1/programs/{name}/restart", name="subject")
    call(wall, "post", "/api/v1/programs/{name}/stop", name="subject")
    call(wall, "get", "/api/v1/status")
    # It is still ending: it is waited for.
    call(wall, "post", "/api/v1/programs/{name}/start", name="subject")
    wait_until(lambda: (run := wall.run()) and run["began"] != began, "the program starts again", 60)
    wall.wait_for_frames()
    call(wall, "post", "/api/v1/quit")
    call(wall, "post", "/api/v1/sessions/revoke")
    cookie = wall.ask("GET", f"/?token={wall.token}", token=False)[2]["set-cookie"].split(";")[0]
    call(wall, "post", "/api/v1/logout", token=False, headers={"Cookie": cookie})
    wait_until(lambda: wall.run()["state"] == "ended", "the program has ended", 60)


def complete():
    """Each call has been answered well once, and with each error that the page promises of it, rare ones aside."""
    require(("post", "/api/v1/show", 423) in seen, "423 while a browser has control")
    rare = {401, 403, 423, 429, 504}
    for path, operations in page["paths"].items():
        for method, operation in operations.items():
            lacks = {int(status) for status in operation["responses"]} - {status for m, p, status in seen if (m, p) == (method, path)}
            if path.endswith(("/restart", "/apply", "/revoke")):
                lacks.discard(409)  # where mpiglutrun cannot be run, or a file of the sessions cannot be written
            require(path == "/api/v1/events" or not lacks - rare, f"{method} {path}: never answered with {lacks - rare}")


def test():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    apps = os.path.join(folder, "apps.toml")
    with open(apps, "w", encoding="utf-8") as file:
        file.write(f'[[app]]\nname = "subject"\ncommand = {json.dumps(program)}\n'
                   f'[[app]]\nname = "pictured"\ncommand = "/bin/true"\npicture = "pictured.png"\n')
    with open(os.path.join(folder, "pictured.png"), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
    examples()
    with Wall([server, "2x1@160x105", "--apps", apps, "--port", "0", "--headless", "--captures", folder]) as wall:
        look = wait_until(lambda: next((line.split("token=")[1].strip() for line in list(wall.printed) if "looking" in line), None),
                          "the link for looking")
        refusals(wall, look)
        without_a_run(wall)
        call(wall, "get", "/api/v1/programs/{name}/picture", name="pictured")
        with_a_run(wall)
        captures(wall)
        events(wall)
        shows(wall)
        the_end(wall)
    complete()


main(test)
