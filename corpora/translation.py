"""Real English-German text, as folders that `python transformer_core.py train --data DIR` takes.

    python -m corpora.translation multi30k DIR        29,000 captions of pictures; test: test_2016_flickr
    python -m corpora.translation tatoeba DIR         everyday sentences, about 200,000 and growing
    python -m corpora.translation wmt14 DIR           4.5 million pairs, the paper's; valid: newstest2013, test: 2014
    python -m corpora.translation newstest2013 DIR    the valid of wmt14 alone
    python -m corpora.translation newstest2014 DIR    its test alone, all 3,003 sentences
    python -m corpora.translation folder DIR --from FOLDER    your own: train.en, train.de and so on, also .gz

DIR gets train, valid and test, .en and .de, line for line. What is fetched stays in a cache (--cache) and is not
fetched again; a download that broke off goes on where it stopped. --from FOLDER takes the source files from there and
touches no network. --clean leaves more out of train: what a strict `Sieve` finds. The newstests are fetched and kept
by sacreBLEU (in ~/.sacrebleu, or where $SACREBLEU says).

Checksums. The sha256 of WMT14's three archives are those that TensorFlow Datasets publishes. For the other files none
was known for certain when this was written, so none is invented: the sha256 of the first download is kept beside the
file, and every later use must match it (trust on first use). sacreBLEU checks its own.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import http.client
import itertools
import os
import re
import shutil
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

Pairs = Iterable[tuple[str, str]]  # English, German
BLOCK = 1 << 18


def say(message: str) -> None:
    """A line of progress, on standard error."""
    print(message, file=sys.stderr, flush=True)


# ─── 1 One file ──────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Source:
    """A file to fetch. sha256: None where it is not known, or where the file changes from time to time."""

    url: str
    sha256: str | None = None

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


def fetch(source: Source, cache: Path, tries: int = 5) -> Path:
    """The file in the cache, fetched if it is not there, whole and with the right checksum."""
    path = cache / source.name
    record = path.with_name(path.name + ".sha256")
    known = source.sha256 or recorded(record)
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        download(source.url, part, tries)
        try:
            digest = check(part, known)
        except ValueError:
            part.unlink()  # else the next attempt would go on with it
            raise
        os.replace(part, path)
    else:
        digest = check(path, known)
    if known is None:
        record.write_text(f"{digest}  {path.name}\n")
        say(f"{path.name}: sha256 {digest}, seen for the first time and kept in {record}.")
    return path


def recorded(record: Path) -> str | None:
    """The sha256 that was kept at the first download; None where there was none."""
    if not record.exists():
        return None
    match = re.match(rb"[0-9a-f]{64}\b", record.read_bytes())
    if not match:
        raise ValueError(f"{record} holds no sha256; remove it, and what is fetched next will be trusted anew.")
    return match[0].decode()


def check(path: Path, known: str | None) -> str:
    """The sha256 of a file; refused if it is not the known one."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if known not in (digest, None):
        advice = "Remove it and try again; remove a .sha256 beside it too if you trust what has changed"
        raise ValueError(f"{path} has sha256 {digest}, but {known} is expected. {advice}.")
    return digest


def download(url: str, part: Path, tries: int) -> None:
    """Fetch url into `part`, going on where an earlier attempt stopped."""
    for attempt in itertools.count(1):
        try:
            return receive(url, part)
        except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: sent on to what is no address
            status = error.code if isinstance(error, urllib.error.HTTPError) else 500
            if status == 416:  # the server has nothing from there on: begin again
                part.unlink(missing_ok=True)
            elif status < 500:
                raise ValueError(
                    f"{url} answers {status}; has it moved? --from takes files fetched elsewhere."
                ) from None
            size = part.stat().st_size if part.exists() else 0
            message = str(getattr(error, "reason", None) or error)  # some of it the server's words
            reason = " ".join("".join(c if c.isprintable() else " " for c in message).split())
            stopped = f"{url} stopped after {size:,} bytes ({reason})"
            if attempt >= tries:
                raise ValueError(f"{stopped}; run the same command again to go on from there.") from None
            say(f"{stopped}; trying again.")


