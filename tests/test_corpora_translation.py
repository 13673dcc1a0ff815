"""Real corpora: fetched once, whole and checked, from a server on the loopback address that misbehaves on purpose."""

import contextlib
import gzip
import hashlib
import http.server
import io
import itertools
import shlex
import tarfile
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from sacrebleu import dataset

from corpora import translation
from corpora.translation import Source, fetch
from experiments.results import Recipe


class Server(http.server.ThreadingHTTPServer):
    """Serves `files` by name, with byte ranges; `breaks`: after how many bytes each coming answer is cut off."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes] = {}
        self.breaks: list[int] = []
        self.statuses: list[int] = []  # of the coming answers, in place of the file
        self.ranges: list[str | None] = []  # what was asked for, in order
        self.validators = True
        self.shift = 0  # by how much the next part begins elsewhere than it should
        self.length: str | None = None  # said to be the file's, in place of its own
        self.location: str | None = None  # where the file is said to be now

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{name}"


class Answer(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server, body = self.server, self.server.files.get(self.path[1:])
        server.ranges.append(self.headers["Range"])
        if server.location:
            self.send_response(302)
            self.send_header("Location", server.location)
            return self.end_headers()
        if server.statuses or body is None:
            return self.send_error(server.statuses.pop(0) if server.statuses else 404)
        etag, start = f'"{hashlib.md5(body).hexdigest()}"', 0
        if self.headers["Range"] and self.headers["If-Range"] == etag:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        start, server.shift = start + (server.shift if start else 0), 0 if start else server.shift
        if start and start >= len(body):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if server.validators:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", server.length or str(len(body) - start))
        self.end_headers()
        length = server.breaks.pop(0) if server.breaks else len(body)
        self.wfile.write(body[start : start + length])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


BODY = bytes(range(256)) * 40  # 10,240 bytes
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def source(server):
    server.files["text.tgz"] = BODY
    return Source(server.url("text.tgz"), SHA)


# ─── One file ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_file_is_fetched_once_and_then_taken_from_the_cache(server, source, tmp_path):
    assert fetch(source, tmp_path / "new").read_bytes() == BODY
    assert fetch(source, tmp_path / "new").read_bytes() == BODY
    assert server.ranges == [None]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["text.tgz"]


def test_a_download_that_breaks_off_goes_on_from_the_byte_where_it_stopped(server, source, tmp_path):
    server.breaks = [1000, 5000]
    assert fetch(source, tmp_path).read_bytes() == BODY
    assert server.ranges == [None, "bytes=1000-", "bytes=6000-"]


def test_an_interrupted_command_goes_on_when_it_is_run_again(server, source, tmp_path):
    server.breaks = [1000]
    with pytest.raises(ValueError, match=r"stopped after 1,000 bytes .*run the same command again"):
        fetch(source, tmp_path, tries=1)
    assert not (tmp_path / "text.tgz").exists()
    assert fetch(source, tmp_path, tries=1).read_bytes() == BODY
    assert server.ranges == [None, "bytes=1000-"]


def test_a_file_that_changed_on_the_server_meanwhile_is_fetched_anew(server, source, tmp_path):
    server.breaks, server.files["text.tgz"] = [1000], b"older" + BODY
    with pytest.raises(ValueError, match="stopped"):
        fetch(source, tmp_path, tries=1)
    server.files["text.tgz"] = BODY
    assert fetch(source, tmp_path).read_bytes() == BODY


def test_without_a_name_for_the_version_nothing_is_pieced_together(server, source, tmp_path):
    server.breaks, server.validators = [1000], False
    assert fetch(source, tmp_path).read_bytes() == BODY
    assert server.ranges == [None, None]


def test_an_answer_that_begins_elsewhere_than_asked_is_not_joined_to_what_is_there(server, source, tmp_path):
    server.breaks, server.shift = [1000], 7
    assert fetch(source, tmp_path).read_bytes() == BODY
    assert server.ranges == [None, "bytes=1000-", None]


def test_a_part_that_is_longer_than_the_file_is_thrown_away(server, source, tmp_path):
    (tmp_path / "text.tgz.part").write_bytes(BODY + b"more")
    (tmp_path / "text.tgz.part.etag").write_text(f'"{hashlib.md5(BODY).hexdigest()}"')
    assert fetch(source, tmp_path).read_bytes() == BODY
    assert server.ranges == [f"bytes={len(BODY) + 4}-", None]


def test_a_wrong_checksum_is_refused_and_nothing_stays(server, source, tmp_path):
    server.files["text.tgz"] = BODY[:-1] + b"!"
    with pytest.raises(ValueError, match=f"but {SHA} is expected"):
        fetch(source, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_damaged_in_the_cache_is_refused(source, tmp_path):
    fetch(source, tmp_path).write_bytes(BODY[:100])
    with pytest.raises(ValueError, match=r"Remove it and try again"):
        fetch(source, tmp_path)


def test_an_unknown_checksum_is_kept_at_first_and_must_then_stay(server, source, tmp_path, capsys):
    source = replace(source, sha256=None)
    path = fetch(source, tmp_path)
    assert (tmp_path / "text.tgz.sha256").read_text() == f"{SHA}  text.tgz\n"
    assert "seen for the first time" in capsys.readouterr().err
    fetch(source, tmp_path)
    assert capsys.readouterr().err == ""
    path.unlink()
    server.files["text.tgz"] = b"something else"
    with pytest.raises(ValueError, match=SHA):
        fetch(source, tmp_path)
    (tmp_path / "text.tgz.sha256").unlink()
    assert fetch(source, tmp_path).read_bytes() == b"something else"


def test_a_server_that_fails_for_a_moment_is_asked_again_and_a_missing_file_is_not(server, source, tmp_path):
    server.statuses = [503, 500]
    assert fetch(source, tmp_path).read_bytes() == BODY
    server.ranges.clear()
    with pytest.raises(ValueError, match="answers 404; has it moved"):
        fetch(Source(server.url("gone.tgz")), tmp_path)
    assert len(server.ranges) == 1


@pytest.mark.parametrize("record", [b"", b"\n", b"\xff", b"no checksum"], ids=repr)
def test_a_record_that_holds_no_checksum_is_named(record, server, source, tmp_path):
    (tmp_path / "text.tgz.sha256").write_bytes(record)
    with pytest.raises(ValueError, match=r"text\.tgz\.sha256 holds no sha256; remove it"):
        fetch(replace(source, sha256=None), tmp_path)


@pytest.mark.parametrize("tag", [b"", b"\xff", b'"1"\nHost: elsewhere'], ids=repr)
def test_a_damaged_name_of_a_version_is_not_sent(tag, server, source, tmp_path):
    (tmp_path / "text.tgz.part").write_bytes(b"of another version")
    (tmp_path / "text.tgz.part.etag").write_bytes(tag)
    assert fetch(source, tmp_path).read_bytes() == BODY and server.ranges == [None]


@pytest.mark.parametrize("length", ["x", "1e3", "-5", "12, 13", "9" * 30])
def test_a_length_that_is_none_is_not_believed(length, server, source, tmp_path):
    server.length = length
    assert fetch(source, tmp_path).read_bytes() == BODY


@pytest.mark.parametrize(
    "location", ["http://[", "file:///etc/passwd", "javascript:alert(1)", "text.tgz", "http://127.0.0.1:1/"]
)
def test_a_server_that_sends_elsewhere_in_vain_ends_in_one_sentence(location, server, source, tmp_path):
    server.location = location
    with pytest.raises(ValueError, match=r"text\.tgz (answers 302|stopped after 0 bytes \(.*\)); .*\.$") as caught:
        fetch(source, tmp_path, tries=2)
    assert str(caught.value).isprintable() and not (tmp_path / "text.tgz").exists()


def test_a_server_that_falls_silent_is_given_up(server, source, tmp_path, monkeypatch):
    real = translation.urllib.request.urlopen
    monkeypatch.setattr(translation.urllib.request, "urlopen", lambda asked, timeout: real(asked, timeout=0.1))
    server.length = str(len(BODY) + 1)  # one byte that never comes
    monkeypatch.setattr(Answer, "finish", lambda self: time.sleep(0.3))
    with pytest.raises(ValueError, match=r"stopped after [\d,]+ bytes \(.*timed out.*\); run the same command again"):
        fetch(source, tmp_path, tries=2)


def test_a_server_that_is_not_there_ends_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"stopped after 0 bytes .*refused"):
        fetch(Source("http://127.0.0.1:9/text.tgz"), tmp_path, tries=2)


def test_every_checksum_written_here_is_one_of_wmt14_and_looks_like_a_sha256():
    known = {name: [source.sha256 for source in corpus.sources] for name, corpus in translation.CORPORA.items()}
    assert all(len(bytes.fromhex(sha256)) == 32 for sha256 in known.pop("wmt14"))
    assert not any(itertools.chain.from_iterable(known.values()))


# ─── Corpora ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def archive(files: dict[str, str], encoding: str = "utf-8") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode(encoding))
            tar.addfile(info, io.BytesIO(text.encode(encoding)))
    return data.getvalue()


@pytest.fixture
def at_home(server, monkeypatch):
    """Point every source of every corpus at the server, without a known checksum."""
    moved = {
        name: replace(corpus, sources=[Source(server.url(source.name)) for source in corpus.sources])
        for name, corpus in translation.CORPORA.items()
    }
    monkeypatch.setattr(translation, "CORPORA", moved)


@pytest.fixture
def newstests(server, tmp_path, monkeypatch):
    """sacreBLEU's own test sets, of two sentences each, from the server."""

    def sgml(*sentences: str) -> str:
        segments = "\n".join(f'<seg id="{i}"> {text} </seg>' for i, text in enumerate(sentences, 1))
        return f'<refset><doc docid="1" genre="news" origlang="en">\n{segments}\n</doc></refset>\n'

    english, german = sgml("The cat sleeps.", "Fish and chips."), sgml("Die Katze schläft.", "Fisch mit Pommes.")
    for test_set, name in [("wmt13", "test.tgz"), ("wmt14/full", "test-full.tgz")]:
        paths = dataset.DATASETS[test_set].langpairs["en-de"]
        server.files[name] = archive(dict(zip(paths, [english, german], strict=True)))
        entry = dataset.DATASETS[test_set]
        folder = tmp_path / "sacrebleu" / test_set
        monkeypatch.setattr(entry, "data", [server.url(name)])
        monkeypatch.setattr(entry, "md5", [hashlib.md5(server.files[name]).hexdigest()])
        monkeypatch.setattr(entry, "_outdir", str(folder))
        monkeypatch.setattr(entry, "_rawdir", str(folder / "raw"))


