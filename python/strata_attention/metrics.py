"""Measures of a run: a list of dicts that also gives columns and a table."""

from __future__ import annotations

import html
import json
from pathlib import Path


def array(values: list):
    """Returns a numpy array, or the list where numpy is not installed."""
    try:
        import numpy
    except ImportError:
        return values
    return numpy.asarray(values)


class Metrics(list):
    """Rows of a run's `metrics.jsonl`, a dict each."""

    def array(self, key: str):
        """Returns a column as a numpy array, or as a list where numpy is not installed.

        A row without a value has NaN there (None in a list).
        """
        if self and not any(key in row for row in self):
            keys = ", ".join(sorted({key for row in self for key in row}))
            raise KeyError(f"no row has {key!r}; there are {keys}")
        values = [row.get(key) for row in self]
        if any(isinstance(value, (int, float)) for value in values):
            column = array([float("nan") if it is None else it for it in values])
            return values if isinstance(column, list) else column
        return array(values)

    def frame(self):
        """Returns the rows as a DataFrame of pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("a DataFrame needs pandas: run `pip install pandas`") from None
        return pandas.DataFrame(list(self))

    def _repr_html_(self) -> str:
        """Returns the last rows as a table, for notebooks."""
        rows = self[-10:]
        keys = list(dict.fromkeys(key for row in rows for key in row))
        head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
        body = "".join(
            "<tr>" + "".join(f"<td>{cell(row.get(key))}</td>" for key in keys) + "</tr>"
            for row in rows
        )
        above = f"<p>{len(self):,} rows, of which these are the last</p>" if len(self) > 10 else ""
        return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(value: object) -> str:
    """Writes a value into a cell of a table."""
    if value is None:
        return ""
    return html.escape(f"{value:.5g}" if isinstance(value, float) else str(value))


class Lines:
    """The lines of a run's `metrics.jsonl` by kind, read again when the file has changed."""

    def __init__(self, path: Path):
        self.path = path
        self.stamp = None
        self.kinds: dict[str, Metrics] = {}

    def of(self, kind: str) -> Metrics:
        """Returns the lines of a kind, without the kind."""
        try:
            stamp = self.path.stat()
        except OSError:
            return Metrics()
        stamp = (stamp.st_mtime_ns, stamp.st_size)
        if stamp != self.stamp:
            self.kinds = {}
            for line in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    # The run is being written, and this line is not complete yet.
                    break
                self.kinds.setdefault(row.pop("kind"), Metrics()).append(row)
            self.stamp = stamp
        return Metrics(self.kinds.get(kind, ()))


def flattened(lines: Metrics) -> Metrics:
    """Returns statistics of attention as a row for each step, site, head and level; heads count from 0."""
    return Metrics(
        {"step": line["step"], "site": site["site"], "head": head, **level}
        for line in lines
        for site in line["sites"]
        for head, of_head in enumerate(site["heads"])
        for level in of_head["levels"]
    )
