"""A browser by WebDriver: Debian's chromium and chromium-driver, without a display."""
import base64
import contextlib
import json
import re
import shutil
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request

from wall import PATIENCE, Failed, wait_until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing():
    names = [f"{name} (Debian: {package})" for name, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver"))
             if not shutil.which(name)]
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:  # chromedriver looks it up
        names.append("localhost (a line of /etc/hosts)")
    return names


class Browser:
    """At the end of a `with` it ends, and a failure leaves a picture of the page in this file."""

    def __init__(self, failed):
        self.failed = failed
        # Its processes end a moment after the session, and write until then.
        self.folder = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            if not line:
                raise Failed("chromedriver ended")
            found = re.search(r"started successfully on port (\d+)", line)
            port = found and found.group(1)
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--window-size=1280,1000", f"--user-data-dir={self.folder.name}"]
        capabilities = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"},
                        "acceptInsecureCerts": True}
        self.session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure:
            with contextlib.suppress(Failed, OSError):  # the failure that counts is the first one
                self.picture(self.failed)
        self.end()

    def _ask(self, method, path, body=None):
        if self.session:
            path = f"/session/{self.session}{path}"
        request = urllib.request.Request(self.base + path, None if body is None else json.dumps(body).encode(),
                                         {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60 * PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(f"WebDriver, {path}: {error.read().decode()[:400]}") from None

    def open(self, address):
        self._ask("POST", "/url", {"url": address})

    def js(self, script, *arguments):
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self._ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def wait_for_element(self, selector):
        """A page that has just said something may show the buttons that belong to it a moment later."""
        self.wait_for("return document.querySelector(arguments[0]) !== null", selector, selector)

    def click(self, selector):
        self.wait_for_element(selector)
        # The driver leaves what lies under the page's head where it is.
        self.js("""const e = document.querySelector(arguments[0]), b = e.getBoundingClientRect();
          if (!e.contains(document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2))) e.scrollIntoView({block: 'center'})""", selector)
        self._ask("POST", f"/element/{self.find(selector)}/click", {})

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def press_at(self, selector, x, y, button=0):
        """Left button, or 2: the right one, at this share of the element's width and height."""
        at = dict(zip("xy", self.place_of(selector, x, y)))
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, **at}, {"type": "pointerDown", "button": button},
            {"type": "pointerUp", "button": button}]}]})

    def place_of(self, selector, x, y):
        """On the screen, to which it is scrolled where it lies outside or below the page's head."""
        self.wait_for_element(selector)
        return self.js("""const e = document.querySelector(arguments[0]);
          const place = () => { const b = e.getBoundingClientRect(); return [b.x + b.width * arguments[1], b.y + b.height * arguments[2]].map(Math.round); };
          if (place()[1] < 100 || place()[1] >= innerHeight) e.scrollIntoView({block: 'center'});
          return place()""", selector, x, y)

    def move_to(self, selector, x, y):
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, **dict(zip("xy", self.place_of(selector, x, y)))}]}]})

    def _cdp(self, command, **parameters):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def swipe(self, x, y, by):
        """One finger, from here up by -by pixels; 0: a tap."""
        self._cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for part in range(1, 11 if by else 1):
            self._cdp("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x, "y": y + by * part / 10}])
        self._cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def type(self, text):
        steps = [step for c in text for step in ({"type": "keyDown", "value": c}, {"type": "keyUp", "value": c})]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def chord(self, held, key):
        """One key while another one is held."""
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": held}, {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key},
            {"type": "keyUp", "value": held}]}]})

    def resize(self, width, height, touch=False):
        self._cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self._cdp("Emulation.setTouchEmulationEnabled", enabled=touch)

    def prefer(self, scheme):
        self._cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._ask("GET", "/screenshot")))

    def complaints(self):
        return [line["message"] for line in self._ask("POST", "/se/log", {"type": "browser"}) if line["level"] == "SEVERE"]

    def wait_for(self, script, what, *arguments):
        return wait_until(lambda: self.js(script, *arguments), what)

    def end(self):
        try:
            if self.session:
                self._ask("DELETE", "")
        except Exception:  # it may have gone
            pass
        self.driver.terminate()
        self.driver.wait(60 * PATIENCE)
        self.folder.cleanup()
