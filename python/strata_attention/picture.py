"""A picture of the program, which notebooks draw."""

from __future__ import annotations

from pathlib import Path


class Picture:
    """A picture as SVG."""

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, path) -> None:
        """Writes the picture into a file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "Picture: show it in a notebook, or write it with `save('attention.svg')`"
