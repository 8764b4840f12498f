"""A wall with a page, for the tests in Python: starts mpiglutrun --control, and speaks HTTP to the server."""
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import traceback

PATIENCE = int(os.environ.get("PATIENCE", "1"))


class Failed(Exception):
    pass


def require(holds, what):
    if not holds:
        raise Failed(what)


def wait_until(ready, what, seconds=60):
    end = time.monotonic() + seconds * PATIENCE
    while time.monotonic() < end:
        found = ready()
        if found:
            return found
        time.sleep(0.05)
    raise Failed(f"{what}: not within {seconds * PATIENCE} seconds")


def is_open(connection):
    """The other end has not closed it. What it has sent is thrown away."""
    connection.setblocking(False)
    try:
        while connection.recv(1 << 20):
            pass
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


class Wall:
    """arguments: what starts a server that prints its link. At the end of a `with` it ends, and a failure shows what was
    printed."""

    def __init__(self, arguments):
        environment = dict(os.environ, LP_NUM_THREADS="0")
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=environment)
        self.printed = []
        threading.Thread(target=lambda: self.printed.extend(self.process.stdout), daemon=True).start()
        self.link = wait_until(self._find_link, "the link")
        self.port = int(re.search(r":(\d+)/", self.link).group(1))
        self.token = self.link.split("token=")[1]

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure:
            print("".join(self.printed))
        status = self.end()
        if not failure and 0 < status != 128 + signal.SIGTERM:  # mpiglutrun has that
            raise Failed(f"the server ended with {status}: {''.join(self.printed)}")

    def _find_link(self):
        if self.process.poll() is not None:
            raise Failed(f"ended with {self.process.returncode}: {''.join(self.printed)}")
        for line in list(self.printed):
            found = re.search(r"https?://\S+", line)
            if found:
                return found.group(0)

    def ask(self, method, path, body=None, token=True, headers=None):
        patience = 30 * PATIENCE
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        if self.link.startswith("https"):  # by a certificate of the test's own
            context = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=patience, context=context)
        headers = dict(headers or {})
        if "Cookie" in headers:  # as browsers do
            headers.setdefault("Origin", f"http://127.0.0.1:{self.port}")
        if token:
            headers["Authorization"] = f"Bearer {self.token if token is True else token}"
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict((k.lower(), v) for k, v in answer.getheaders())
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, bytes_, _ = self.ask(method, path, None if body is None else json.dumps(body))
        require(status == 200, f"{method} {path}: {status} {bytes_[:200]}, expected 200")
        return json.loads(bytes_)

    def run(self):
        return self.json("GET", "/api/v1/status")["run"]

    def wait_for_frames(self, count=3):
        wait_until(lambda: (self.run() or {}).get("frames", 0) >= count, f"{count} frames")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60 * PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed("the wall did not end within a minute of SIGTERM")


class Proxy:
    """Stands between a browser and the server, so that connections can be cut."""

    def __init__(self, port):
        self.to, self.open, self.pairs = port, True, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            near, _ = self.socket.accept()
            if not self.open:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:  # the server is gone, and the page tries again
                near.close()
                continue
            self.pairs.append((near, far))
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(a, b), daemon=True).start()

    @staticmethod
    def _pass(a, b):
        try:
            while some := a.recv(65536):
                b.sendall(some)
        except OSError:
            pass
        for one in (a, b):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.open = False
        for pair in self.pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs = []


def process_of(wall, program, rank):
    """The number of the rank's program: of the wall's descendants the one that runs it with that rank."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parents[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    for pid in parents:
        ancestor = pid
        while ancestor in parents and ancestor != wall.process.pid:
            ancestor = parents[ancestor]
        try:
            if ancestor == wall.process.pid and os.path.samefile(f"/proc/{pid}/exe", program):
                with open(f"/proc/{pid}/environ", "rb") as file:
                    words = file.read().split(b"\0")
                if any(f"{name}={rank}".encode() in words for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK")):
                    return pid
        except OSError:
            pass
    return None


def began_again(wall, before):
    """Another run than the one that began then, and its program draws."""
    run = wall.run() or {"began": before}
    return run["began"] != before and run["state"] == "running"


def stop_at_work(wall, pid):
    """A rank that is stopped in the barrier says that it waits for others, as all do: then once more."""
    for _ in range(20):
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: any(tile["state"] in ("late", "waiting") for tile in wall.run()["tiles"]), "the wall stands still")
        time.sleep(1)
        if any(tile["state"] in ("late", "hung") for tile in wall.run()["tiles"]):
            return
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.3)
    raise Failed("the rank was never at work")


def stop_on_its_way_back(wall, program, rank):
    """Kills the rank's program, and stops the next one before it is back: one that was faster than this is killed, too.
    The number of the one that is stopped."""
    def state():
        return next(tile["state"] for tile in wall.run()["tiles"] if tile["rank"] == rank)

    for _ in range(10):
        first = wait_until(lambda: process_of(wall, program, rank), f"the program of rank {rank}")
        os.kill(first, signal.SIGKILL)
        second = wait_until(lambda: (found := process_of(wall, program, rank)) != first and found, "its next process")
        os.kill(second, signal.SIGSTOP)
        # Of one that is back and stands still the others say so.
        if wait_until(lambda: (found := state()) in ("returning", "late", "hung", "silent") and found, "it is on its way, or back") == "returning":
            return second
        os.kill(second, signal.SIGCONT)
        wait_until(lambda: state() == "running", "it is back")
    raise Failed(f"rank {rank} is always back before it can be stopped")


def main(test):
    try:
        test()
    except Failed as failure:
        steps = [f"{os.path.basename(step.filename)}:{step.lineno}" for step in traceback.extract_tb(failure.__traceback__)]
        print(f"FAILED: {failure}\n  by way of {', '.join(steps)}")
        sys.exit(1)
    print("passed")
