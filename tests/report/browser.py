"""Headless Chromium through its DevTools protocol, over a pipe, which needs only Python."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """Chromium's path, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name)
        if path:
            return path
    return None


# The WCAG's contrast of pairs of the page's custom properties, [name, name behind it, the least]: the pairs that fail.
CONTRAST = r"""(pairs => {
  const numbers = text => text.match(/[\d.]+/g).map(Number);
  const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const value = name => { const e = document.createElement('i'); e.style.color = `var(--${name})`;
    document.body.append(e); const c = numbers(getComputedStyle(e).color); e.remove();
    // A name that the page lacks would have the colour around it.
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`) ? c : [NaN, NaN, NaN]; };
  return pairs.map(([a, b, least]) => [a, b, least, ratio(value(a), value(b))]).filter(([, , least, is]) => !(is >= least))
    .map(([a, b, least, is]) => `${a} on ${b}: ${is.toFixed(2)} < ${least}`);
})"""


class Browser:
    def __init__(self, path, patience=300):
        self.patience = patience
        self.profile = tempfile.mkdtemp(prefix="wideload-chromium-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def keep():  # the browser reads from descriptor 3 and writes to 4
            low, high = os.dup(to_read), os.dup(to_write)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=keep, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        for descriptor in (self.to, self.back):
            os.close(descriptor)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.back, 1 << 16)
            if not data:
                raise EOFError("the browser has gone")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + self.patience
        while True:
            answer = self.message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width, scheme):
        """Loads a file with a width and a colour scheme; returns the errors of the console and the network."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + self.patience
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message(deadline))
        self.evaluate("document.fonts.ready.then(() => 1)")
        return [event for event in self.events
                if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled",
                                           "Network.loadingFailed")]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def low_contrast(self, pairs):
        """The pairs of CONTRAST that fail, in words."""
        return self.evaluate(f"{CONTRAST}({json.dumps(pairs)})")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def screenshot_part(self, path, y, height, width):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": y, "width": width, "height": height, "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
