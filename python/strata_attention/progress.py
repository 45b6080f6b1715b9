"""Progress of training: a bar in a notebook, a line in a terminal, or the caller's own function."""

from __future__ import annotations

import html
import sys
import time
from typing import Callable

#: Shortest time between two drawings, in seconds.
PAUSE = 0.2
#: Most points of the curve of losses.
POINTS = 120


class Progress:
    """Takes the lines of `strata train --json`, and shows nothing."""

    def take(self, line: dict) -> None:
        """Takes a line."""

    def warn(self, text: str) -> None:
        """Shows a warning."""
        print(text, file=sys.stderr)

    def close(self) -> None:
        """Ends the display."""


def progress_for(wanted: bool | Callable[[dict], object] | None) -> Progress:
    """Returns the display that fits the place: None finds out, True always shows something."""
    if callable(wanted):
        return Passing(wanted)
    if wanted is False:
        return Progress()
    if in_notebook():
        return Notebook()
    if wanted or sys.stderr.isatty():
        return Terminal()
    return Progress()


def in_notebook() -> bool:
    """True in a kernel of Jupyter."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class Passing(Progress):
    """Passes each line to a function."""

    def __init__(self, function: Callable[[dict], object]):
        self.take = function


class Measured(Progress):
    """Collects what a display shows."""

    def __init__(self):
        self.step = 0
        self.steps = 0
        self.losses: list[float] = []
        self.accuracies: list[float] = []
        self.began = time.monotonic()
        self.first = 0
        self.drawn = 0.0
        self.validation = ""

    def take(self, line: dict) -> None:
        kind = line["kind"]
        if kind == "begin":
            self.step = self.first = line["step"]
            self.steps = line["steps"]
            self.begin(line)
        elif kind == "step":
            self.step = line["step"]
            self.losses.append(line["loss"])
            self.accuracies.append(line.get("accuracy") or 0.0)
            if time.monotonic() - self.drawn >= PAUSE:
                self.drawn = time.monotonic()
                self.draw()
        elif kind == "validation":
            self.validation = validation_in_words(line)
            self.say(self.validation)
        elif kind == "note":
            self.say(line["text"])

    def begin(self, line: dict) -> None:
        """Shows what is trained."""
        self.say(
            f"A model of {line['parameters']:,} numbers is trained on {line['device']}: "
            f"{line['training_examples']:,} examples to learn from, {line['validation_examples']:,} held out."
        )
        for note in line["notes"]:
            self.say(note)

    def message(self) -> str:
        """Returns the present state in words; loss and accuracy are means over the last steps."""
        recent = self.losses[-20:]
        if not recent:
            return f"step {self.step:,} of {self.steps:,}"
        accuracy = self.accuracies[-20:]
        per_step = (time.monotonic() - self.began) / max(self.step - self.first, 1)
        left = per_step * (self.steps - self.step)
        return (
            f"step {self.step:,} of {self.steps:,}: loss {sum(recent) / len(recent):.3f}, accuracy "
            f"{100 * sum(accuracy) / len(accuracy):.1f} %, {duration(left)} left"
        )

    def say(self, text: str) -> None:
        """Shows a line that stays."""

    def draw(self) -> None:
        """Draws the present state."""


class Terminal(Measured):
    """A line that is written over, below the lines that stay."""

    def say(self, text: str) -> None:
        self.clear()
        print(text, file=sys.stderr)

    def warn(self, text: str) -> None:
        self.say(text)

    def draw(self) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{self.message()}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr)

    def close(self) -> None:
        self.clear()


class Notebook(Measured):
    """A bar with the curve of the losses, redrawn in place."""

    def __init__(self):
        super().__init__()
        from IPython.display import HTML, display

        self.html = HTML
        self.handle = display(HTML(""), display_id=True)
        self.notes: list[str] = []

    def say(self, text: str) -> None:
        # The last validation is part of the drawing; notes stay.
        if text != self.validation:
            self.notes.append(text)
        self.draw()

    def draw(self) -> None:
        self.handle.update(self.html(self.drawing()))

    def close(self) -> None:
        self.draw()

    def drawing(self) -> str:
        """Returns the display as HTML, in the colours of the notebook."""
        notes = "".join(f"<div>{html.escape(note)}</div>" for note in self.notes)
        return (
            f"<div>{notes}"
            f'<progress max="{self.steps or 1}" value="{self.step}" aria-label="steps" style="width:20em"></progress> '
            f"{html.escape(self.message())}{self.curve()}"
            f"<div>{html.escape(self.validation)}</div></div>"
        )

    def curve(self) -> str:
        """Returns the losses so far as a small curve."""
        if len(self.losses) < 2:
            return ""
        stride = -(-len(self.losses) // POINTS)
        points = self.losses[::stride]
        low, high = min(points), max(points)
        width, height = 240, 40
        across = width / max(len(points) - 1, 1)
        places = " ".join(
            f"{at * across:.1f},{height - (loss - low) / ((high - low) or 1) * height:.1f}"
            for at, loss in enumerate(points)
        )
        return (
            f'<svg viewBox="-1 -1 {width + 2} {height + 2}" width="{width}" height="{height}" role="img" '
            f'aria-label="loss, from {high:.3f} to {points[-1]:.3f}" style="display:block">'
            f'<polyline points="{places}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
        )


def validation_in_words(line: dict) -> str:
    """Writes the measures of a validation that there are."""
    parts = [f"loss {line['loss']:.3f}"]
    for key, words in [("accuracy", "token accuracy"), ("exact_match", "exact match")]:
        if line.get(key) is not None:
            parts.append(f"{words} {100 * line[key]:.1f} %")
    for key, words in [("bleu", "BLEU"), ("f1", "F1")]:
        if line.get(key) is not None:
            parts.append(f"{words} {line[key]:.1f}")
    return f"validation after step {line['step']:,}: {', '.join(parts)}"


def duration(seconds: float) -> str:
    """Writes a duration: `4.2 s`, `3 min`, `2 h 05 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
