"""Tables: aligned on a screen, and in Markdown."""

from collections.abc import Iterable, Sequence


def text_table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Columns aligned to the right, but for the first."""
    lines = [list(heads), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def markdown_table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """As text that renders as a table; a bar inside a cell is kept from ending it."""
    lines = [list(heads), ["---"] * len(heads), *([str(cell).replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def show(title: str, heads: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a table under its title."""
    print(f"\n{title}\n\n{text_table(heads, rows)}", flush=True)


def figure(value: float | None, digits: int = 3) -> str:
    """A number with so many significant digits and no exponent; a dash where there is none."""
    if value is None:
        return "–"
    if value == 0 or not abs(value) < float("inf"):
        return f"{value:g}"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{float(f'{value:.{digits}g}'):,.{_decimals(value, digits)}f}"


def _decimals(value: float, digits: int) -> int:
    from math import floor, log10

    return max(0, digits - 1 - floor(log10(abs(float(f"{value:.{digits}g}")))))
