"""A sample of piglit's tests on a wall of 2x2 tiles and in a window of a plain X server, for tools/wallprograms. Each test
draws to its window (without piglit's option -fbo), by GLX or by EGL on X11. The verdicts are compared."""

import collections
import json
import os
import random
import re
import shutil
import subprocess
import time

VERDICT = re.compile(r'PIGLIT: \{"result": "(\w+)"')


def tests(count, seed):
    """(name, platform, command) of so many tests; all of GLX and EGL come first."""
    listed = subprocess.run(["piglit", "print-cmd", "opengl", "--format", "{name} ::: {command}"], text=True, check=True,
                            capture_output=True).stdout.splitlines()
    folder = os.path.join("/usr/lib", next(name for name in os.listdir("/usr/lib")
                                           if os.path.isdir(f"/usr/lib/{name}/piglit/bin")), "piglit", "bin")
    found = []
    for line in listed:
        name, _, command = line.partition(" ::: ")
        words = [word for word in command.split() if word != "-fbo"]
        path = os.path.join(folder, os.path.basename(words[0]))
        if os.path.exists(path) and "'" not in command and "vk" not in words[0]:
            found.append((name, [path, *words[1:]]))
    chance = random.Random(seed)
    chance.shuffle(found)
    found.sort(key=lambda one: not re.search("@(glx|egl)|^(glx|egl)", one[0]))
    platform = lambda name: "glx" if "glx" in name else "x11_egl" if "egl" in name else chance.choice(["glx", "x11_egl"])
    return [(name, platform(name), command) for name, command in found[:count]]


def verdict(command, environment, limit):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", env=environment)
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.communicate()
        return "over the limit", ""
    found = VERDICT.findall(output)
    return found[-1] if found else f"no verdict, status {process.returncode}", errors


def on_display(options, run):
    """Calls run(display) while a plain X server runs."""
    reading, writing = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
                              pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        run(":" + os.fdopen(reading).readline().strip())
    finally:
        server.terminate()
        server.wait()


def compare(options, fail):
    for tool in ("piglit", "Xvfb"):
        if not shutil.which(tool):
            fail(f"no {tool} (Debian: piglit, xvfb)")
    launcher = [os.path.join(options.build, "bin", "mpiglutrun"), "--headless", "--system", "x11", "--wall", "2x2", "--clock",
                "wall", "--"]
    counts, differ, told = collections.Counter(), {}, {}
    begun = time.monotonic()

    def run(display):
        for name, platform, command in tests(options.piglit, options.seed):
            if options.minutes and time.monotonic() - begun > 60 * options.minutes:
                break
            if not re.search(options.only, name):
                continue
            environment = {**os.environ, "PIGLIT_PLATFORM": platform, "LP_NUM_THREADS": "0"}
            window, _ = verdict(command, {**environment, "DISPLAY": display}, options.limit)
            wall, errors = verdict(launcher + command, environment, options.limit)
            counts[window, wall] += 1
            if window != wall:
                differ[name] = [platform, window, wall]
                told[name] = errors
                print(f"{name} ({platform}): {window} in a window, {wall} on 2x2", flush=True)
                with open(os.path.join(options.results, "piglit.log"), "a", encoding="utf-8") as log:
                    log.write(f"== {name} ({' '.join(command)})\n{errors}\n")

    on_display(options, run)
    done = sum(counts.values())
    for (window, wall), times in sorted(counts.items()):
        print(f"{times:6} {window} in a window, {wall} on 2x2")
    print(f"{done - len(differ)} of {done} have the same verdict (seed {options.seed})")
    with open(os.path.join(options.results, "wallpiglit.json"), "w", encoding="utf-8") as file:
        json.dump({"seed": options.seed, "tests": done, "differ": differ}, file, indent=1)
    return not differ
