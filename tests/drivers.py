"""Firefox and WebKit without a window, as tests of pages ask them: what Playwright needs builds of its own for.

Firefox knows WebDriver BiDi by itself (https://w3c.github.io/webdriver-bidi/): each command is one JSON over a web
socket, each answer bears its number. WebKitGTK comes with a driver that speaks WebDriver
(https://w3c.github.io/webdriver/), one request a command, and draws on a screen that nobody sees (Xvfb).
"""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websocket  # a part of JupyterLab's server
from lab import PATIENCE, free_port, wait_until

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
MINIBROWSER = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None)
WEBKIT = MINIBROWSER if shutil.which("WebKitWebDriver") and shutil.which("Xvfb") else None
ENTER = "\ue007"


class Page:
    """A tab, and what went wrong in it."""

    errors: list[str]

    def open(self, address: str) -> None:
        raise NotImplementedError

    def run(self, expression: str) -> Any:
        """What an expression gives, as JSON has it."""
        raise NotImplementedError

    def press(self, keys: str) -> None:
        raise NotImplementedError

    def text(self, selector: str) -> str:
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def wait_for(self, selector: str, words: str) -> None:
        wait_until(
            lambda: words in self.text(selector), lambda: f"{words!r} in {selector}, not {self.text(selector)!r}"
        )

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click() ?? 0")

    def type_in(self, selector: str, text: str) -> None:
        """Write into a field by the keyboard, in place of what it holds, and press Enter."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus() ?? 0")
        self.run(f"document.querySelector({json.dumps(selector)}).select() ?? 0")
        self.press(text + ENTER)


def strokes(keys: str) -> list[dict[str, Any]]:
    """Keys pressed one after the other, as both protocols write them."""
    pressed = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
    return [{"type": "key", "id": "keys", "actions": pressed}]


# ─── Firefox ─────────────────────────────────────────────────────────────────────────────────────────────────────────

PREFERENCES = {
    "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,  # the network is shut
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,
    "remote.prefs.recommended": True, "toolkit.telemetry.enabled": False,
}  # fmt: skip


class Firefox(Page):
    def __init__(self, socket: Any):
        self.socket, self.numbers, self.errors = socket, itertools.count(1), []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        (context,) = self.ask("browsingContext.getTree")["contexts"]
        self.context = context["context"]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command; what the page logs meanwhile is kept."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"]["text"])
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]

    def open(self, address: str) -> None:
        self.ask("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def run(self, expression: str) -> Any:
        whole = f"(async () => JSON.stringify(await ({expression})))()"
        answer = self.ask("script.evaluate", expression=whole, target={"context": self.context}, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"].get("value", "null"))

    def press(self, keys: str) -> None:
        self.ask("input.performActions", context=self.context, actions=strokes(keys))


@contextlib.contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Firefox with a new profile in a folder."""
    (folder / "user.js").write_text(
        "".join(f"user_pref({json.dumps(n)}, {json.dumps(v)});\n" for n, v in PREFERENCES.items())
    )
    port = free_port()
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", str(port)]
    with (folder / "firefox.log").open("w") as log:
        process = subprocess.Popen([*map(str, command), "about:blank"], stdout=log, stderr=log)
    try:
        socket = wait_until(lambda: connected(port), "Firefox to answer")
        yield Firefox(socket)
        socket.close()
    finally:
        process.terminate()
        process.wait(PATIENCE)


def connected(port: int) -> Any:
    with contextlib.suppress(OSError, websocket.WebSocketException):
        return websocket.create_connection(f"ws://127.0.0.1:{port}/session", timeout=PATIENCE, suppress_origin=True)
    return None


# ─── WebKit ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class WebKit(Page):
    def __init__(self, port: int):
        self.address, self.errors = f"http://127.0.0.1:{port}/session", []
        options = {"binary": str(MINIBROWSER), "args": ["--automation"]}
        answer = self.ask("", capabilities={"alwaysMatch": {"webkitgtk:browserOptions": options}})
        self.address += f"/{answer['sessionId']}"

    def ask(self, command: str, **params: Any) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + command, json.dumps(params).encode(), headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def open(self, address: str) -> None:
        """Open a page. The driver tells no errors: from now on the page keeps its own."""
        self.ask("/url", url="about:blank")  # else another place in the same page would be all that changes
        self.ask("/url", url=address)
        self.run("(window.wrong = [], addEventListener('error', ({ message }) => window.wrong.push(message)))")

    def close(self) -> None:
        urllib.request.urlopen(urllib.request.Request(self.address, method="DELETE"), timeout=PATIENCE).close()

    def run(self, expression: str) -> Any:
        script = f"const done = arguments[0]; (async () => JSON.stringify(await ({expression})))().then(done)"
        return json.loads(self.ask("/execute/async", script=script, args=[]) or "null")

    def press(self, keys: str) -> None:
        self.ask("/actions", actions=strokes(keys))

    def wait_for(self, selector: str, words: str) -> None:
        super().wait_for(selector, words)
        self.errors = self.run("window.wrong")


@contextlib.contextmanager
def webkit(folder: Path) -> Iterator[WebKit]:
    """WebKitGTK's small browser on a screen of its own."""
    (port, number), log = (free_port(), free_port()), (folder / "webkit.log").open("w")
    screen = {"DISPLAY": f":{number}", "HOME": str(folder), "http_proxy": "http://127.0.0.1:9"}  # the network is shut,
    screen["no_proxy"] = "127.0.0.1"  # but for the driver
    commands = [
        ["Xvfb", f":{number}", "-screen", "0", "1280x1000x24", "-nolisten", "tcp"],
        ["WebKitWebDriver", f"--port={port}"],
    ]
    with log:
        processes = [subprocess.Popen(each, stdout=log, stderr=log, env=os.environ | screen) for each in commands]
    try:
        page = wait_until(lambda: answering(port), "WebKit to answer")
        yield page
        page.close()
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(PATIENCE)


def answering(port: int) -> WebKit | None:
    with contextlib.suppress(OSError):
        return WebKit(port)
    return None
