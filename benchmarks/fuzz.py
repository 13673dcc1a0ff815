"""Broken input, ten thousand times: every failure must be one clear sentence and exit status 2.

    python -m benchmarks.fuzz                                     # all of it; goes on where it was stopped
    python -m benchmarks.fuzz --only config trees --cases 500 --seeds my_seeds

    tokenizer    tokenizer.model with bytes changed, cut out, doubled; then text through what still loads
    text         any text through the tokenizer and back
    config       config.json with values, names and bytes changed
    checkpoint   a checkpoint whose files are damaged, and `translate` with it
    state        state.safetensors and log.jsonl damaged, and `train --resume`
    translate    random bytes into `translate`
    trees        bracketed trees and tree tokens damaged, read, repaired and scored by `corpora.treebank`
    downloads    a server that cuts off, sends other bytes or headers, redirects, is slow; `corpora.translation`'s fetch

Case number n of a target is a pure function of (target, n): a failure is repeated by --only TARGET --first n --cases 1.
Cases run in a process that may die: the number of the case is on the disk before it begins. SEEDS/TARGET.json keeps how
many are done and the numbers of those that failed. Nothing but this machine is asked for anything.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import http.server
import importlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import safekeeping
from corpora import translation, treebank

SHAPE = dict(n_layers=1, d_model=8, d_ff=12, n_heads=2, d_k=4, d_v=3)
WORDS = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "Äpfel", "naïve", "日本", "🦊"]
ODD: list[Any] = [0, -1, 1, 2, 10**12, 10**400, 1 << 62, 1 << 63, 0.5, 1e308, -0.0, float("nan"), float("inf"), True,
                  None, [], [1], {}, {"a": 1}, "", "two", "pre", "learned", "global", "deep-global"]  # fmt: skip
PATIENCE = 30  # seconds that a case may take


# ─── How input is broken ─────────────────────────────────────────────────────────────────────────────────────────────
def damaged(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, cut out, doubled, put in, or all after some place gone."""
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        at, n = rng.randrange(len(data) + 1), rng.choice([1, 1, 2, 8, 64])
        match rng.randrange(6):
            case 0:
                data = data[:at] + rng.randbytes(1) + data[at + 1 :]
            case 1:
                data = data[:at] + data[at + n :]
            case 2:
                data = data[:at] + data[at : at + n] * rng.choice([2, 3, 100]) + data[at + n :]
            case 3:
                data = data[:at] + rng.choice([rng.randbytes(n), b"\xff" * n, b"\x00" * n, b"9" * n]) + data[at:]
            case 4:
                data = data[:at]
            case 5 if data:
                at = rng.randrange(len(data))
                data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    return data


def damaged_json(values: dict[str, Any], rng: random.Random) -> bytes:
    """Entries changed, gone, new, or the bytes of the text damaged."""
    values = dict(values)
    for _ in range(rng.randint(1, 3)):
        name = rng.choice([*values, "n_heeds", "__class__"]) if values else "n_heeds"
        if rng.random() < 0.15:
            values.pop(name, None)
        else:
            values[name] = rng.choice([*ODD, rng.randrange(-5, 10**6)])
    data = json.dumps(values).encode()
    if rng.random() < 0.25:
        data = rng.choice([damaged(data, rng), b"[" * rng.choice([5, 100_000]) + data, rng.randbytes(50), b""])
    return data


