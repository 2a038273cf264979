"""Which tests are slow, which planted bugs each of them catches, and which quick tests catch the same.

python tests/mutants/slow.py

A planted bug must be caught by a quick test, so that `make test` guards every proof; only bugs in the way to a cluster,
a database server or a browser need one to be seen.
"""

import contextlib
import io
import sys
from collections import defaultdict
from dataclasses import dataclass

import pytest

from planted import ROOT, mutants


@dataclass(frozen=True, slots=True)
class Collected:
    """A test function: how many of its cases are quick, how many slow, and whether they need something started."""

    quick: int
    slow: int
    started: bool


class _Collector:
    def __init__(self) -> None:
        self.found: dict[str, Collected] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        started = next(plugin.STARTED for plugin in config.pluginmanager.get_plugins() if hasattr(plugin, "STARTED"))
        for item in items:
            name, slow = item.nodeid.partition("[")[0], item.get_closest_marker("slow") is not None
            known = self.found.get(name, Collected(0, 0, started=False))
            needs = known.started or bool(started.intersection(getattr(item, "fixturenames", ())))
            self.found[name] = Collected(known.quick + (not slow), known.slow + slow, needs)


def collected() -> dict[str, Collected]:
    """Every test function of the project, by its place."""
    collector = _Collector()
    options = ["--collect-only", "-qq", "-p", "no:cacheprovider", "--rootdir", str(ROOT), str(ROOT / "tests")]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = pytest.main(options, plugins=[collector])
    if code != 0:
        raise RuntimeError(f"The tests cannot be collected.\n{said.getvalue()[-4000:]}")
    return collector.found


def unguarded(found: dict[str, Collected]) -> list[str]:
    """Planted bugs that only slow tests catch, though nothing has to be started to see them."""
    return [
        mutant.name
        for mutant in mutants()
        if not any(found[test].quick or found[test].started for test in mutant.caught_by)
    ]


def table(found: dict[str, Collected]) -> str:
    """A row for each function with slow cases: the bugs that name it, and quick tests that catch the same."""
    caught = defaultdict(list)
    for mutant in mutants():
        for test in mutant.caught_by:
            caught[test].append(mutant)
    rows = ["| slow test | cases | of them slow | catches | caught by quick tests, too |", "|---|---|---|---|---|"]
    for name, counted in sorted(found.items()):
        if counted.slow:
            bugs = caught[name]
            both = [bug.name for bug in bugs if any(found[test].quick for test in bug.caught_by)]
            names = ", ".join(f"`{bug.name}`" for bug in bugs) or "–"
            cases = counted.quick + counted.slow
            rows.append(f"| `{name}` | {cases} | {counted.slow} | {names} | {len(both)} of {len(bugs)} |")
    return "\n".join(rows)


def main() -> int:
    """Print the table and what it comes to; 1 if a bug is left to slow tests that could be caught by a quick one."""
    found = collected()
    left = unguarded(found)
    quick, slow = sum(one.quick for one in found.values()), sum(one.slow for one in found.values())
    print(table(found))
    print(f"\n{quick} quick cases, {slow} slow ones, {len(mutants())} planted bugs.")
    if left:
        print(f"Caught by slow tests alone: {', '.join(left)}", file=sys.stderr)
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