def receive(url: str, part: Path) -> None:
    """One request for what is still missing; for all of it where the server has changed the file since."""
    tag = part.with_name(part.name + ".etag")  # names the version that the bytes are of
    version = tag.read_text("latin-1") if part.exists() and tag.exists() else ""
    start = part.stat().st_size if version.isascii() and version.isprintable() and version else 0
    headers = {"User-Agent": "attention-is-all-you-need-explained", "Accept-Encoding": "identity"}
    if start:
        headers |= {"Range": f"bytes={start}-", "If-Range": version}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        if answer.status != 206 or not answer.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            part.unlink(missing_ok=True)  # before the tag changes: these bytes are of another version
            tag.unlink(missing_ok=True)
            if answer.status == 206:
                raise http.client.HTTPException("the answer is another part than the one asked for")
            start = 0
            if validator := strong_validator(answer.headers):
                tag.write_text(validator, "latin-1")
        length = answer.headers.get("Content-Length", "")
        total = start + int(length) if re.fullmatch("[0-9]{1,18}", length) else None
        say(f"{url}: {f'{total:,} bytes' if total else 'size unknown'}{f', from byte {start:,} on' if start else ''}")
        with open(part, "r+b" if start else "wb") as file:
            file.seek(start)
            shutil.copyfileobj(answer, file, BLOCK)
    if total is not None and (size := part.stat().st_size) < total:
        raise http.client.HTTPException(f"{total - size:,} bytes are missing")
    tag.unlink(missing_ok=True)


def strong_validator(headers: http.client.HTTPMessage) -> str | None:
    """What If-Range may name: an ETag that is not weak, else the date of the last change."""
    etag = headers.get("ETag")
    return etag if etag and not etag.startswith("W/") else headers.get("Last-Modified")


# ─── 2 From files to sentences ───────────────────────────────────────────────────────────────────────────────────────
def lines(path: Path) -> Iterator[str]:
    """The lines of a UTF-8 file, plain or .gz, split on "\\n" only, with one space between words."""
    with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
        for line in file:
            yield " ".join(line.decode("utf-8").split())


def parallel(english: Path, german: Path) -> Iterator[tuple[str, str]]:
    """Two files, line by line; both must be equally long."""
    missing = object()
    for a, b in itertools.zip_longest(lines(english), lines(german), fillvalue=missing):
        if not (isinstance(a, str) and isinstance(b, str)):
            raise ValueError(
                f"{english} and {german} differ in length; line n of one must translate line n of the other."
            )
        yield a, b


def member(archive: Path, name: str) -> Path:
    """A file out of a .tgz, unpacked beside it."""
    path = archive.parent / archive.name.partition(".")[0] / Path(name).name
    if not path.exists() or path.stat().st_mtime < archive.stat().st_mtime:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        with tarfile.open(archive) as tar, open(part, "wb") as out:
            file = tar.extractfile(name)
            if file is None:
                raise KeyError(name)
            shutil.copyfileobj(file, out, BLOCK)
        os.replace(part, path)
    return path


def tab_separated(archive: Path, name: str) -> Iterator[tuple[str, str]]:
    """English, tab, German, tab, attribution: the lines of a file in a .zip."""
    with zipfile.ZipFile(archive) as folder, folder.open(name) as file:
        for line in file:
            english, german, *_ = (line.decode("utf-8") + "\t").split("\t")
            yield " ".join(english.split()), " ".join(german.split())


def by_hash(pairs: Pairs, split: str) -> Iterator[tuple[str, str]]:
    """Those of a split: of 100 English sentences one goes to valid and one to test, each with all its translations."""
    for english, german in pairs:
        place = int.from_bytes(hashlib.sha256(english.encode()).digest()[:8], "big") % 100
        if split == {0: "valid", 1: "test"}.get(place, "train"):
            yield english, german


def is_good(english: str, german: str, longest: int = 250, ratio: float = 9) -> bool:
    """Neither side empty, too long, or many times the other (the limits of Moses' clean-corpus-n, in words)."""
    a, b = len(english.split()), len(german.split())
    return min(a, b) > 0 and max(a, b) <= longest and max(a, b) <= ratio * min(a, b)


# Bytes of UTF-8 that someone read as Latin-1 ("fÃ¼r") or as Windows-1252 ("groÃŸ"), what could not be read at all, and
# control characters.
SECOND_BYTES = "".join(bytes(range(0x80, 0xC0)).decode(code, "ignore") for code in ("latin-1", "cp1252"))
BROKEN = re.compile(f"[\u00c2\u00c3\u00e2][{SECOND_BYTES}]|[\ufffd\u0000-\u001f\u007f-\u009f]")