def read(folder: Path) -> dict[str, list[str]]:
    return {path.name: path.read_text(encoding="utf-8").split("\n")[:-1] for path in sorted(folder.iterdir())}


def test_multi30k_becomes_a_folder_of_three_splits_and_says_its_terms(server, at_home, tmp_path, capsys):
    for name, n in [("train", 3), ("val", 2), ("test_2016_flickr", 1)]:
        for language in ("en", "de"):
            text = "".join(f"{name} {language}  {i} .\r\n" for i in range(n))
            server.files[f"{name}.{language}.gz"] = gzip.compress(text.encode())
    assert translation.main(["multi30k", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]) == 0
    found = read(tmp_path / "out")
    assert {name: len(lines) for name, lines in found.items()} == {
        "test.de": 1, "test.en": 1, "train.de": 3, "train.en": 3, "valid.de": 2, "valid.en": 2
    }  # fmt: skip
    assert found["train.de"][1] == "train de 1 ."
    assert "not for commercial use" in capsys.readouterr().err.splitlines()[0]


def test_tatoeba_is_split_by_the_english_sentence_so_that_none_is_in_two_splits(server, at_home, tmp_path):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as folder:
        rows = [f"Sentence {i}.\tSatz {i} {k}.\tCC-BY 2.0\n" for i in range(400) for k in "ab"]
        folder.writestr("deu.txt", "".join(rows))
    server.files["deu-eng.zip"] = data.getvalue()
    counts = translation.write("tatoeba", tmp_path / "out", tmp_path / "cache")
    found = read(tmp_path / "out")
    sides = [set(found[f"{split}.en"]) for split in ("train", "valid", "test")]
    assert sum(counts.values()) == 800 and all(sides)
    assert len(set.union(*sides)) == sum(map(len, sides)) == 400
    assert found["train.de"][0].split()[1] == found["train.en"][0].removesuffix(".").split()[1]


