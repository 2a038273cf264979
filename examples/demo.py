"""The whole path on a real data set about people: plan, audit, release, verify, ledger, and a look at the truth.

Run by `make demo`. Everything it makes lies in one folder, which it replaces.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def write_data(path: Path) -> None:
    """The data comes inside statsmodels; nothing is downloaded."""
    from statsmodels.datasets import randhie

    randhie.load_pandas().data.to_csv(path, index=False)


def main(folder: Path) -> None:
    """Show each command before running it, as a custodian would type it."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(HERE / "rand_hie", folder)
    write_data(folder / "rand_hie.csv")
    for command in (
        "check plan.toml",
        "plan plan.toml --html plan.html",
        "audit plan.toml",
        "ledger create budget.sqlite",
        "release plan.toml --data rand_hie.csv --out published",
        "verify published --ledger budget.sqlite",
        "ledger show budget.sqlite",
        "evaluate published --data rand_hie.csv --out not-to-be-published",
        (
            "report published --custodian --data rand_hie.csv --evaluation not-to-be-published"
            " --out not-to-be-published/custodian-report.html"
        ),
    ):
        print(f"\n$ reaedp {command}", flush=True)
        subprocess.run([sys.executable, "-m", "reaedp", *command.split()], cwd=folder, check=True)
    print(f"\nTo play with before spending: {folder / 'plan.html'}")
    print(f"For the custodian alone:      {folder / 'not-to-be-published' / 'custodian-report.html'}")
    print(f"To publish, open it first:    {folder / 'published' / 'report.html'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