class Sieve:
    """What is left out of training text; with `strict` (--clean) also what teaches nothing, or would spoil the test.

    `of_test` takes the pairs of valid and test, of which none may be trained on; left_out counts pairs by reason.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict, self.left_out = strict, Counter[str]()
        self._seen, self._of_test = set[bytes](), set[bytes]()

    def of_test(self, *sentences: str) -> None:
        """Remember sentences of a split that is not trained on."""
        self._of_test.update(map(fingerprint, sentences if self.strict else ()))

    def keeps(self, english: str, german: str) -> bool:
        """Whether a pair stays; the reason is counted where it does not."""
        reason = self.reason(english, german)
        self.left_out.update([reason] if reason else [])
        return not reason

    def reason(self, english: str, german: str) -> str:
        """Why a pair is left out; "" where it stays."""
        a, b = len(english.split()), len(german.split())
        if not is_good(english, german):
            return "empty, too long or of unlike lengths"
        if not self.strict:
            return ""
        if max(a, b) > 2 * min(a, b) + 3:
            return "more than twice as long"
        if english == german:
            return "not translated"
        if BROKEN.search(english) or BROKEN.search(german):
            return "broken characters"
        if not self._of_test.isdisjoint(map(fingerprint, (english, german))):
            return "in valid or test"
        pair = fingerprint(f"{english}\t{german}")
        if pair in self._seen:
            return "there already"
        self._seen.add(pair)
        return ""


def fingerprint(text: str) -> bytes:
    """Eight bytes that stand for a text: of 4.5 million pairs, no two are likely to share them."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


# ─── 3 The corpora ───────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Corpus:
    """A corpus by name. splits: what makes each split, from the files of `sources` in their order."""

    terms: str
    sources: Sequence[Source]
    splits: dict[str, Callable[..., Pairs]]


def newstest(test_set: str) -> Callable[..., Pairs]:
    """English and German of a WMT test set, from sacreBLEU, which fetches it once and checks its MD5."""

    def pairs(*_: Path) -> Pairs:
        from sacrebleu import utils

        try:
            (german,) = utils.get_reference_files(test_set, "en-de")
            return parallel(Path(utils.get_source_file(test_set, "en-de")), Path(german))
        except (Exception, SystemExit) as error:  # it exits where a checksum is wrong
            folder = Path(utils.SACREBLEU_DIR, test_set.replace("/", os.sep))
            problem = f"sacreBLEU could not get {test_set} ({error})"
            raise ValueError(f"{problem}; remove {folder} and try again, with a network.") from None

    return pairs


def multi30k(i: int) -> Callable[..., Pairs]:
    return lambda *paths: parallel(paths[i], paths[i + 1])


def tatoeba(split: str) -> Callable[..., Pairs]:
    return lambda path: by_hash(tab_separated(path, "deu.txt"), split)


def wmt14(europarl: Path, crawl: Path, news: Path) -> Pairs:
    """Europarl, Common Crawl and News Commentary, one after the other: 4.5 million pairs."""
    stems = {europarl: "training/europarl-v7", crawl: "commoncrawl", news: "training/news-commentary-v9"}
    for archive, stem in stems.items():
        yield from parallel(member(archive, f"{stem}.de-en.en"), member(archive, f"{stem}.de-en.de"))


MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
NEWS_TERMS = "WMT's test sets may be used for research; cite the workshop (https://www.statmt.org/wmt14/)."
CORPORA = {
    "multi30k": Corpus(
        "Multi30k (Elliott et al., 2016): CC BY-NC-SA 4.0, so not for commercial use; the captions describe pictures "
        "of Flickr30k, which has terms of its own. Read https://github.com/multi30k/dataset first.",
        [
            Source(f"{MULTI30K}{name}.{language}.gz")
            for name, language in itertools.product(["train", "val", "test_2016_flickr"], ["en", "de"])
        ],
        {"train": multi30k(0), "valid": multi30k(2), "test": multi30k(4)},
    ),
    "tatoeba": Corpus(
        "Tatoeba: CC BY 2.0 FR; name tatoeba.org, and manythings.org/anki, which collects the pairs, also beside what "
        "you train on them. The file grows from time to time; then its checksum changes, and its splits grow.",
        [Source("https://www.manythings.org/anki/deu-eng.zip")],
        {split: tatoeba(split) for split in ("train", "valid", "test")},
    ),
    "wmt14": Corpus(
        "WMT14: for research; cite the workshop and Europarl (Koehn, 2005). The Common Crawl part is text of web "
        "pages whose owners keep their rights. Read https://www.statmt.org/wmt14/translation-task.html first. 1.7 GB.",
        [
            Source(
                "https://www.statmt.org/wmt13/training-parallel-europarl-v7.tgz",
                "0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7",
            ),
            Source(
                "https://www.statmt.org/wmt13/training-parallel-commoncrawl.tgz",
                "c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5",
            ),
            Source(
                "https://www.statmt.org/wmt14/training-parallel-nc-v9.tgz",
                "cb8953f292298e6877ae433c98912b927cb0766b303f4540512ddd286c748485",
            ),
        ],
        {"train": wmt14, "valid": newstest("wmt13"), "test": newstest("wmt14/full")},
    ),
    "newstest2013": Corpus(NEWS_TERMS, [], {"valid": newstest("wmt13")}),
    "newstest2014": Corpus(NEWS_TERMS, [], {"test": newstest("wmt14/full")}),
}