def damaged_safetensors(data: bytes, rng: random.Random) -> bytes:
    """The length of the header, the header or the bytes changed."""
    length = int.from_bytes(data[:8], "little")
    header, rest = data[8 : 8 + length], data[8 + length :]
    match rng.randrange(5):
        case 0:
            return (
                rng.choice([rng.randrange(1 << 64), length + 1, length - 8, 1 << 40]).to_bytes(8, "little") + data[8:]
            )
        case 1:
            return damaged(data, rng)
        case 2:
            header = damaged(header, rng)
        case 3:
            entries = json.loads(header)
            entry = entries[rng.choice(sorted(entries))]
            entry[rng.choice(sorted(entry))] = rng.choice(
                [*ODD, [1 << 62, 4], [10**9], [0, 10**15], "F64", "U8", "I64"]
            )
            header = json.dumps(entries).encode()
        case 4:
            rest = rng.choice([rest[: len(rest) // 2], rest + b"more", b"\xff" * len(rest)])
    return len(header).to_bytes(8, "little") + header + rest


def any_text(rng: random.Random) -> str:
    """Words, and characters from all over Unicode."""

    def piece() -> str:
        match rng.randrange(8):
            case 0:
                return chr(rng.choice([*range(0x20), 0x7F, 0x85, 0x2028, 0x202E, 0xFEFF, 0x2581, 0xFFFD, 0x10FFFF]))
            case 1:
                return "".join(chr(rng.choice([*range(0xD800), *range(0xE000, 0x10FFFF, 997)])) for _ in range(3))
            case 2:
                return rng.choice(
                    ["<s>", "</s>", "<pad>", "<unk>", "<0x41>", "▁▁", "e\u0301", "\u200d", "<img onerror>"]
                )
            case 3:
                return rng.choice(WORDS) * rng.choice([1, 5, 200])
        return rng.choice(WORDS)

    return rng.choice(["", " "]).join(piece() for _ in range(rng.choice([0, 1, 3, 10])))


# ─── What must hold ──────────────────────────────────────────────────────────────────────────────────────────────────
class Broken(AssertionError):
    """Input that was not answered as it should be."""


def check(what: str, holds: bool) -> None:
    if not holds:
        raise Broken(what[:2000])


def check_sentence(message: str) -> None:
    """One line, not too long, begun like a sentence and ended like one."""
    good = message == message.strip() and message.isprintable() and len(message) < 2000
    check(f"no clear sentence: {message!r}", good and message[-1:] in (".", "?") and "Traceback" not in message)


def refused_or(work: Callable[[], Any]) -> Any:
    """What comes of some work, or None where it was refused in a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return work()
        except ValueError as error:
            check_sentence(str(error))
            return None


def command(main: Callable[[list[str]], int], words: list[Any], stdin: bytes = b"") -> tuple[int, bytes]:
    """A command line in this process: its status, 0, or 2 with one sentence, and what it wrote to standard output."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    before = sys.stdin, warnings.showwarning
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([str(word) for word in words])
    finally:
        sys.stdin, warnings.showwarning = before
    out.flush()
    printed, last = out.buffer.getvalue(), (err.getvalue().strip().splitlines() or [""])[-1]  # type: ignore[attr-defined]
    check(f"status {status}: {last}", status in (0, 2))
    if status == 2:
        check(f"output before the failure: {printed[:80]!r}", not printed)
        check(f"no error: {last!r}", last.startswith("Error: "))
        check_sentence(last.removeprefix("Error: "))
    return status, printed


# ─── The targets ─────────────────────────────────────────────────────────────────────────────────────────────────────
class Target:
    """Something that reads; `case` gives it the input that follows from rng."""

    def __init__(self, folder: Path):
        self.folder = folder
        torch.manual_seed(0)
        self.tokenizer = tc.Tokenizer.train([" ".join(WORDS[i:] + WORDS[:i]) for i in range(12)], 300)
        self.config = tc.TransformerConfig(len(self.tokenizer), **SHAPE)  # type: ignore[arg-type]
        self.good = folder / "good"
        model = tc.Transformer(self.config)
        tc.save_checkpoint(self.good, self.config, tc.weights_of(model), self.tokenizer)
        self.prepare()

    def prepare(self) -> None:
        pass

    def case(self, rng: random.Random) -> None:
        raise NotImplementedError

    def anew(self, good: Path) -> Path:
        """A copy of a good folder, to be damaged."""
        shutil.rmtree(self.folder / "case", ignore_errors=True)
        shutil.copytree(good, self.folder / "case")
        return self.folder / "case"


class TokenizerFile(Target):
    def case(self, rng: random.Random) -> None:
        path = self.folder / "tokenizer.model"
        path.write_bytes(damaged(self.tokenizer.model, rng))
        if tokenizer := refused_or(lambda: tc.Tokenizer.load(path)):
            ids = refused_or(lambda: tokenizer.encode(any_text(rng))) or []
            refused_or(lambda: (tokenizer.decode(ids), tokenizer.pieces(ids)))


class Text(Target):
    def case(self, rng: random.Random) -> None:
        text = tc.clean(any_text(rng))
        ids = self.tokenizer.encode(text)
        check(f"{text!r} became {self.tokenizer.decode(ids)!r}", self.tokenizer.decode(ids) == text)
        check("ids out of the vocabulary", all(tc.UNK <= i < len(self.tokenizer) for i in ids))
        learned = refused_or(lambda: tc.Tokenizer.train([text, any_text(rng)], rng.choice([5, 260, 300, 10**6])))
        if learned:
            check(f"{text!r} is lost by its own vocabulary", learned.decode(learned.encode(text)) == text)


class Config(Target):
    def prepare(self) -> None:
        self.values = json.loads((self.good / "config.json").read_text())

    def case(self, rng: random.Random) -> None:
        (self.good / "config.json").write_bytes(damaged_json(self.values, rng))
        refused_or(lambda: safekeeping.load_pretrained(self.good))


class Checkpoint(Target):
    def case(self, rng: random.Random) -> None:
        folder = self.anew(self.good)
        path = folder / rng.choice(["model.safetensors"] * 3 + ["tokenizer.model", "config.json"])
        data = path.read_bytes()
        match rng.randrange(8), path.suffix:
            case 0, _:
                path.unlink()
                rng.choice([path.mkdir, lambda: path.symlink_to("/dev/zero"), lambda: os.mkfifo(path), bool])()
            case _, ".safetensors":
                path.write_bytes(damaged_safetensors(data, rng))
            case _, ".json":
                path.write_bytes(damaged_json(json.loads(data), rng))
            case _:
                path.write_bytes(damaged(data, rng))
        words = ["translate", "--checkpoint", folder, "--beam-size", "1", "--max-extra", "2", "--device", "cpu"]
        command(tc.main, words, b"cat dog\n")


class State(Target):
    def prepare(self) -> None:
        data = self.folder / "data"
        data.mkdir()
        for language in ("en", "de"):
            (data / f"train.{language}").write_text("cat dog\nhen\neel fox\n" * 4)
        words = dict(data=data, out=self.folder / "run", preset="fuzz", vocab_size=300, steps=2, tokens_per_batch=12,
                     warmup_steps=2, save_every=2, bleu_sentences=0, device="cpu")  # fmt: skip
        self.words = [w for name, value in words.items() for w in (f"--{name.replace('_', '-')}", str(value))]
        check("the good run fails", command(tc.main, ["train", *self.words])[0] == 0)

    def case(self, rng: random.Random) -> None:
        folder = self.anew(self.folder / "run")
        path = folder / rng.choice(["state.safetensors"] * 4 + ["log.jsonl", "tokenizer.model", "pairs.bin"])
        data = path.read_bytes()
        if path.suffix != ".safetensors":
            data = damaged(data, rng)
        elif rng.random() < 0.6:
            data = self.with_other_metadata(data, rng)
        else:
            data = damaged_safetensors(data, rng)
        path.write_bytes(data)
        words = [*self.words, "--out", folder, "--steps", "3", "--resume"]
        command(tc.main, ["train", *words])

    def with_other_metadata(self, data: bytes, rng: random.Random) -> bytes:
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        metadata = header["__metadata__"]
        name = rng.choice(["place", "about"])
        metadata[name] = damaged_json(json.loads(metadata[name]), rng).decode("latin-1")
        changed = json.dumps(header).encode()
        return len(changed).to_bytes(8, "little") + changed + data[8 + length :]


class Translate(Target):
    def case(self, rng: random.Random) -> None:
        lines = [any_text(rng).encode() for _ in range(rng.randint(0, 4))]
        data = rng.choice([rng.randbytes(rng.randrange(40)), b"\n".join(lines), damaged(b"\n".join(lines), rng)])
        words = ["--beam-size", rng.choice([1, 2]), "--max-extra", "1", "--device", "cpu"]
        status, out = command(tc.main, ["translate", "--checkpoint", self.good, *words], data)
        wanted = data.count(b"\n") + (not data.endswith(b"\n") and data != b"") if status == 0 else 0
        check(f"{wanted} lines read, {out.count(b'%c' % 10)} written", out.count(b"\n") == wanted)


class Trees(Target):
    def prepare(self) -> None:
        self.trees = [
            "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))",
            "( (S (NP-SBJ (-NONE- *)) (VP (VB go) (ADVP (RB away)))) )\n(NP (NN dog))",
            "(S " * 300 + "(NN x)" + ")" * 300,
        ]

    def case(self, rng: random.Random) -> None:
        gold, predicted, out = self.folder / "gold.mrg", self.folder / "predicted", self.folder / "out"
        text = "\n".join(rng.choices(self.trees, k=rng.randint(1, 3))).encode()
        gold.write_bytes(damaged(text, rng) if rng.random() < 0.8 else b"(" * rng.choice([10**5, 3]) + text)
        tokens = ["(S", "(NP", ")NP", ")S", "XX", "(", ")", "()", "((", "X", "\u2028", "NN", ")" * 50]
        soup = " ".join(rng.choices(tokens, k=rng.randint(0, 30)))
        predicted.write_text("\n".join([soup] * rng.randint(1, 3)), encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        keep = rng.choice([[], ["--keep-tags"]])
        command(treebank.main, ["prepare", *keep, gold, out])
        command(treebank.main, ["score", *keep, gold, predicted])


class Downloads(Target):
    """A server on the loopback address, which answers as the case wants."""

    def prepare(self) -> None:
        self.body = random.Random(0).randbytes(3000)
        target = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with contextlib.suppress(OSError):
                    self.connection.sendall(target.answer(self.headers.get("Range")))
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/text.bin"

    def answer(self, asked: str | None) -> bytes:
        """The bytes of a whole answer: status, headers, body, some of it not as it should be."""
        rng, body = self.rng, self.body
        start = int(asked[6:-1]) if asked and rng.random() < 0.7 else 0
        status = f"{206 if start else 200} OK"
        headers = {"Content-Length": str(len(body) - start), "ETag": '"1"'}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        match rng.randrange(8):
            case 0:
                body = body[: rng.randrange(len(body))]
            case 1:
                body = damaged(body, rng)
            case 2:
                odd = ["-1", "x", str(10**30), "", "1e3", "\xff", "12, 13", 'W/""', "bytes */0", "bytes 5-4/3"]
                headers[rng.choice([*headers, "Content-Range", "Transfer-Encoding"])] = rng.choice([*odd, "chunked"])
            case 3:
                status = rng.choice(["404 Gone", "416 No", "500 Oh", "503 Later", "301 Moved", "302 Moved", "304 No",
                                     "999 ?", "abc", "200", "", "206 Part"])  # fmt: skip
                places = [self.url, "file:///etc/passwd", "ftp://127.0.0.1:1/x", "//", "http://[", "\xff", "x y", "/z",
                          "http://127.0.0.1:99999/", "javascript:alert(1)", "data:,x"]  # fmt: skip
                headers["Location"] = rng.choice(places)
            case 4:
                return damaged(f"HTTP/1.1 {status}\r\nContent-Length: 9\r\n\r\n".encode() + body, rng)
        head = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return head.encode("latin-1") + b"\r\n" + body[start:]

    def case(self, rng: random.Random) -> None:
        self.rng = random.Random(rng.random())
        cache = self.folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir()
        if rng.random() < 0.3:
            (cache / "text.bin.part").write_bytes(damaged(self.body[: rng.randrange(3000)], rng))
            (cache / "text.bin.part.etag").write_bytes(rng.choice([b'"1"', b"", b"\xff\n", b'"2"']))
        if rng.random() < 0.1:
            (cache / "text.bin.sha256").write_bytes(rng.choice([b"", b"\xff", b"no checksum", b"\n"]))
        known = hashlib.sha256(self.body).hexdigest() if rng.random() < 0.7 else None
        complaints = io.StringIO()
        with contextlib.redirect_stderr(complaints):
            path = refused_or(lambda: translation.fetch(translation.Source(self.url, known), cache, tries=2))
        if path and known:
            check("other bytes than the checksum's are taken", path.read_bytes() == self.body)
        if not path:
            check("a refused file stays in the cache", not (cache / "text.bin").exists())


TARGETS: dict[str, type[Target]] = {
    "tokenizer": TokenizerFile, "text": Text, "config": Config, "checkpoint": Checkpoint, "state": State,
    "translate": Translate, "trees": Trees, "downloads": Downloads,
}  # fmt: skip


# ─── The campaign ────────────────────────────────────────────────────────────────────────────────────────────────────
def run_case(target: Target, name: str, number: int) -> str:
    """One case; what went wrong, or ""."""
    try:
        target.case(random.Random(f"{name} {number}"))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
    return ""


@contextlib.contextmanager
def ready(name: str) -> Iterator[Target]:
    """A target with a folder of its own."""
    torch.set_num_threads(1)
    tc.PRESETS["fuzz"] = SHAPE
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield TARGETS[name](Path(folder))


def work(name: str, first: int, last: int, place: int) -> None:
    """In a process of its own: cases first to last; each number is written before it is tried, failures after."""
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(Broken(f"takes more than {PATIENCE} s")))
    with ready(name) as target:
        for number in range(first, last):
            os.write(place, f"{number}\n".encode())
            signal.alarm(PATIENCE)
            if problem := run_case(target, name, number):
                os.write(place, f"{number} {' '.join(problem.split())[:500]}\n".encode())
            signal.alarm(0)
        os.write(place, f"{last}\n".encode())


def attempt(name: str, first: int, last: int, journal: Path) -> tuple[int, dict[int, str]]:
    """A process for some cases; how far it came, and what failed. A process that dies fails at its last case."""
    journal.unlink(missing_ok=True)
    place = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    pid = os.fork()
    if pid == 0:
        status = 1
        with contextlib.suppress(BaseException):
            work(name, first, last, place)
            status = 0
        os._exit(status)
    os.close(place)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    lines = [line.partition(" ") for line in journal.read_text().splitlines()]
    failed = {int(number): problem for number, _, problem in lines if problem}
    done = int(lines[-1][0]) if lines else first
    if status:
        failed[done] = f"the process ended with {status}"
        done += 1
    return done, failed


def campaign(name: str, first: int, cases: int, seeds: Path) -> dict[int, str]:
    """All cases of a target from the first on; SEEDS/TARGET.json says how many are done and which failed."""
    record = seeds / f"{name}.json"
    progress = json.loads(record.read_text()) if record.exists() and not first else {"done": first, "failed": {}}
    while progress["done"] < first + cases:
        last = min(progress["done"] + 500, first + cases)
        done, failed = attempt(name, progress["done"], last, seeds / f"{name}.journal")
        progress = {"done": done, "failed": progress["failed"] | {str(n): problem for n, problem in failed.items()}}
        record.write_text(json.dumps(progress, indent=1) + "\n")
        print(f"{name}: {done:,} cases, {len(progress['failed'])} failed", flush=True)
    return progress["failed"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(TARGETS), default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=Path, default=Path(tempfile.gettempdir(), "fuzz_seeds"))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    for module in ("torch._dynamo", "sacrebleu", "tqdm", "tyro"):  # once, not in every process
        importlib.import_module(module)
    options.seeds.mkdir(parents=True, exist_ok=True)
    failures = {name: campaign(name, options.first, options.cases, options.seeds) for name in options.only}
    for name, failed in failures.items():
        print(
            f"{name}: {len(failed)} failed",
            *[f"  {n}: {problem}" for n, problem in list(failed.items())[:20]],
            sep="\n",
        )
    return int(any(failures.values()))


if __name__ == "__main__":
    sys.exit(main())