def wmt14_files() -> dict[str, bytes]:
    europarl = {"en": "Resumption of the session\n\nYes .\n", "de": "Wiederaufnahme der Sitzung\nEntfällt .\nJa .\n"}
    crawl = {"en": "one\n" + "word " * 300 + "\n", "de": "eins\n" + "Wort " * 300 + "\n"}
    news = {"en": "a line\u2028that is one\n", "de": "eine Zeile\n"}
    parts = {
        "training-parallel-europarl-v7.tgz": ("training/europarl-v7", europarl),
        "training-parallel-commoncrawl.tgz": ("commoncrawl", crawl),
        "training-parallel-nc-v9.tgz": ("training/news-commentary-v9", news),
    }
    return {
        name: archive({f"{stem}.de-en.{language}": text for language, text in texts.items()})
        for name, (stem, texts) in parts.items()
    }


def test_wmt14_joins_its_three_parts_and_takes_valid_and_test_from_sacrebleu(
    server, at_home, newstests, tmp_path, capsys
):
    server.files |= wmt14_files()
    counts = translation.write("wmt14", tmp_path / "out", tmp_path / "cache")
    found = read(tmp_path / "out")
    assert counts == {"train": 4, "valid": 2, "test": 2}
    assert found["train.en"] == ["Resumption of the session", "Yes .", "one", "a line that is one"]
    assert found["train.de"] == ["Wiederaufnahme der Sitzung", "Ja .", "eins", "eine Zeile"]
    assert found["valid.en"] == found["test.en"] == ["The cat sleeps.", "Fish and chips."]
    assert "2 left out" in capsys.readouterr().err


