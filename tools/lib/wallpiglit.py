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

# Tests whose verdict is another one on a wall, by a part of their name, and why.
REASONS = {
    "egl-invalid-attr|egl_khr_gl_image": "EGL of a wall is made of the tile's GLX, which has no images of EGL",
    "fbconfig_id-window": "a visual of the program's X server stands for several formats of the tile's",
    "triangle-guardband-viewport": "llvmpipe draws a column of a viewport that ends where the tile begins, also in a window",
    "separate_shader_objects@atomic counter": "a variable of the test is called pipe, as the C library's function that "
                                              "MPICH's libraries call",
}
# The run itself says that tiles cannot show it right.
SAID = re.compile("^mpiglutrun: (a fragment shader writes to [^:]*):", re.MULTILINE)

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


def reason_for(name, window, wall, errors):
    """Why the verdict in a window says nothing about a wall, or why a wall has another one; None if neither is so."""
    if window not in ("pass", "skip", "warn"):
        return "it does not pass in a window either"
    said = SAID.search(errors) if wall == "fail" else None
    return next((why for part, why in REASONS.items() if re.search(part, name)), said and said[1])


def on_display(run):
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
                "wall"]
    counts, differ, named = collections.Counter(), {}, {}
    begun = time.monotonic()
    kept = os.path.join(options.results, "wallpiglit.json")
    chosen = None
    if options.again:
        if not os.path.exists(kept):
            fail(f"--again: there is no {kept}")
        with open(kept, encoding="utf-8") as file:
            last = json.load(file)
        chosen = {*last["differ"], *last.get("named", [])}

    def both(name, platform, command, display):
        environment = {**os.environ, "PIGLIT_PLATFORM": platform, "LP_NUM_THREADS": "0"}
        window, _ = verdict(command, {**environment, "DISPLAY": display}, options.limit)
        # Threads that race need the order of rank 0's, as the run says.
        ordered = ["--threads", "ordered"] if "multithread" in name else []
        wall, errors = verdict(launcher + ordered + ["--"] + command, environment, options.limit)
        return window, wall, errors

    def run(display):
        for name, platform, command in tests(options.piglit, options.seed)[options.first:]:
            if options.minutes and time.monotonic() - begun > 60 * options.minutes:
                break
            if not re.search(options.only, name) or (chosen is not None and name not in chosen):
                continue
            window, wall, errors = both(name, platform, command, display)
            if window != wall: # a busy machine may be the reason
                window, wall, errors = both(name, platform, command, display)
            counts[window, wall] += 1
            if window == wall:
                continue
            why = reason_for(name, window, wall, errors)
            (named if why else differ)[name] = [platform, window, wall, why]
            print(f"{name} ({platform}): {window} in a window, {wall} on 2x2{': ' + why if why else ''}", flush=True)
            with open(os.path.join(options.results, "piglit.log"), "a", encoding="utf-8") as log:
                log.write(f"== {name} ({' '.join(command)})\n{errors}\n")

    on_display(run)
    done = sum(counts.values())
    for (window, wall), times in sorted(counts.items()):
        print(f"{times:6} {window} in a window, {wall} on 2x2")
    for why, times in collections.Counter(one[3] for one in named.values()).items():
        print(f"{times:6} have another verdict, because {why}")
    print(f"{done - len(differ) - len(named)} of {done} have the same verdict, {len(differ)} another one for no reason "
          f"that is known (seed {options.seed}, from test {options.first})")
    with open(kept, "w", encoding="utf-8") as file:
        json.dump({"seed": options.seed, "from": options.first, "tests": done, "differ": differ, "named": named}, file, indent=1)
    return not differ
