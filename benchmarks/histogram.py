"""A histogram of one column, 30 bins: ours against the bare query and against what users would pick instead.

    python benchmarks/histogram.py [--rows 100000000] [--csv-rows 10000000] [--rounds 3] [--without-peers]

Every contender runs in its own process, peers in virtual environments of their own (benchmarks/data/venv-*): their
pins clash. Contenders take turns for several rounds and the best of each counts, as ratios are less noisy than times.
"""

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "data"
CONTENDERS = HERE / "contenders"
PEERS = {
    "opendp_polars": ["opendp[polars]>=0.14,<0.17"],
    "diffprivlib_histogram": ["diffprivlib==0.6.6", "scikit-learn<1.8", "pyarrow"],
}


def generate(path: Path, rows: int) -> Path:
    if not path.exists():
        import duckdb

        DATA.mkdir(exist_ok=True)
        query = f"SELECT random() * 100 AS x, (random() * 10)::INTEGER AS y FROM range({rows})"
        columns = "x" if path.suffix == ".parquet" else "x, y"
        duckdb.execute(f"COPY (SELECT {columns} FROM ({query})) TO '{path}'")
    return path


def peer_python(name: str) -> Path:
    home = DATA / f"venv-{name}"
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([home / "bin/pip", "install", "--quiet", *PEERS[name]], check=True)
        (home / "ready").touch()
    return home / "bin/python"


def run(python: Path | str, contender: str, data: Path) -> dict[str, float] | None:
    done = subprocess.run(
        [python, CONTENDERS / f"{contender}.py", data], capture_output=True, text=True, check=False, timeout=900
    )
    if done.returncode:
        print(f"{contender} failed: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def race(data: Path, pythons: dict[str, Path | str], rounds: int) -> dict[str, dict[str, float]]:
    best: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for name, python in list(pythons.items()):
            result = run(python, name, data)
            if result is None:
                pythons.pop(name)
            elif name not in best or result["seconds"] < best[name]["seconds"]:
                best[name] = result
    return best


def table(title: str, best: dict[str, dict[str, float]]) -> None:
    limit = best["duckdb_by_hand"]["seconds"]
    print(f"\n{title}\n{'':24}{'seconds':>9}{'× by hand':>11}{'import':>8}{'peak MB':>9}")
    for name, result in best.items():
        seconds = result["seconds"]
        print(f"{name:24}{seconds:9.2f}{seconds / limit:11.2f}{result['import']:8.2f}{result['peak_mb']:9.0f}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=100_000_000)
    options.add_argument("--csv-rows", type=int, default=10_000_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--without-peers", action="store_true")
    chosen = options.parse_args()
    here: dict[str, Path | str] = {"duckdb_by_hand": sys.executable, "reaedp_release": sys.executable}
    peers = {} if chosen.without_peers else {name: peer_python(name) for name in PEERS}

    parquet = race(generate(DATA / f"x{chosen.rows}.parquet", chosen.rows), {**here, **peers}, chosen.rounds)
    table(f"Parquet, {chosen.rows:,} rows", parquet)
    hand, ours = parquet["duckdb_by_hand"], parquet["reaedp_release"]
    print(f"ours - 1.15 × by hand = {ours['seconds'] - 1.15 * hand['seconds']:.2f} s (goal: at most 1 s)")
    print(f"memory over DuckDB: {ours['peak_mb'] - hand['peak_mb']:.0f} MB (goal: at most 200 MB)")
    for name in peers:
        if name in parquet:
            print(f"{name} takes {parquet[name]['seconds'] / ours['seconds']:.1f} × our time (goal: at least 4)")

    table(
        f"CSV, {chosen.csv_rows:,} rows",
        race(generate(DATA / f"x{chosen.csv_rows}.csv", chosen.csv_rows), here, chosen.rounds),
    )


if __name__ == "__main__":
    main()
