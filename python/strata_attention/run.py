"""Runs: training, going on, and asking the trained model."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from .attention import Attention
from .metrics import Lines, Metrics, flattened
from .picture import Picture
from .program import StrataError, call, options, settings
from .progress import Progress, progress_for
from .training import follow


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or a notebook's button, while a run was in training. The run is saved in `run`."""

    def __init__(self, sentence: str, run: Run | None):
        super().__init__(sentence)
        self.run = run


class Run:
    """A run in its folder, trained now or before: `Run("runs/copy-transformer-seed1")`."""

    def __init__(self, folder):
        self.folder = Path(folder).absolute()
        if not self.folder.is_dir():
            raise StrataError(f"{folder}: there is no such folder; name the folder of a run")
        #: A few held-out sentences to try; of a run that was trained in this session.
        self.samples: list[str] = []
        self._lines = Lines(self.folder / "metrics.jsonl")

    @property
    def metrics(self) -> Metrics:
        """Measures of each step: `step`, `loss`, `accuracy`, `learning_rate`, `gradient_norm`, `tokens`, …"""
        return self._lines.of("step")

    @property
    def validations(self) -> Metrics:
        """Measures on held-out examples: `step`, `loss`, `perplexity`, `accuracy`, `exact_match`, …"""
        return self._lines.of("validation")

    @property
    def attention_statistics(self) -> Metrics:
        """Statistics of the attention weights with each validation: a row for each site, head and level."""
        return flattened(self._lines.of("telemetry"))

    def translate(self, text, *, nbest: int | None = None, **search):
        """Translates or continues a text; a list of texts gives a list.

        With `nbest=3` each text gives a list of dicts with `text` and `score`. Options are those of
        `strata translate`: `beam=4`, `sample=True`, `temperature=0.8`, `limit=50`,
        `set={"model.encoder_self.levels": 8}`.
        """
        arguments = ["translate", "--model", self.folder, *options({"nbest": nbest, **search})]
        if isinstance(text, str):
            written = call(*arguments, "--", text)
            return best(written, 1)[0] if nbest else written.rstrip("\n")
        lines = list(text)
        for line in lines:
            if "\n" in line or "\r" in line:
                raise StrataError(f"{line!r} has several lines: give each as a text of its own")
        if not lines:
            return []
        written = call(*arguments, input="".join(f"{line}\n" for line in lines))
        return best(written, len(lines)) if nbest else written.split("\n")[: len(lines)]

    def attention(self, text: str, **search) -> Attention:
        """Translates or continues a text, and returns the weights of all sites that attend."""
        written, contents = self._with_attention(text, "weights.json", search)
        [sentence] = json.loads(contents)["sentences"]
        return Attention(text, written, sentence)

    def picture(self, text: str, **search) -> Picture:
        """Translates or continues a text, and draws the attention of the last site."""
        _, contents = self._with_attention(text, "attention.svg", search)
        return Picture(contents)

    def _with_attention(self, text: str, name: str, search: dict) -> tuple[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, name)
            arguments = ["translate", "--model", self.folder, "--attention", file]
            written = call(*arguments, *options(search), "--", text)
            return written.rstrip("\n"), file.read_text(encoding="utf-8")

    def answer(self, question: str, passage: str, **search) -> dict:
        """Answers a question about a passage: `text`, `position` in the passage, and `probability`."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "passage.txt")
            file.write_text(passage, encoding="utf-8")
            arguments = ["answer", "--model", self.folder, "--passage", file]
            written = call(*arguments, *options(search), "--", question)
        text, position, probability = written.split("\n")[0].split("\t")
        return {"text": text, "position": int(position), "probability": float(probability)}

    def eval(self, **measures) -> dict:
        """Measures the model on held-out sentences, with options of `strata eval` such as `beam=4`."""
        return json.loads(call("eval", "--model", self.folder, "--json", *options(measures)))

    def inspect(self) -> dict:
        """Returns what is in the checkpoint: experiment, progress, parameters."""
        return json.loads(call("inspect", self.folder, "--json"))

    def resume(self, changes: dict | None = None, *, progress=None, **more) -> Run:
        """Goes on with the run, for example with `{"training.steps": 4000}`."""
        return resume(self, changes, progress=progress, **more)

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        validations = self.validations
        at = f", step {self.metrics[-1]['step']:,}" if self.metrics else ""
        loss = f", validation loss {validations[-1]['loss']:.3f}" if validations else ""
        return f"Run({shown(self.folder)!r}{at}{loss})"


def train(preset=None, values: dict | None = None, *, out=None, progress=None, **more) -> Run:
    """Trains a model, and returns the run.

        strata.train("copy", {"model.width": 64})
        strata.train({"task.kind": "files", "task.source": "de.txt", "task.target": "en.txt"})

    `preset` is one of `strata config --presets`, `values` are settings of `strata config`. The run
    is written to the folder `out`, or to a new one in `runs`. `progress=False` shows nothing, and a
    function is called with each line of the run as a dict. Other options are those of `strata train`:
    `device="cuda"`, `from_="runs/large"`, `config="experiment.toml"`, `from_url="?preset=copy"`.

    Ctrl-C saves the run and raises `Interrupted`, whose `run` can be resumed.
    """
    if isinstance(preset, dict):
        if values is not None:
            raise StrataError("settings were given twice: as the first and as the second argument")
        preset, values = None, preset
    arguments = options({"preset": preset, "out": out, **more}) + settings(values)
    return trained(arguments, progress_for(progress))


def resume(run, changes: dict | None = None, *, progress=None, **more) -> Run:
    """Continues the run in a folder from the last checkpoint.

        strata.resume("runs/copy-transformer-seed1", {"training.steps": 4000})
    """
    arguments = options({"resume": os.fspath(run), **more}) + settings(changes)
    return trained(arguments, progress_for(progress))


def trained(arguments: list[str], progress: Progress) -> Run:
    """Runs `strata train`, and returns the run."""
    outcome = follow(arguments, progress)
    run = None
    if outcome.folder is not None and outcome.folder.is_dir():
        run = Run(outcome.folder)
        run.samples = outcome.samples
    if outcome.interrupted:
        if run is None:
            raise Interrupted("ended before the first step: there is nothing to save", None)
        where = shown(run.folder)
        raise Interrupted(f"saved; go on with strata.resume({where!r})", run)
    if run is None:
        raise StrataError("strata train ended without saying in which folder its run is")
    return run


def best(written: str, count: int) -> list[list[dict]]:
    """Reads the lines of `--nbest`: number of the text, score and text, with tabs between them."""
    found: list[list[dict]] = [[] for _ in range(count)]
    for line in written.splitlines():
        number, score, text = line.split("\t", 2)
        found[int(number)].append({"text": text, "score": float(score)})
    return found


def shown(folder: Path) -> str:
    """Writes a path from the current folder on, where it lies inside."""
    try:
        return str(folder.relative_to(Path.cwd()))
    except ValueError:
        return str(folder)
