"""A line of progress on a terminal, or one that is rewritten in a notebook; only for what takes longer than a second."""

from __future__ import annotations

import sys
import time


class Line:
    """Called with the fraction that is done and what is being done; ``close`` takes the line away."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown = ""
        self._display = None
        self._notebook = "ipykernel" in sys.modules

    @staticmethod
    def wanted() -> bool:
        return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())

    def __call__(self, fraction: float, text: str) -> None:
        elapsed = time.monotonic() - self._begin
        if elapsed < 1:
            return
        rest = f", {elapsed * (1 - fraction) / fraction:.0f} s left" if fraction > 0.02 else ""
        bar = "#" * round(20 * fraction)
        line = f"{100 * fraction:3.0f} % |{bar:<20}| {text} [{elapsed:.0f} s{rest}]"
        if self._notebook:
            self._in_notebook(line)
        else:
            print("\r" + line.ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
        self._shown = line

    def _in_notebook(self, line: str) -> None:
        from IPython.display import display  # type: ignore[import]

        content = {"text/plain": line}
        if self._display is None:
            self._display = display(content, raw=True, display_id=True)
        else:
            self._display.update(content, raw=True)

    def close(self) -> None:
        if self._shown and not self._notebook:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr, flush=True)
        elif self._display is not None:
            self._display.update({"text/plain": ""}, raw=True)
