"""walld with a list of programs, by TLS, from another address: what it refuses, and start, watch, restart and stop in a
browser.  programs.py WALLD PROGRAM FOLDER"""
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import urllib.request
import warnings
import zlib

from browser import Browser, missing
from states import confirm
from wall import Wall, began_again, is_open, main, require, wait_until

server, program, folder = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
apps, certificate, key, picture = (f"{folder}/{name}" for name in ("apps.toml", "certificate.pem", "key.pem", "subject.png"))


def png():
    """One red pixel."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))


def refused(arguments, word):
    ended = subprocess.run([server, *arguments], capture_output=True, text=True, timeout=60)
    require(ended.returncode and word in ended.stderr, f"{arguments}: {ended.returncode} {ended.stderr}, expected '{word}'")


def refuses(wall):
    refused([wall, "--listen", "0.0.0.0"], "--certificate")
    refused([wall, "--listen", "0.0.0.0", "--certificate", certificate], "expected --key as well")
    refused([wall, "--insecure"], "--insecure: expected --listen")
    refused([wall, "--certificate", f"{folder}/none.pem", "--key", key, "--port", "0"], "certificate and key readable")
    refused([wall, "--apps", f"{folder}/none.toml"], "none.toml")
    with open(apps, "w") as file:
        file.write("[[app]]\nname = 'one'\n")
    refused([wall, "--apps", apps], "command")


def spoken(port, version):
    """The version of TLS that a client gets that offers this one alone, or None."""
    context = ssl._create_unverified_context()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the old one is what this is about
        context.minimum_version = context.maximum_version = version
    context.set_ciphers("ALL:@SECLEVEL=0")
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as one, context.wrap_socket(one) as tls:
            return tls.version()
    except OSError:
        return None


def row(browser, state):
    return browser.text("#programs").find("(running)") >= 0 if state else "(running)" not in browser.text("#programs")


def operates(browser, wall):
    wait_until(lambda: "subject" in browser.text("#programs"), "the list of programs")
    require(browser.js("return document.querySelector('#programs-section').hidden") is False, "the programs are shown")
    wait_until(lambda: browser.js("return document.querySelector('#programs img').naturalWidth") == 1, "the program's picture")
    require("no program" in browser.text("#state"), f"before the start: {browser.text('#state')}")
    browser.click("[aria-label='Start subject']")
    wait_until(lambda: browser.text("#state").startswith("running") and row(browser, True), "the program runs")
    wait_until(lambda: int(browser.js("return document.getElementById('wall').dataset.pictures ?? 0")) > 4, "live pictures")
    status, answer, _ = wall.ask("POST", "/api/v1/programs/subject/start?control=take")
    require(status == 409 and b"stop it first" in answer, f"a second start: {status} {answer}, expected 409")
    began = wall.run()["began"]
    browser.picture(f"{folder}/programs.png")
    browser.click("[aria-label='Restart subject']")
    confirm(browser)
    wait_until(lambda: began_again(wall, began), "another run")
    wait_until(lambda: row(browser, True) and browser.text("#state").startswith("running"), "the page shows it")
    browser.click("[aria-label='Switch to bare']")
    confirm(browser)
    wait_until(lambda: (run := wall.run()) and run["name"] == "bare" and run["frames"] > 0, "another program, in one step")
    wait_until(lambda: "(running)" in browser.text("#programs li:nth-child(2)"), "the page shows it")
    browser.click("[aria-label='Stop bare']")
    confirm(browser)
    wait_until(lambda: row(browser, False) and "ended" in browser.text("#state"), "the program has ended")
    history = wall.json("GET", "/api/v1/programs")["history"]
    require(len(history) == 3 and all(run["ended"] for run in history), f"what ran when: {history}, expected three runs")


def test():
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
                    "-subj", "/CN=localhost"], check=True, capture_output=True)
    refuses("2x1@120x90")
    with open(picture, "wb") as file:
        file.write(png())
    with open(apps, "w") as file:
        file.write(f"[[app]]\nname = 'subject'\ncommand = '{program}'\npicture = 'subject.png'\n[[app]]\nname = 'bare'\ncommand = '{program}'\n")
    with Wall([server, "2x1@120x90+10+0", "--headless", "--apps", apps, "--captures", folder, "--port", "0", "--listen", "0.0.0.0",
               "--certificate", certificate, "--key", key]) as wall:
        host = socket.gethostname()
        require(wall.link.startswith(f"https://{host}:"), f"{wall.link}: expected https and this host's name")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{wall.port}/", timeout=10)
            require(False, "the server answers without TLS, expected silence")
        except OSError:
            pass
        shy = [socket.create_connection(("127.0.0.1", wall.port), 10) for _ in range(300)]
        require(wall.ask("GET", "/api/v1/status", token=False)[0] == 401, "by TLS, too, the token is wanted")
        for version, expected in ((ssl.TLSVersion.TLSv1_1, None), (ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
            require(spoken(wall.port, version) == expected, f"{version.name}: {spoken(wall.port, version)}, expected {expected}")
        require(any(map(is_open, shy)), "who waits for no TLS handshake of others")
        wait_until(lambda: 0 < sum(map(is_open, shy)) < 200, "those without a TLS handshake have no more seats than others")
        for one in shy:
            one.close()
        cookie = wall.ask("GET", f"/?token={wall.token}", token=False)[2]["set-cookie"]
        require("; Secure" in cookie, f"{cookie}: expected Secure")
        require(wall.ask("GET", "/api/v1/programs/bare/picture")[0] == 404, "a program without a picture")
        if missing():
            print(f"skipped: {' and '.join(missing())} missing")
            return
        with Browser(f"{folder}/failed.png") as browser:
            browser.open(wall.link.replace(host, "localhost"))
            operates(browser, wall)


if not shutil.which("openssl"):
    print("skipped: openssl is missing (Debian: openssl)")
    sys.exit(77)
main(test)
