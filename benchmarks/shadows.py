"""The shadow attack on a network of all 14 columns of Adult: how fast releases are made again, and what it finds.

    REAEDP_DATA=folder python benchmarks/shadows.py [--fits 1000] [--epsilon 1] [--workers 2] [--columns 14]

The folder holds adult.csv and adult-domain.json. The most exposed of 2,000 records comes and goes, everyone else stays;
half of the fits are for practice. Seconds of the processor are those of all workers together.
"""

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from reaedp import Budget, Contract, Unit
from reaedp.attacks.rounds import cores
from reaedp.attacks.shadow import most_exposed, shadow
from reaedp.attacks.space import Space
from reaedp.evaluation.refit import Refit
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.permitted import permitted_by
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.marginal_model import MarginalModel
from synthesis import DELTA, ORDERED, declared

SEARCHED = 2_000


def seconds() -> float:
    """Of the processor, spent by this process and by those that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def told(start: float, done: int, of: int) -> None:
    each = (time.perf_counter() - start) / done
    end = "" if done < of else "\n"
    print(
        f"\r{done:,} of {of:,} fits, {each:.3f} s each, {each * of:.0f} s for all ",
        end=end,
        file=sys.stderr,
        flush=True,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("REAEDP_DATA"))
    options.add_argument("--fits", type=int, default=1_000)
    options.add_argument("--epsilon", type=float, default=1.0)
    options.add_argument("--workers", type=int, default=cores())
    options.add_argument("--columns", type=int, default=14)
    chosen = options.parse_args()
    if chosen.data is None:
        options.error("name a folder with adult.csv by --data or REAEDP_DATA")
    domain = json.loads((chosen.data / "adult-domain.json").read_text())
    names = tuple(domain)[-chosen.columns :]
    codes = pd.read_csv(chosen.data / "adult.csv")[list(names)].to_numpy(np.int32)
    columns = tuple(declared(name, domain[name], name in ORDERED) for name in names)
    budget = Budget(chosen.epsilon, DELTA)
    contract = Contract(dataset="adult", unit=Unit("add-remove"), budget=budget, ledger="none", columns=columns)
    network = MarginalModel.within(chosen.epsilon, DELTA, contract, names)
    again = Refit(contract, names, Calibrated(network, counting_sensitivity(contract.unit)), len(codes))
    rng = np.random.default_rng(1)
    target = most_exposed(codes, Space.of(columns), among=rng.choice(len(codes), SEARCHED, replace=False))
    start, used = time.perf_counter(), seconds()
    attacks = shadow(
        codes,
        target,
        again,
        permitted_by(again.noise.price),
        runs=chosen.fits,
        rng=rng,
        workers=chosen.workers,
        progress=lambda done, of: told(start, done, of),
    )
    took, used = time.perf_counter() - start, seconds() - used
    print(f"{len(codes):,} rows, {len(names)} columns, ε = {chosen.epsilon:g}, {chosen.workers} workers")
    rate = chosen.fits / took
    print(f"{chosen.fits:,} fits in {took:.0f} s: {rate:.2f} a second, {1_000 / rate:.0f} s for 1,000")
    print(f"{used / chosen.fits:.3f} s of the processor for each")
    for attack in attacks:
        print(attack)


if __name__ == "__main__":
    main()
