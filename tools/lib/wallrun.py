"""A program of X11 on a wall, for tools/wallprograms: its run with input that a seed makes, and what is left over after
that run."""

import dataclasses
import json
import os
import random
import re
import shutil
import stat
import subprocess
import time

WIDTH, HEIGHT = 640, 480


@dataclasses.dataclass
class Ended:
    """How a run has ended."""
    how: str # "ran", "over the limit", or "does not end"
    status: int
    frames: int
    told: list # the launcher's lines
    left: list # what is left over

    def diverged(self):
        return next((line for line in self.told if "diverge" in line or "another request" in line), None)


def write_input(path, seed, first, last, by_time=False):
    """Input of all kinds in this file, from the first to the last frame: of a program without frames by hundredths of a
    second. Its places are the wall's."""
    chance, x, y = random.Random(seed), WIDTH // 2, HEIGHT // 2
    with open(path, "w", encoding="utf-8") as file:
        def write(at, kind, a=0, b=0):
            place = {"frame": 0, "after": at} if by_time else {"frame": at, "after": 0}
            print(json.dumps({**place, "window": 0, "kind": kind, "rank": 0, "x": x, "y": y, "a": a, "b": b, "modifiers": 0}),
                  file=file)
        print(json.dumps({"mpiglut": "input", "version": 1, "columns": 2, "rows": 2, "width": WIDTH, "height": HEIGHT}),
              file=file)
        for frame in range(first, last, 5):
            x, y = (min(max(at + chance.randint(-40, 40), 0), most - 1) for at, most in ((x, WIDTH), (y, HEIGHT)))
            write(frame, "passive")
            what = chance.random()
            if what < 0.1: # a click, over some frames
                write(frame + 1, "mouse", 0, 0)
                write(frame + 4, "mouse", 0, 1)
            elif what < 0.3: # arrow keys
                key = chance.randint(100, 103)
                write(frame + 1, "special", key)
                write(frame + 4, "special_up", key)
            elif what < 0.4:
                key = chance.choice([13, 32, 97])
                write(frame + 1, "key", key)
                write(frame + 4, "key_up", key)


def processes_with(word):
    """Of the environment of a process's beginning; so also those that have left the run's group."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/environ", "rb") as file:
                if word.encode() in file.read().split(b"\0"):
                    with open(f"/proc/{number}/comm", encoding="utf-8", errors="replace") as name:
                        found.append(f"process {name.read().strip()}")
        except OSError:
            pass # it has ended, or is another user's
    return found


def strays():
    """Locks and sockets of X servers that have ended."""
    found = set()
    for name in os.listdir("/tmp"):
        if re.fullmatch(r"\.X\d+-lock", name):
            try:
                with open(f"/tmp/{name}", encoding="utf-8") as file:
                    if not os.path.exists(f"/proc/{file.read().strip()}"):
                        found.add(f"/tmp/{name}")
            except OSError:
                pass
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        listening = file.read()
    for name in os.listdir("/tmp/.X11-unix") if os.path.isdir("/tmp/.X11-unix") else []:
        if f"/tmp/.X11-unix/{name}\n" not in listening:
            found.add(f"/tmp/.X11-unix/{name}")
    return found


def words_of(command):
    """The variables that a command begins with, and its other words."""
    words = command.split()
    count = next(i for i, word in enumerate(words) if not re.match(r"[A-Z_]+=", word))
    return dict(word.split("=", 1) for word in words[:count]), words[count:]


def program_of(command):
    return words_of(command)[1][0]


def needs_copy(program):
    """The loader puts no library into a program that runs with other rights."""
    return bool(os.stat(shutil.which(program)).st_mode & (stat.S_ISUID | stat.S_ISGID))


def run(options, path, words, command, limit):
    """A run of the launcher with these words. The program finds an empty home, and folders of its own for what does not
    last; PATH.log has what is printed."""
    home, temporary = path + ".home", path + ".tmp"
    runtime = os.path.join(home, "runtime")
    for folder in (home, temporary):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    os.mkdir(runtime, 0o700)
    mark = f"WALLPROGRAMS_RUN={os.getpid()}-{time.monotonic_ns()}"
    name, _, value = mark.partition("=")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    environment.update({name: value, "HOME": home, "TMPDIR": temporary,
                        "XDG_CACHE_HOME": os.path.join(options.results, "cache"), "XDG_RUNTIME_DIR": runtime})
    variables, program = words_of(command)
    environment.update(variables)
    before = strays()
    folder = os.path.dirname(program[0]) or options.results # tests of SDL look for their pictures there
    if folder != options.results: # screensavers look for their helpers there
        environment["PATH"] += ":" + folder
    if needs_copy(program[0]):
        program[0] = shutil.copyfile(shutil.which(program[0]), path + ".copy")
        os.chmod(program[0], 0o755)
    launcher = [os.path.join(options.build, "bin", "mpiglutrun"), "--headless", "--stats", path + ".json", *words,
                "--", *program]
    if os.path.exists(path + ".json"):
        os.remove(path + ".json")
    how = "ran"
    with open(path + ".log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(launcher, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                                   env=environment)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            how = "over the limit"
            process.terminate() # the launcher ends its ranks
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                how = "does not end"
                process.kill()
                process.wait()
    for _ in range(20):
        left = processes_with(mark)
        if not left:
            break
        time.sleep(0.1)
    left += sorted(strays() - before) + sorted(os.path.join("TMPDIR", name) for name in os.listdir(temporary))
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(temporary, ignore_errors=True)
    with open(path + ".log", encoding="utf-8", errors="replace") as log:
        told = [line[12:].strip() for line in log if line.startswith("mpiglutrun: ")]
    frames = 0
    if os.path.exists(path + ".json"):
        with open(path + ".json", encoding="utf-8") as file:
            frames = json.load(file)["frames"]
    return Ended(how, process.returncode, frames, told, left)


def play(options, path, command, has_frames=True):
    """The program on 2x2 tiles for some minutes, in real time. Returns what came of it."""
    write_input(path + ".jsonl", options.seed, 20, 100 * 60 * int(options.play + 1), by_time=not has_frames)
    ended = run(options, path, ["--wall", f"2x2@{WIDTH // 2}x{HEIGHT // 2}", "--replay", path + ".jsonl"], command,
                60 * options.play)
    told, ran = ended.diverged(), ended.how == "over the limit"
    if not told and not ended.frames and ran and has_frames:
        return play(options, path, command, has_frames=False)
    worked = ended.frames or (not has_frames and (ran or ended.status == 0))
    found = "diverged: " + told if told else "the same requests" if worked else "failed"
    return f"{found}; {'ran' if ran else f'ended by itself, status {ended.status}'}, {ended.frames} frames"
