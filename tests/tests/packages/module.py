"""Uses the module `strata_attention` with numpy and pandas, and checks what comes of it."""

import os
import signal
import subprocess
import sys

import numpy
import strata_attention as strata

SMALL = {"training.steps": 60, "training.validate_every": 30}
TEXT = "d e f g h i j k l m n o"


def refused(sentence, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except strata.StrataError as error:
        assert sentence in str(error), str(error)
        assert "Traceback" not in str(error) and not str(error).startswith("error"), str(error)
    else:
        raise AssertionError(f"not refused: {sentence}")


# Measures: the lines of the run's own file, as dicts, as an array and as a table.
lines = []
run = strata.train("copy", SMALL, out="runs/small", progress=lines.append)
assert [row["step"] for row in run.metrics] == list(range(1, 61))
assert [row["step"] for row in run.validations] == [30, 60]
loss = run.metrics.array("loss")
assert loss.dtype == float and loss.shape == (60,) and loss[-1] < loss[0]
assert run.validations.array("bleu").shape == (2,)
frame = run.metrics.frame()
assert frame["loss"].tolist() == loss.tolist() and frame["step"].iloc[-1] == 60
assert "<th>loss</th>" in run.metrics._repr_html_() and "60 rows" in run.metrics._repr_html_()
statistics = run.attention_statistics.frame()
assert set(statistics["site"]) == {"encoder.0.self", "decoder.0.self", "decoder.0.cross"}
assert statistics["entropy"].min() >= 0 and set(statistics["head"]) == {0, 1}
try:
    run.metrics.array("los")
except KeyError as error:
    assert "'los'" in str(error) and "loss" in str(error)
else:
    raise AssertionError("there is no column `los`")

# The caller's function saw every line, in order, and no other output was needed.
kinds = [line["kind"] for line in lines]
assert kinds[0] == "begin" and kinds[-1] == "end" and kinds.count("step") == 60, kinds
assert lines[0]["steps"] == 60 and lines[0]["folder"].endswith("small")
assert run.samples and " " in run.samples[0]

# The model: as the program itself answers.
said = subprocess.run(
    [strata.program(), "translate", "--model", run.folder, TEXT], capture_output=True, text=True
)
assert run.translate(TEXT) == said.stdout.rstrip("\n")
assert run.translate([TEXT, "", "a b"])[:2] == [run.translate(TEXT), ""]
assert run.translate([]) == []
found = run.translate([TEXT, TEXT], nbest=3, beam=4)
assert [len(of) for of in found] == [3, 3] and found[0] == found[1]
assert found[0][0]["score"] >= found[0][1]["score"]
assert run.translate(TEXT, nbest=2, beam=4) == found[0][:2]
seen = run.attention(TEXT)
assert seen.text == run.translate(TEXT) and list(seen) == ["encoder.0.self", "decoder.0.self", "decoder.0.cross"]
site = seen["decoder.0.cross"]
assert isinstance(site.weights, numpy.ndarray)
assert site.weights.shape == (1, 2, len(site.rows), 12) and site.columns == TEXT.split()
assert numpy.allclose(site.weights.sum(axis=-1), 1, atol=1e-5)
assert len(seen.log_probabilities) >= len(seen.text.split())
assert run.picture(TEXT)._repr_svg_().startswith("<svg")
assert run.eval()["step"] == 60 and run.inspect()["experiment"]["model"]["width"] == 32
assert 'kind = "multilevel"' in strata.call("config", "--explain", "multilevel")
assert "step 60" in repr(strata.Run("runs/small"))

# Errors are the program's own sentences.
refused("there is no setting `model.widht`; did you mean `model.width`?", strata.train, "copy", {"model.widht": 3})
refused("no-such-preset", strata.train, "no-such-preset")
refused("--beem", run.translate, TEXT, beem=4)
refused("several lines", run.translate, ["a\nb"])
refused("no such folder", strata.Run, "runs/none")
refused("runs/small", strata.train, "copy", out="runs/small")

# Levels: a list becomes a list, and a switch a switch.
deep = strata.train(
    {"task.kind": "copy", "model.encoder_self.kind": "multilevel", "model.encoder_self.levels": 3, **SMALL},
    out="runs/deep",
    progress=False,
)
assert deep.attention(TEXT)["encoder.0.self"].weights.shape[0] == 3
assert deep.attention(TEXT, set={"model.encoder_self.levels": 2})["encoder.0.self"].levels == [1, 2]

# Ctrl-C after the twentieth step: saved, and resumed to the same end as a run without it.
def press(line):
    if line["kind"] == "step" and line["step"] == 20:
        os.kill(os.getpid(), signal.SIGINT)


changes = {"training.steps": 100_000}
try:
    strata.train("copy", {**SMALL, **changes}, out="runs/pressed", progress=press)
except KeyboardInterrupt as stopped:
    assert isinstance(stopped, strata.Interrupted) and "strata.resume('runs/pressed')" in str(stopped)
    pressed = stopped.run
else:
    raise AssertionError("Ctrl-C was lost")
at = pressed.metrics[-1]["step"]
assert 20 <= at < 100_000
more = strata.resume("runs/pressed", {"training.steps": at + 5}, progress=False)
assert [row["step"] for row in more.metrics] == list(range(1, at + 6))
same = min(at, 60)
assert more.metrics.array("loss")[:same].tolist() == loss[:same].tolist()

# Without a display, a run says nothing; in a pipe as well.
quiet = subprocess.run(
    [sys.executable, "-c", "import strata_attention as s; s.train('copy', {'training.steps': 2})"],
    capture_output=True,
    text=True,
)
assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", ""), quiet
