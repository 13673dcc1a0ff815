"""Which stored results are older than the code that made them, and how to renew each: `python -m experiments`."""

from __future__ import annotations

from collections.abc import Iterator

from experiments import stored

INSTALLED = """\
Installed, not cloned: the results lie in {folder},
and what these commands make anew is written into the current folder, the notebooks' own stay.
"""


def told(name: str) -> Iterator[str]:
    """What there is to say of a result: how old it is, and the command that renews it."""
    result, content = stored.RESULTS[name], stored.read(name)
    if not stored.has_code(name):
        yield f"{name}: made by code that is in the repository alone"
        return
    path, command = result.file.partition("#")[0], result.command
    if not stored.CLONED:
        command = command.replace(" --out notebooks/data/", " --out ")
    if content is None:
        yield f"{name}: not made yet"
        yield f"    {command}"
    elif changed := stored.changed(name):
        anew = f"rm {path}; " if stored.CLONED and "runs" in content else ""  # what it holds is not made again
        yield f"{name}: older than {', '.join(changed)}"
        yield f"    {anew}{command}   ({result.takes})"
    else:
        yield f"{name}: made with today's code"


def main() -> None:
    if not stored.CLONED:
        print(INSTALLED.format(folder=stored.ROOT / "notebooks" / "data"))
    for name in stored.RESULTS:
        print(*told(name), sep="\n")


if __name__ == "__main__":
    main()
