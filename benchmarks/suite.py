"""The whole comparison: every job in a process of its own, one document of results.

    make bench                                    # everything, about an hour
    python benchmarks/suite.py --quick            # minutes, smaller sizes, written to data/QUICK.md
    python benchmarks/suite.py --keep             # only what was not measured yet with these versions
    python benchmarks/suite.py --only histogram growth

Each job writes rows of its own as it measures, so that an interrupted run can be continued with --keep. The results are
in RESULTS.md and growth.svg beside this file.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from harness import machine
from harness.document import Done, document
from harness.peer import DATA, PEERS
from harness.row import read_rows

HERE = Path(__file__).parent
CHART = HERE / "growth.svg"


@dataclass(frozen=True)
class Job:
    """A script with its arguments and the environments of peers that it runs.

    `needs` names an environment variable without which it cannot run.
    """

    script: str
    arguments: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()
    needs: str = ""

    @property
    def name(self) -> str:
        """As one would type it."""
        return " ".join([self.script, *self.arguments])

    @property
    def title(self) -> str:
        """Without the folders of one machine."""
        return self.name.replace(str(HERE), "benchmarks").replace(str(DATA), "data")

    def key(self, quick: bool) -> str:
        """The same for the same measurement: script, arguments, versions of ours and pins of its peers."""
        pins = [(PEERS / f"{peer}.txt").read_text(encoding="utf-8") for peer in self.peers]
        facts = [self.name, quick, machine.versions(), pins, (HERE / f"{self.script}.py").read_text(encoding="utf-8")]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


HISTOGRAMS = ("opendp", "diffprivlib", "smartnoise_sql", "pipeline_dp", "tumult")
#: As synthesis_peers.py calls them, with the environment that they need; the quickest first.
SYNTHESIZERS = {
    "dpmm MST": "dpmm",
    "OpenDP MST": "opendp",
    "SmartNoise MST": "smartnoise_synth",
    "dpmm PrivBayes": "dpmm",
    "dpmm AIM, 1 MB": "dpmm",
    "OpenDP AIM, 1 MB": "opendp",
    "SmartNoise AIM, 1 MB": "smartnoise_synth",
}
#: Seconds of the processor after which a synthesizer is ended: some seventy times ours.
PATIENCE = "200"
#: Measured side by side, whatever the file of all comparisons holds.
SIDE_BY_SIDE = ("--again", "--runs", str(DATA / "measured" / "synthesizers.jsonl"))
JOBS = (
    Job("start_up"),
    Job("waiting"),
    Job("commands", ("--without-base",), ("diffprivlib",)),
    Job("histogram", ("--from", "parquet"), HISTOGRAMS),
    Job("histogram", ("--from", "csv"), HISTOGRAMS),
    Job("histogram", ("--from", "memory"), HISTOGRAMS),
    Job("cells"),
    Job("entropy_map"),
    Job("curves", ("--speed-only",)),
    Job("accounting"),
    Job("audit_runs"),
    Job("ledger"),
    *(
        Job("synthesis_peers", ("--peers", "REAEDP", name, "--cap", PATIENCE, *SIDE_BY_SIDE), (peer,), "REAEDP_DATA")
        for name, peer in SYNTHESIZERS.items()
    ),
    Job("spark"),
    Job("out_of_core"),
    Job("growth", ("--chart", str(CHART))),
)
#: What is left out of a quick run, whose jobs together shall take minutes.
SLOW = ("spark", "out_of_core")


def run(job: Job, options: argparse.Namespace) -> Done:
    """Measure, or take what an earlier run measured if --keep says so."""
    kept = DATA / "measured" / f"{job.key(options.quick)}.jsonl"
    facts = kept.with_suffix(".json")
    if options.keep and facts.exists():
        return Done(job.title, read_rows(kept), json.loads(facts.read_text(encoding="utf-8")))
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.unlink(missing_ok=True)
    if "harness.script" not in (HERE / f"{job.script}.py").read_text(encoding="utf-8"):
        return Done(job.title, [], {}, "not run: it hands on no rows; run it by itself")
    if job.needs and not os.environ.get(job.needs):
        return Done(job.title, [], {}, f"not run: {job.needs} names no folder with the data")
    command = [sys.executable, str(HERE / f"{job.script}.py"), *job.arguments, "--rows-to", str(kept)]
    if options.quick:  # the chart of the full run stays as it is
        command = [*(part.replace(str(CHART), str(DATA / "quick.svg")) for part in command), "--quick"]
    before, start = machine.load(), time.monotonic()
    done = subprocess.run(command, check=False)
    found = read_rows(kept) if kept.exists() else []
    told = {
        "date": machine.today(),
        "load": [round(before, 1), round(machine.load(), 1)],
        "seconds": round(time.monotonic() - start),
        "commit": machine.commit(),
    }
    if done.returncode:
        return Done(job.title, found, told, f"failed with exit code {done.returncode}")
    facts.write_text(json.dumps(told), encoding="utf-8")
    return Done(job.title, found, told)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="smaller sizes")
    options.add_argument("--keep", action="store_true", help="keep rows measured with the same versions and pins")
    options.add_argument("--only", nargs="+", metavar="SCRIPT", help="measure these, and keep what is there of others")
    options.add_argument("--out", type=Path, help="RESULTS.md beside this script, or data/QUICK.md of a quick run")
    chosen = options.parse_args()
    out = chosen.out or (DATA / "QUICK.md" if chosen.quick else HERE / "RESULTS.md")
    jobs = [job for job in JOBS if not (chosen.quick and job.script in SLOW)]
    results = []
    for place, job in enumerate(jobs, 1):
        print(f"\n── {place} of {len(jobs)}: {job.name}", flush=True)
        measure = not chosen.only or job.script in chosen.only
        keep = chosen.keep if measure else True
        if not measure and not (DATA / "measured" / f"{job.key(chosen.quick)}.json").exists():
            results.append(Done(job.title, [], {}, "NOT MEASURED in this run"))
            continue
        results.append(run(job, argparse.Namespace(quick=chosen.quick, keep=keep)))
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(document(results, chosen.quick, CHART.name), encoding="utf-8")
    print(f"\n{out}")
    sys.exit(any(done.failed.startswith("failed") for done in results))


if __name__ == "__main__":
    main()
