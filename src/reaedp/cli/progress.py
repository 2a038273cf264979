"""A line that says what a command is doing; where nobody watches, nothing is said and nothing is imported for it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """A line that says what is being done and for how long; it vanishes at the end, and only people see it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("opening")
        yield lambda text: progress.update(task, description=text)


@contextmanager
def counted_steps() -> Iterator[tuple[Callable[[str], None], Callable[[str, int, int], None]]]:
    """A line that says what is being done, and a bar with the remaining time for what is counted."""
    if not sys.stderr.isatty():
        yield lambda _: None, lambda what, done, of: None  # noqa: ARG005
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("opening", total=None)

        def counted(what: str, done: int, of: int) -> None:
            progress.update(task, description=f"{what}, {done:,} of {of:,}", completed=done, total=of)

        yield lambda text: progress.update(task, description=text), counted
