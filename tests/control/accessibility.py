"""The page by the rules of axe-core, light and dark, wide and narrow, at rest and with the wall being adjusted. axe-core
comes by npm, into FOLDER.  accessibility.py MPIGLUTRUN PROGRAM FOLDER"""
import os
import shutil
import subprocess
import sys

from browser import Browser, missing
from wall import PATIENCE, Wall, main, require, wait_until

launcher, program, folder = sys.argv[1:4]
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


def is_accessible(browser, axe, what):
    browser.js(axe)
    found = browser.js(RUN)
    require(found == [], f"{what}: " + "\n  ".join(found))


def by_keyboard(browser):
    """Tab comes to every control; the picture gives the focus back."""
    browser.js("document.activeElement.blur(); document.getElementById('wall').focus()")
    browser.type("\ue008\ue00c")  # Shift, Escape: released one after the other, so this is Escape for the program
    browser.chord("\ue008", "\ue00c")
    require(browser.js("return document.activeElement.id") == "screenshot", "Shift and Escape leave the picture")
    wanted = browser.js("""return [...document.querySelectorAll('button, input, select, summary, [tabindex]')].filter((e) =>
      !e.disabled && e.offsetParent && e.id !== 'wall').length""")
    seen = set()
    for _ in range(wanted + 3):
        seen.add(browser.js("const e = document.activeElement; return e.id || e.dataset.show || e.dataset.nudge || e.outerHTML"))
        browser.js("document.activeElement.id === 'wall' && document.getElementById('large').focus()")
        browser.type("\ue004")
    for name in ("screenshot", "film", "record", "adjust", "control", "quit", "log", "filter", "rank"):
        require(name in seen, f"Tab does not come to {name}: {sorted(seen)}")


def test():
    axe = fetch_axe()
    with Wall([launcher, "--headless", "--wall", "2x1@160x105+10", "--control", "0", "--captures", folder, "--", program]) as wall, \
            Browser(f"{folder}/failed.png") as browser:
        wall.wait_for_frames()
        browser.open(wall.link)
        wait_until(lambda: browser.text("#state").startswith("running"), "the page says running", 30)
        browser.wait_for("return document.querySelectorAll('#charts polyline').length >= 3", "charts")
        is_accessible(browser, axe, "light")
        by_keyboard(browser)
        browser.click("#adjust")
        wait_until(lambda: "10" in browser.text("#place"), "the bezels")
        browser.press_at("#wall", .1, .5)
        wait_until(lambda: "moved" in browser.text("#place"), "a tile is chosen")
        browser.prefer("dark")
        browser.resize(360, 780)
        is_accessible(browser, axe, "dark and narrow, adjusting")


if missing():
    skip(f"{' and '.join(missing())} missing (Debian: chromium, chromium-driver)")
os.makedirs(folder, exist_ok=True)
main(test)
