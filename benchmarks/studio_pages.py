"""How long pages of the studio and answers to sliders take: a plan of 20 releases, a contract of 200 columns."""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from harness.stopwatch import best
from harness.table import text_table
from reaedp import Ledger
from reaedp.errors import ReaedpError
from reaedp.studio.app import application
from reaedp.studio.gate import AccessKeys
from reaedp.studio.workspace import Workspace

HOST = "127.0.0.1:8000"
HEAD = """[dataset]
name = "wide"
[unit]
change = "add-remove"
at_least = 10000
[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"
[columns]
"""


def folder_of(place: Path, columns: int, releases: int) -> None:
    """A project of so many columns, with a plan of so many releases, half of them with Gaussian noise."""
    folder = place / "wide"
    folder.mkdir()
    line = 'x{} = {{ kind = "integer", lower = 0, upper = 99, width = 10, provenance = "public" }}\n'
    (folder / "contract.toml").write_text(HEAD + "".join(line.format(n) for n in range(columns)))
    one = '\n[[release]]\nname = "r{0}"\nkind = "histogram"\ncolumns = ["x{0}"]\nmechanism = "{1}"\nshare = 0.04\n'
    noise = ("laplace", "gaussian")
    plan = "".join(one.format(n, noise[n % 2]) for n in range(releases))
    (folder / "plan.toml").write_text(f'contract = "contract.toml"\n{plan}')
    Ledger.create(folder / "budget.sqlite").close()


def asking(place: Path) -> Callable[[str], None]:
    """A function that asks for a page as a browser that was let in."""

    def defect(error: BaseException) -> ReaedpError:
        raise error

    keys = AccessKeys()
    transport = httpx.ASGITransport(application(Workspace(place), keys, frozenset({HOST}), defect))
    cookies = httpx.Cookies({"reaedp-studio-8000": keys.enter(keys.token) or ""})

    async def ask(path: str) -> None:
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}", cookies=cookies) as client:
            answer = await client.get(path)
            answer.raise_for_status()

    return lambda path: asyncio.run(ask(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder_of(Path(name), 200, 20)
        ask = asking(Path(name))
        price = iter(f"{0.01 + n / 10_000:.4f}" for n in range(1_000_000))
        jobs = {
            "first page": lambda: ask("/"),
            "200 columns": lambda: ask("/p/wide/columns"),
            "plan of 20 releases": lambda: ask("/p/wide/plan"),
            "slider: figures of a release": lambda: ask(f"/p/wide/plan/figures?name=r3&e.r3={next(price)}"),
            "slider: all together": lambda: ask(f"/p/wide/plan/together?e.r3={next(price)}"),
            "slider: odds": lambda: ask(f"/p/wide/budget/pictures?epsilon={next(price)}&delta=1e-6"),
        }
        wall, processor = best(jobs, options.rounds), best(jobs, options.rounds, time.process_time)
        rows = [[job, f"{1000 * wall[job]:.0f}", f"{1000 * processor[job]:.0f}"] for job in jobs]
    print(text_table(["what", "ms by the clock", "ms of the processor"], rows))


if __name__ == "__main__":
    main()
