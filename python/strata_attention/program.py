"""Finds the program `strata`, and runs commands of the program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path


class StrataError(RuntimeError):
    """A sentence of the program: what is wrong, where, and what to do."""


def program() -> str:
    """Returns the path of the program that was installed with this module.

    The environment variable `STRATA_BIN` names another one.
    """
    named = os.environ.get("STRATA_BIN")
    if named:
        return named
    name = "strata.exe" if sys.platform == "win32" else "strata"
    user = "nt_user" if os.name == "nt" else "posix_user"
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", user),
        # Of `pip install --target`, where the program lies beside the module.
        Path(__file__).parent.parent / "bin",
    ]
    for folder in folders:
        path = Path(folder, name)
        if path.is_file():
            return str(path)
    on_path = shutil.which(name)
    if on_path:
        return on_path
    raise StrataError(
        "the program `strata` is not where it was installed: run `pip install --force-reinstall "
        "strata-attention`, or name the program in the environment variable STRATA_BIN"
    )


def call(*arguments: object, input: str | None = None) -> str:
    """Runs a command of the program, and returns the output.

        strata.call("config", "--explain", "pyramid")

    Raises `StrataError` if the command fails. Warnings go to standard error.
    """
    words = [program(), *map(word, arguments)]
    ended = subprocess.run(
        words,
        input=input,
        # A command never waits for what is typed into the terminal.
        stdin=subprocess.DEVNULL if input is None else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    if ended.returncode != 0:
        raise StrataError(sentence(ended.stderr, ended.returncode))
    if ended.stderr:
        print(ended.stderr, end="", file=sys.stderr)
    return ended.stdout


def sentence(printed: str, code: int) -> str:
    """Returns the program's own sentence on its failure."""
    lines = printed.strip().splitlines()
    for at, line in enumerate(lines):
        if line.startswith("error: "):
            return "\n".join([line[len("error: ") :], *lines[at + 1 :]])
    if lines:
        return "\n".join(lines)
    return f"strata ended with the code {code} and without a word"


def word(value: object) -> str:
    """Writes a value as the program reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(word, value))
    if isinstance(value, range):
        # The program's ranges include their end.
        if value.step != 1 or len(value) == 0:
            raise StrataError(f"{value} is no range of whole numbers that follow each other")
        return f"{value.start}..{value.stop - 1}"
    # Numbers of numpy write themselves like numbers of Python.
    return str(value)


def settings(values: dict[str, object] | None) -> list[str]:
    """Returns the settings as arguments, `key=value` each."""
    return [f"{key}={word(value)}" for key, value in (values or {}).items()]


def options(values: dict[str, object]) -> list[str]:
    """Returns keyword arguments as options: `beam=4` is `--beam 4`, and `sample=True` is `--sample`."""
    words = []
    for name, value in values.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif name == "set":
            for setting in settings(value):
                words += [option, setting]
        else:
            words += [option, word(value)]
    return words