def test_clean_leaves_out_what_teaches_nothing_and_what_stands_in_the_test_and_says_how_many(
    server, at_home, newstests, tmp_path, capsys
):
    pairs = [
        ("Good morning .", "Guten Morgen ."), ("Good morning .", "Guten Morgen ."), ("Good morning .", "Moin ."),
        ("The cat sleeps.", "Die Katze ruht."), ("A cat is asleep.", "Die Katze schläft."), ("Hotel", "Hotel"),
        ("for you", "fÃ¼r dich"), ("large", "groÃŸ"), ("a \ufffd b", "a c b"), ("naïve Ã", "naiv â"),
        ("one two", "a b c d e f g"), ("one two", "a b c d e f g h"), ("", "leer"),
    ]  # fmt: skip
    server.files |= wmt14_files()
    text = {lang: "".join(pair[i] + "\n" for pair in pairs) for i, lang in enumerate(("en", "de"))}
    server.files["training-parallel-nc-v9.tgz"] = archive(
        {f"training/news-commentary-v9.de-en.{lang}": lines for lang, lines in text.items()}
    )
    arguments = ["wmt14", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    assert translation.main([*arguments, "--clean"]) == 0
    assert read(tmp_path / "out")["train.de"] == [
        "Wiederaufnahme der Sitzung", "Ja .", "eins", "Guten Morgen .", "Moin .", "naiv â", "a b c d e f g"
    ]  # fmt: skip
    said = capsys.readouterr().err.splitlines()[-1]
    assert "7 pairs; 11 left out: " in said
    for reason in ("3 empty, too long or of unlike lengths", "2 in valid or test", "3 broken characters",
                   "1 there already", "1 not translated", "1 more than twice as long"):  # fmt: skip
        assert reason in said
    assert len(read(tmp_path / "out")["test.en"]) == 2
    assert translation.main(arguments) == 0
    assert len(read(tmp_path / "out")["train.de"]) == 15


def test_a_folder_of_one_s_own_is_cleaned_as_any_other_corpus(tmp_path, capsys):
    (tmp_path / "own").mkdir()
    for language, lines in {"en": "a b\n\na b\nc d\n", "de": "A B\nX\nA B\nC D\n"}.items():
        (tmp_path / "own" / f"train.{language}.gz").write_bytes(gzip.compress(lines.encode()))
        (tmp_path / "own" / f"test.{language}").write_text("c d\n" if language == "en" else "C E\n")
    arguments = ["folder", str(tmp_path / "out"), "--from", str(tmp_path / "own")]
    assert translation.main(arguments) == 0
    assert read(tmp_path / "out") == {
        "test.de": ["C E"], "test.en": ["c d"], "train.de": ["A B", "A B", "C D"], "train.en": ["a b", "a b", "c d"]
    }  # fmt: skip
    assert translation.main([*arguments, "--clean"]) == 0
    assert read(tmp_path / "out")["train.en"] == ["a b"]
    capsys.readouterr()
    (tmp_path / "own" / "test.de").write_bytes(b"\xff\n")
    assert translation.main(arguments) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("Error: folder's test cannot be read (") and "remove" not in said  # they are the reader's
    (tmp_path / "own" / "test.de").unlink()
    assert translation.main(arguments) == 2
    assert "lacks test.en or test.de" in capsys.readouterr().err
    assert translation.main(["folder", str(tmp_path / "out")]) == 2
    assert "--from FOLDER" in capsys.readouterr().err


def test_a_newstest_alone_needs_no_training_text(newstests, tmp_path):
    assert translation.write("newstest2013", tmp_path / "out") == {"valid": 2}
    assert translation.write("newstest2014", tmp_path / "out") == {"test": 2}
    assert sorted(read(tmp_path / "out")) == ["test.de", "test.en", "valid.de", "valid.en"]


def test_a_newstest_with_a_wrong_checksum_is_refused(newstests, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dataset.DATASETS["wmt13"], "md5", ["0" * 32])
    assert translation.main(["newstest2013", str(tmp_path / "out")]) == 2
    assert "sacreBLEU could not get wmt13" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_paper_s_test_set_is_the_full_one_of_3003_sentences_not_the_filtered_one():
    assert "wmt14/full" in dataset.DATASETS and dataset.DATASETS["wmt14/full"].data != dataset.DATASETS["wmt14"].data


def test_a_folder_takes_the_place_of_the_network(newstests, tmp_path, monkeypatch, capsys):
    for name, data in wmt14_files().items():
        (tmp_path / name).write_bytes(data)
    arguments = ["wmt14", str(tmp_path / "out"), "--from", str(tmp_path)]
    assert translation.main(arguments) == 2  # these are not the real archives
    assert "is expected" in capsys.readouterr().err
    corpus = translation.CORPORA["wmt14"]
    unknown = replace(corpus, sources=[replace(source, sha256=None) for source in corpus.sources])
    monkeypatch.setitem(translation.CORPORA, "wmt14", unknown)
    assert translation.main(arguments) == 0
    assert not list(tmp_path.glob("*.sha256"))
    (tmp_path / "training-parallel-nc-v9.tgz").unlink()
    assert translation.main(arguments) == 2
    assert "lacks training-parallel-nc-v9.tgz" in capsys.readouterr().err


def test_the_recipe_s_first_command_takes_wmt14_s_own_archives_and_cleans_them(tmp_path, monkeypatch):
    corpus, tests = translation.CORPORA["wmt14"], lambda *_: [("Yes .", "Doch ."), ("No .", "Nein .")]
    unknown = [replace(source, sha256=None) for source in corpus.sources]
    splits = {"train": corpus.splits["train"], "valid": tests, "test": tests}
    monkeypatch.setitem(translation.CORPORA, "wmt14", replace(corpus, sources=unknown, splits=splits))
    for name, data in wmt14_files().items():
        (tmp_path / name).write_bytes(data)
    recipe = replace(Recipe(), source=str(tmp_path), data=str(tmp_path / "out"))
    words = shlex.split(recipe.commands()["fetch and clean"])
    assert words[:3] == ["python", "-m", "corpora.translation"]
    assert translation.main(words[3:]) == 0
    assert (tmp_path / "out" / "train.en").read_text().splitlines() == [
        "Resumption of the session",
        "one",
        "a line that is one",
    ]
    assert (tmp_path / "out" / "test.de").read_text() == "Doch .\nNein .\n"


@pytest.mark.parametrize("damage", ["cut", "not gzip", "no such member", "unequal lengths", "not UTF-8"])
def test_a_damaged_archive_ends_in_one_sentence_and_leaves_no_split(damage, server, at_home, tmp_path, capsys):
    files, name, stem = wmt14_files(), "training-parallel-europarl-v7.tgz", "training/europarl-v7.de-en"
    files[name] = {
        "cut": files[name][:150], "not gzip": b"<html>Not found</html>", "no such member": archive({"other": ""}),
        "unequal lengths": archive({f"{stem}.en": "a\nb\n", f"{stem}.de": "a\n"}),
        "not UTF-8": archive({f"{stem}.en": "for\n", f"{stem}.de": "für\n"}, "latin-1"),
    }[damage]  # fmt: skip
    server.files |= files
    assert translation.main(["wmt14", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("Error: ")
    assert not list(tmp_path.glob("out/*.en"))


def test_an_unknown_corpus_is_named_with_those_there_are(tmp_path):
    with pytest.raises(ValueError, match=r"no corpus 'iwslt'; choose one of multi30k, tatoeba, wmt14"):
        translation.write("iwslt", tmp_path)
    with pytest.raises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        translation.main(["iwslt", str(tmp_path)])
