"""What the console command `attention` runs: transformer_core's command line, its imports without a traceback."""

from __future__ import annotations

import importlib
import signal
import sys


def main() -> int:
    """Run one command of sys.argv; its exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what is imported next takes seconds
    words = ["version" if word == "--version" else word for word in sys.argv[1:]]
    return importlib.import_module("transformer_core").main(words)
