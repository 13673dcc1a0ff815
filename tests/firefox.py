"""Firefox without a head, spoken to by WebDriver BiDi, which it knows by itself: what tests of pages ask of it.

https://w3c.github.io/webdriver-bidi/: each command is one JSON over a web socket, each answer bears its number.
"""

import contextlib
import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websocket  # a part of JupyterLab's server
from lab import PATIENCE, free_port, wait_until

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PREFERENCES = {
    "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,  # the network is shut
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,
    "remote.prefs.recommended": True, "toolkit.telemetry.enabled": False,
}  # fmt: skip


class Page:
    """A tab of Firefox, and what went wrong in it."""

    def __init__(self, socket: Any):
        self.socket, self.numbers, self.errors = socket, itertools.count(1), list[str]()
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
        """What an expression gives, as JSON has it."""
        whole = f"(async () => JSON.stringify(await ({expression})))()"
        answer = self.ask("script.evaluate", expression=whole, target={"context": self.context}, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"].get("value", "null"))

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
        keys = [{"type": kind, "value": key} for key in [*text, "\ue007"] for kind in ("keyDown", "keyUp")]
        self.ask("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": keys}])


@contextlib.contextmanager
def started(folder: Path) -> Iterator[Page]:
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
        yield Page(socket)
        socket.close()
    finally:
        process.terminate()
        process.wait(PATIENCE)


def connected(port: int) -> Any:
    with contextlib.suppress(OSError, websocket.WebSocketException):
        return websocket.create_connection(f"ws://127.0.0.1:{port}/session", timeout=PATIENCE, suppress_origin=True)
    return None
