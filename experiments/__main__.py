"""Which stored results are older than the code that made them, and how to renew each: `python -m experiments`."""

from __future__ import annotations

from experiments import stored


def main() -> None:
    for name, result in stored.RESULTS.items():
        path = result.file.partition("#")[0]
        content = stored.read(name)
        if content is None:
            print(f"{name}: not made yet\n    {result.command}")
        elif changed := stored.changed(name):
            anew = f"rm {path}; " if "runs" in content else ""  # what it holds already is not made again
            print(f"{name}: older than {', '.join(changed)}\n    {anew}{result.command}   ({result.takes})")
        else:
            print(f"{name}: made with today's code")


if __name__ == "__main__":
    main()
