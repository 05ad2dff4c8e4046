# SPDX-License-Identifier: GPL-2.0-only
#
# Drives a Chromium without a window, by its DevTools protocol over a pipe.
#
#	with Browser(folder) as browser:
#		browser.size(1280, 900)
#		browser.open("file:///page.html")
#		browser.run("document.title")
#		browser.press("/")

import base64
import json
import os
import select
import shutil
import subprocess
import time

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
           "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-sync",
           "--remote-debugging-pipe"]
# What a key writes, and its code, where that is not the letter itself
KEYS = {"Enter": ("\r", 13), "Escape": ("", 27), "Backspace": ("", 8), "Tab": ("\t", 9), "ArrowLeft": ("", 37),
        "ArrowUp": ("", 38), "ArrowRight": ("", 39), "ArrowDown": ("", 40), "Home": ("", 36)}


class Browser:
    """@folder: where it keeps its files.  @said: errors and messages of the console so far."""

    def __init__(self, folder, timeout=60):
        self.folder, self.timeout, self.said, self.number, self.rest = folder, timeout, [], 0, b""
        self.waiting = []

    def __enter__(self):
        down, self.down = os.pipe()
        self.up, up = os.pipe()
        # the pipe is descriptors 3 and 4 there
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec 3<&%d 4>&%d; exec "$@"' % (down, up), "sh", shutil.which("chromium"),
             "--user-data-dir=" + self.folder] + OPTIONS + ["about:blank"],
            pass_fds=(down, up), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(part + ".enable")
        return self

    def __exit__(self, *_):
        os.close(self.down)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.up)

    def receive(self):
        """The next message."""
        end = time.monotonic() + self.timeout
        while b"\0" not in self.rest:
            if not select.select([self.up], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.up, 1 << 20)
            if not more:
                raise EOFError("the browser is gone")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        self.note(message)
        return message

    def note(self, message):
        method, of = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.said.append(json.dumps(of["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.said.append(json.dumps(of["args"]))
        elif method == "Log.entryAdded":
            self.said.append(of["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not of["request"]["url"].startswith(("file:", "about:")):
            self.said.append("asks for " + of["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.send(message)
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                break
            self.waiting.append(answer.get("method"))
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def send(self, message):
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.down, text):]

    def size(self, width, height, dark=False):
        """Sets the size of the window, and whether its user likes dark pages."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        """Returns the seconds until the page is drawn."""
        begin = time.monotonic()
        self.waiting.clear()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.waiting:
            self.waiting.append(self.receive().get("method"))
        self.settle()
        return time.monotonic() - begin

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(1))))")

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" % (script, answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key, **more):
        text, code = KEYS.get(key, (key, ord(key[0].upper())))
        for kind in ("keyDown", "keyUp"):
            params = {"type": kind, "key": key, "windowsVirtualKeyCode": code, **more}
            if text and kind == "keyDown":
                params["text"] = text
            self.call("Input.dispatchKeyEvent", **params)

    def mouse(self, *points):
        """Presses the button at the first point, moves over the others, and lets it go."""
        kinds = ["mousePressed"] + ["mouseMoved"] * (len(points) - 1) + ["mouseReleased"]
        for kind, (x, y) in zip(kinds, list(points) + [points[-1]]):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.settle()

    def picture(self, path, whole=False):
        self.settle()
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
