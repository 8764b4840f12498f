"""The page in each of its states, by the rules of axe-core and by keyboard. axe-core comes by npm, into FOLDER.
accessibility.py WALLD PROGRAM FOLDER"""
import os
import shutil
import subprocess
import sys

from browser import Browser, missing
from states import Stage, all_states, settles
from wall import PATIENCE, main, require

server, program, folder = sys.argv[1:4]
AXE = "axe-core@4.10.3"
RUN = """return axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then((found) =>
  found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`))"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def fetch_axe():
    script = os.path.join(folder, "node_modules", "axe-core", "axe.min.js")
    if not os.path.exists(script):
        if not shutil.which("npm"):
            skip("npm is missing, which fetches axe-core (Debian: npm)")
        try:
            made = subprocess.run(["npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, AXE],
                                  capture_output=True, text=True, timeout=90 * PATIENCE)
        except subprocess.TimeoutExpired:
            skip(f"npm does not fetch {AXE} within {90 * PATIENCE} seconds")
        if not os.path.exists(script):
            skip(f"npm does not fetch {AXE}: {made.stderr.strip().splitlines()[:1]}")
    with open(script) as file:
        return file.read()


def by_keyboard(browser):
    """Tab comes to every control; the picture says how it is left, and gives the focus back."""
    trap = "return getComputedStyle(document.getElementById('trap')).display !== 'none'"
    require(not browser.js(trap), "the picture says how to leave it before anybody is there")
    browser.js("document.getElementById('wall').focus()")
    require(browser.js(trap), "the picture does not say how to leave it")
    browser.type("\ue008\ue00c")  # Shift, Escape: released one after the other, so this is Escape for the program
    browser.chord("\ue008", "\ue00c")
    require(browser.js("return document.activeElement.closest('.tools') !== null"), "Shift and Escape leave the picture")
    wanted = browser.js("""return [...document.querySelectorAll('button, input, select, summary, [tabindex]')].filter((e) =>
      !e.disabled && e.offsetParent && e.id !== 'wall').length""")
    seen = set()
    for _ in range(wanted + 3):
        seen.add(browser.js("const e = document.activeElement; return e.id || e.dataset.show || e.dataset.nudge || e.outerHTML"))
        browser.js("document.activeElement.id === 'wall' && document.getElementById('large').focus()")
        browser.type("\ue004")
    for name in ("screenshot", "film", "record", "adjust", "control", "quit", "charts", "range", "log", "filter", "rank", "severity"):
        require(name in seen, f"Tab does not come to {name}: {sorted(seen)}")


def test():
    axe, seen = fetch_axe(), []

    def look(name, browser):
        """Light and wide, dark and narrow, in turn: each state in one of the two, most rules in all."""
        seen.append(name)
        if name == "running":
            by_keyboard(browser)
        dark = len(seen) % 2 == 0
        browser.prefer("dark" if dark else "light")
        browser.resize(390 if dark else 1280, 844 if dark else 1000)
        browser.js("scrollTo(0, 0)")  # what lies under the head of the page counts as small
        settles(browser)
        browser.js(axe)
        found = browser.js(RUN)
        require(found == [], f"{name}: " + "\n  ".join(found))
        wide = browser.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        require(wide <= 0, f"{name}: the page is {wide} pixels wider than the screen")
        browser.resize(1280, 1000)

    with Browser(f"{folder}/failed.png") as browser:
        browser.resize(1280, 1000)
        all_states(Stage(server, program, folder, look), browser)
    require(len(seen) >= 14, f"states: {seen}, expected all")


if missing():
    skip(f"{' and '.join(missing())} missing")
os.makedirs(folder, exist_ok=True)
main(test)
