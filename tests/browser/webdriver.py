"""A headless Chromium driven over chromedriver's HTTP protocol (https://www.w3.org/TR/webdriver2/),
with Python's standard library alone."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

DRIVERS = ("chromedriver", "chromium.chromedriver")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Missing(Exception):
    """There is no browser here."""


class Browser:
    """One session; `with Browser() as b:` ends browser and driver."""

    def __init__(self):
        driver = next(filter(None, map(shutil.which, DRIVERS)), None)
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if not driver or not browser:
            raise Missing("no chromium with chromedriver (Debian: chromium, chromium-driver)")
        self.profile = tempfile.mkdtemp(prefix="gpubench-browser.")
        self.driver = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "HOME": self.profile, "XDG_CONFIG_HOME": self.profile,
                 "XDG_CACHE_HOME": self.profile})
        try:
            self._start(browser)
        except BaseException:
            self.close()
            raise

    def _start(self, browser):
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            if not line:
                raise RuntimeError("chromedriver ended at once")
            found = re.search(r"started successfully on port (\d+)", line)
            port = found and found.group(1)
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--hide-scrollbars", "--no-first-run", "--disable-component-update",
                     "--disable-background-networking", "--disable-sync", "--disable-extensions",
                     "--window-size=1440,900", f"--user-data-dir={self.profile}/profile"]
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": browser, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.base += "/session/" + made["sessionId"]
        self.cdp("Network.enable")
        self.cdp("Page.enable")

    def _call(self, method, path, body=None):
        # Straight to the driver: a proxy of the environment has no business here.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise RuntimeError(f"{path}: {text[:1500]}") from None

    def cdp(self, command, **params):
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def open(self, path):
        self._call("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self, kind):
        """What was logged since the last call: "browser" or "performance"."""
        return self._call("POST", "/se/log", {"type": kind})

    def requests(self):
        """URLs that pages asked for since the last call."""
        out = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                out.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                out.append(message["params"]["url"])
        return out

    def width(self, pixels, height=900):
        self.cdp("Emulation.setDeviceMetricsOverride", width=pixels, height=height,
                 deviceScaleFactor=1, mobile=False)

    def media(self, kind="screen", scheme="light"):
        self.cdp("Emulation.setEmulatedMedia", media=kind,
                 features=[{"name": "prefers-color-scheme", "value": scheme},
                           {"name": "prefers-reduced-motion", "value": "reduce"}])

    def scripts(self, allowed):
        self.cdp("Emulation.setScriptExecutionDisabled", value=not allowed)

    def press(self, key, code, text=None):
        event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.cdp("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown",
                 **({"text": text} if text else {}), **event)
        self.cdp("Input.dispatchKeyEvent", type="keyUp", **event)

    def screenshot(self, path, whole=True):
        shot = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def close(self):
        try:
            if hasattr(self, "base") and "/session/" in self.base:
                self._call("DELETE", "")
        except (RuntimeError, OSError):
            pass
        self.driver.terminate()
        try:
            self.driver.wait(10)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