def own_folder(given: str | Path | None) -> Corpus:
    """A folder that holds train.en, train.de and, if they are there, valid and test, as a corpus."""

    def side(split: str, language: str) -> Path | None:
        paths = [Path(given or "") / f"{split}.{language}{ending}" for ending in ("", ".gz")]
        return next((path for path in paths if path.is_file()), None)

    def pairs(split: str) -> Callable[..., Pairs]:
        english, german = side(split, "en"), side(split, "de")
        if english is None or german is None:
            raise ValueError(f"{given} lacks {split}.en or {split}.de (nor are they there as .gz); put both there.")
        return lambda: parallel(english, german)

    if given is None:
        raise ValueError("A corpus of your own is named by --from FOLDER, which holds train.en and train.de.")
    more = [split for split in ("valid", "test") if side(split, "en") or side(split, "de")]
    return Corpus(
        f"The text of {given}, whose terms you know.", [], {split: pairs(split) for split in ("train", *more)}
    )


def write(
    name: str,
    folder: str | Path,
    cache: str | Path | None = None,
    given: str | Path | None = None,
    strict: bool = False,
) -> dict[str, int]:
    """Write a corpus into a folder; returns how many pairs each split has.

    given: a folder its files lie in already; strict: leave out of train all that a strict `Sieve` finds.
    """
    if name not in CORPORA and name != "folder":
        raise ValueError(f"There is no corpus {name!r}; choose one of {', '.join(CORPORA)}, folder.")
    corpus = own_folder(given) if name == "folder" else CORPORA[name]
    say(corpus.terms)
    where = Path(given) if given else Path(cache or default_cache()) / name
    if given and (absent := [source.name for source in corpus.sources if not (where / source.name).exists()]):
        raise ValueError(f"{where} lacks {', '.join(absent)}; put {name}'s own files there, or leave out --from.")
    if given:
        for source in corpus.sources:
            check(where / source.name, source.sha256)
        paths = [where / source.name for source in corpus.sources]
    else:
        paths = [fetch(source, where) for source in corpus.sources]
    counts, sieve = {}, Sieve(strict)
    for split in sorted(corpus.splits, key=lambda split: strict and split == "train"):  # the sieve must know the test
        try:
            counts[split] = write_split(corpus.splits[split](*paths), Path(folder), split, sieve)
        except (
            OSError,
            EOFError,
            KeyError,
            zlib.error,
            tarfile.TarError,
            zipfile.BadZipFile,
            UnicodeDecodeError,
        ) as error:
            problem = f"{name}'s {split} cannot be read ({' '.join(str(error).split())})"
            advice = "mend or replace" if given else "remove"  # what was given is not ours to remove
            raise ValueError(f"{problem}; {advice} its files in {where} and try again.") from None
    return counts


def write_split(pairs: Pairs, folder: Path, split: str, sieve: Sieve) -> int:
    """Write split.en and split.de; training text goes through the sieve, tests lose nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [folder / f"{split}.{language}.part" for language in ("en", "de")]
    n_pairs = 0
    with (
        open(parts[0], "w", encoding="utf-8", newline="\n") as en,
        open(parts[1], "w", encoding="utf-8", newline="\n") as de,
    ):
        for english, german in pairs:
            if split != "train":
                sieve.of_test(english, german)
            elif not sieve.keeps(english, german):
                continue
            en.write(english + "\n")
            de.write(german + "\n")
            n_pairs += 1
    for part in parts:
        os.replace(part, part.with_suffix(""))
    left_out = sieve.left_out if split == "train" else Counter[str]()
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in left_out.most_common())
    say(f"{folder / split}: {n_pairs:,} pairs" + (f"; {left_out.total():,} left out: {reasons}" if left_out else ""))
    return n_pairs


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "attention-corpora"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; what goes wrong ends in one sentence and exit status 2."""
    parser = argparse.ArgumentParser(
        prog="python -m corpora.translation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=[*sorted(CORPORA), "folder"], help="which corpus")
    parser.add_argument("folder", metavar="DIR", help="where train, valid and test are written")
    parser.add_argument("--cache", help=f"where downloads are kept (default: {default_cache()})")
    parser.add_argument("--from", dest="given", metavar="FOLDER", help="take the source files from here; no download")
    parser.add_argument(
        "--clean", action="store_true", help="leave out of train what teaches nothing, or is in the test"
    )
    asked = parser.parse_args(arguments)
    try:
        write(asked.name, asked.folder, asked.cache, asked.given, asked.clean)
    except (ValueError, OSError) as error:
        say(f"Error: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
