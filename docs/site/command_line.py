"""The reference of the command line, made from the commands themselves."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from reaedp.cli.app import app

#: Letters of a line that a page shows without scrolling.
WIDTH = 88


def text() -> str:
    """Every command with its arguments and options, as Markdown."""
    command: Any = get_command(app)
    lines = [
        "# Command line",
        "",
        command.help,
        "",
        "Exit codes are listed under [formats](/formats.md#exit-codes).",
        "",
    ]
    for name, part in sorted(command.commands.items()):
        lines += _described(f"reaedp {name}", part)
    return "\n".join(lines)


def _described(name: str, command: Any) -> Iterator[str]:
    """One command, or a family of them."""
    yield from (f"## {name}" if name.count(" ") == 1 else f"### {name}", "", command.help, "")
    if hasattr(command, "commands"):
        for word, part in command.commands.items():
            yield from _described(f"{name} {word}", part)
        return
    shown = [part for part in command.params if part.name != "help"]
    yield from ("```text", *_wrapped(name, list(map(_usage, shown))), "```", "")
    if shown:
        yield from ("| | | default |", "|---|---|---|", *map(_row, shown), "")


def _wrapped(name: str, words: list[str]) -> Iterator[str]:
    """The usage in lines that fit the page; an option and its value stay together."""
    line = name
    for word in words:
        if len(line) + len(word) > WIDTH:
            yield line
            line = " " * len(name)
        line = f"{line} {word}"
    yield line


def _usage(part: Any) -> str:
    word = _word(part)
    return word if part.required else f"[{word}]"


def _word(part: Any) -> str:
    """As one types it."""
    if part.param_type_name == "argument":
        return f"{part.name.upper()}{'…' if part.nargs == -1 else ''}"
    return part.opts[0] if part.is_flag else f"{part.opts[0]} {part.opts[0].strip('-').upper()}"


def _row(part: Any) -> str:
    default = "required" if part.required else "" if part.default in (None, False) else f"`{part.default}`"
    return f"| `{_word(part)}` | {part.help or ''} | {default} |"
