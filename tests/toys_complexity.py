"""Two layers, timed at two lengths."""

ROWS = [
    ("self-attention", 4, 10.0, 100),
    ("LSTM", 4, 20.0, 40),
    ("self-attention", 8, 40.0, 400),
    ("LSTM", 8, 30.0, 80),
]


def timed_layers() -> dict:
    """Two layers at two lengths, as the benchmark writes them."""
    rows = [
        {"layer": name, "d": 6, "n": n, "ms": ms, "low": ms - 1, "high": ms + 2, "bytes": size, "rounds": 3}
        for name, n, ms, size in ROWS
    ]
    return {
        "command": "python x.py",
        "machine": dict(device="a <b>", cores=2, threads=1, torch="2"),
        "k": 3,
        "r": 5,
        "rows": rows,
    }
