"""Attention weights of a sentence, read from the file of `--attention FILE.json`."""

from __future__ import annotations

from .metrics import array


class Site:
    """The weights of one place of the model that attends, such as `decoder.0.cross`."""

    def __init__(self, contents: dict):
        self.name: str = contents["site"]
        #: Tokens that look: a row each.
        self.rows: list[str] = contents["rows"]
        #: Tokens that are looked at: a column each.
        self.columns: list[str] = contents["columns"]
        levels = contents["levels"]
        #: Numbers of the levels, from 1.
        self.levels: list[int] = [it["level"] for it in levels]
        #: What the weights of level i are.
        self.levels_are: str = contents.get("levels_are", "")
        #: Weights `[levels, heads, rows, columns]`.
        self.weights = array([it["heads"] for it in levels])
        #: What else the mechanism has: `shares`, `mix`, `own`, `pyramid`.
        self.more: dict = {
            key: value
            for key, value in contents.items()
            if key not in ("site", "rows", "columns", "levels", "levels_are")
        }

    def __repr__(self) -> str:
        shape = (len(self.levels), len(self.weights[0]), len(self.rows), len(self.columns))
        return f"Site({self.name!r}, weights [levels, heads, rows, columns] = {list(shape)})"


class Attention:
    """Output of the model, and the weights of all sites: `attention["decoder.0.cross"]`."""

    def __init__(self, source: str, text: str, contents: dict):
        self.source = source
        #: What the model wrote.
        self.text = text
        self.score: float | None = contents.get("score")
        #: Natural logarithm of the probability of each token that the model wrote.
        self.log_probabilities = array(contents.get("log_probabilities", []))
        self.sites = {it["site"]: Site(it) for it in contents["sites"]}

    def __getitem__(self, site: str) -> Site:
        try:
            return self.sites[site]
        except KeyError:
            names = ", ".join(self.sites)
            raise KeyError(f"the model has no site {site!r}; it has {names}") from None

    def __iter__(self):
        return iter(self.sites)

    def __len__(self) -> int:
        return len(self.sites)

    def __repr__(self) -> str:
        return f"Attention({self.source!r} -> {self.text!r}; sites: {', '.join(self.sites)})"
