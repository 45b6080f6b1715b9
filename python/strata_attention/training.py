"""Follows `strata train --json`, and stops the program in an orderly way at Ctrl-C."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from .program import StrataError, program, sentence
from .progress import Progress

#: Exit code of the program after Ctrl-C.
INTERRUPTED = 130


@dataclass
class Outcome:
    """Result of a run."""

    folder: Path | None = None
    samples: list[str] = field(default_factory=list)
    interrupted: bool = False


def follow(arguments: list[str], progress: Progress) -> Outcome:
    """Trains, shows the progress, and returns what came of the run."""
    windows = sys.platform == "win32"
    child = subprocess.Popen(
        [program(), "train", "--json", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        # Ctrl-C reaches this process alone, which passes it on once.
        start_new_session=not windows,
        creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if windows else 0,
    )
    lines: queue.Queue = queue.Queue()
    for stream in (child.stdout, child.stderr):
        threading.Thread(target=pump, args=(stream, lines), daemon=True).start()
    outcome = Outcome()
    errors: list[str] = []
    requests = 0
    open_streams = 2
    try:
        while open_streams:
            try:
                # A wait without an end could not be interrupted on Windows.
                stream, line = lines.get(timeout=0.2)
                if line is None:
                    open_streams -= 1
                elif stream is child.stdout:
                    take(json.loads(line), outcome, progress)
                elif errors or line.startswith("error: "):
                    errors.append(line)
                else:
                    progress.warn(line.rstrip("\n"))
            except queue.Empty:
                continue
            except KeyboardInterrupt:
                requests += 1
                if requests <= 2:
                    child.send_signal(signal.CTRL_BREAK_EVENT if windows else signal.SIGINT)
                else:
                    child.kill()
        code = child.wait()
    finally:
        progress.close()
        # After an error of this module or of the caller's function: the run is saved, and ends.
        if child.poll() is None:
            child.terminate()
            child.wait()
    outcome.interrupted = code == INTERRUPTED or requests > 0
    if code != 0 and not outcome.interrupted:
        raise StrataError(sentence("".join(errors), code))
    return outcome


def pump(stream, lines: queue.Queue) -> None:
    """Puts the lines of a stream into the queue, and None at the end."""
    try:
        for line in stream:
            lines.put((stream, line))
    finally:
        lines.put((stream, None))


def take(line: dict, outcome: Outcome, progress: Progress) -> None:
    """Takes a line of the program."""
    if line.get("folder"):
        outcome.folder = Path(line["folder"])
    outcome.samples = line.get("samples", outcome.samples)
    progress.take(line)
