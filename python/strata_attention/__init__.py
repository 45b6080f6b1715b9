"""Strata from Python: trains small attention models, and shows what their attention does.

    import strata_attention as strata

    run = strata.train("copy", {"model.width": 64})
    run.metrics.array("loss")
    run.translate("a b c")
    run.attention("a b c")["decoder.0.cross"].weights  # [levels, heads, rows, columns]

The module drives the program `strata`, which is installed with it and lies on the PATH as well.
Settings, presets and files are those of the program: `strata.call("config", "--explain", "levels")`
explains a setting.
"""

from .attention import Attention, Site
from .metrics import Metrics
from .picture import Picture
from .program import StrataError, call, program
from .run import Interrupted, Run, resume, train

__all__ = [
    "Attention",
    "Interrupted",
    "Metrics",
    "Picture",
    "Run",
    "Site",
    "StrataError",
    "call",
    "program",
    "resume",
    "train",
]
