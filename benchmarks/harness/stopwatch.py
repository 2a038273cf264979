"""Seconds of jobs; the only file of the harness that also runs inside peers' environments.

On a shared machine times are noisy in one direction: others only make a job slower. So the best of several counts, and
what is compared takes turns.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from importlib import metadata

Job = Callable[[], object]

#: A job is not repeated once its runs have taken this long together.
ENOUGH_SECONDS = 30.0
#: Threads hand in their time of the processor some milliseconds late: shorter jobs are run several times in a row.
LEAST_SECONDS = 0.1


def seconds(job: Job, clock: Callable[[], float] = time.perf_counter) -> float:
    """One run, by the wall clock, or of the processor with `time.process_time`; the mean of several that are short."""
    runs, start = 0, clock()
    while not runs or (clock is time.process_time and clock() - start < LEAST_SECONDS):
        job()
        runs += 1
    return (clock() - start) / runs


def best(jobs: Mapping[str, Job], rounds: int, clock: Callable[[], float] = time.perf_counter) -> dict[str, float]:
    """The best time of each job, after they took turns for so many rounds."""
    found = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            found[name] = min(found[name], seconds(job, clock))
    return found


def repeated(job: Job, repeats: int) -> tuple[float, float]:
    """The best of at most so many runs, and of fewer if they take long: by the wall clock, and of the processor."""
    wall: list[float] = []
    processor: list[float] = []
    begun = time.perf_counter()
    while len(wall) < repeats and time.perf_counter() - begun < ENOUGH_SECONDS:
        start = time.process_time()
        wall.append(seconds(job))
        once = time.process_time() - start
        processor.append(once if once >= LEAST_SECONDS else seconds(job, time.process_time))
    return min(wall), min(processor)


def per_second(job: Job, duration: float) -> float:
    """How often a job can be done in a second, tried for so long."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < duration:
        job()
        done += 1
    return done / (time.perf_counter() - start)


def peak_megabytes() -> float:
    """The most memory that this process had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def versions(*packages: str) -> str:
    """Names and versions of packages of this environment."""
    return ", ".join(f"{package} {metadata.version(package)}" for package in packages)


def report(began: float, job: Job, *packages: str, repeats: int = 3) -> None:
    """Time a contender's job inside its own process, and print what the harness wants to know.

    `began` is when the process started to import.
    """
    imported = time.perf_counter() - began
    wall, processor = repeated(job, repeats)
    found = {
        "seconds": wall,
        "processor": processor,
        "import": imported,
        "peak_mb": peak_megabytes(),
        "versions": versions(*packages),
    }
    print(json.dumps(found), file=sys.stdout)
