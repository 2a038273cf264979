"""Attribute inference on synthetic records, which the paper names as a threat and does not measure."""

import math
from collections.abc import Iterator
from typing import Any

from reaedp.attacks.attack import Attack
from reaedp.attacks.attribute import by_neighbours, infer, infer_random
from reaedp.attacks.people import People, Synthesize
from reaedp.attacks.space import Space
from reaedp.paper.item import Experiment, Item, Result
from reaedp.paper.population import (
    AXES,
    DELTA,
    LABEL,
    by_copying,
    by_independent_columns,
    by_network,
    population,
)
from reaedp.privacy.permitted import Permitted, permitted

COPY = "copies of the records, no privacy"
CROWD, ANEW = "25 nearest records", "nearest record, secret drawn anew"


def run(experiment: Experiment) -> Result:
    """Three attacks on every kind of synthetic records, on people in the data and on others."""
    size = experiment.runs(1_000, 4_000)
    crowd = population(experiment, 2 * size)
    people = People(crowd.codes[:size], crowd.codes[size:], Space.of(AXES))
    rows: list[dict[str, Any]] = []
    for name, epsilon, synthesize, promise in _synthesizers(experiment.quick):
        experiment.progress(name)
        attacks = _attacks(people, synthesize, promise, experiment)
        rows += [_row(crowd.name, name, epsilon, attack) for attack in attacks]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    within = all(row["members, low"] <= row["permitted"] for row in rows)
    return Result(table, _chart(), "holds" if within else "does not hold", _because(rows))


def _synthesizers(quick: bool) -> Iterator[tuple[str, float | None, Synthesize, Permitted]]:
    yield COPY, None, by_copying, permitted(math.inf)
    yield "independent columns, ε = 1", 1.0, by_independent_columns(1.0), permitted(1.0)
    for epsilon in (1.0,) if quick else (0.5, 1.0, 4.0):
        yield f"network, ε = {epsilon:g}", epsilon, by_network(epsilon), permitted(epsilon, DELTA)


def _attacks(
    people: People, synthesize: Synthesize, promise: Permitted, experiment: Experiment
) -> Iterator[tuple[str, Attack]]:
    """The true secret by two rules, and a secret that was drawn anew, where every gain is a leak."""
    rng, most = experiment.rng, len(people.members)
    nearest = by_neighbours(people.space, LABEL, 1)
    synthetic = synthesize(people.members, rng)
    for name, learner in {"nearest record": nearest, CROWD: by_neighbours(people.space, LABEL, 25)}.items():
        yield name, infer(people, synthetic, LABEL, learner, promise, rng=rng, most=most)
    redrawn = infer_random(people, synthesize, LABEL, nearest, promise, rng=rng, most=most)
    yield ANEW, redrawn


def _row(data: str, release: str, epsilon: float | None, named: tuple[str, Attack]) -> dict[str, Any]:
    name, attack = named
    return {
        "data": data,
        "release": release,
        "epsilon": epsilon,
        "attack": name,
        "members": attack.main.value,
        "members, low": attack.main.low,
        "members, high": attack.main.high,
        "outsiders": attack.control.value,
        "outsiders, low": attack.control.low,
        "outsiders, high": attack.control.high,
        "blind guess": attack.baseline,
        "permitted": attack.permitted,
        "risk": attack.risk.value,
    }


def _because(rows: list[dict[str, Any]]) -> str:
    anew = {row["release"]: row for row in rows if row["attack"] == ANEW}
    copied = anew.pop(COPY)
    private = [row for row in rows if row["release"] != COPY]
    found = max(row["members"] for row in anew.values())
    gain = max(private, key=lambda row: float(row["members"] - row["outsiders"]))
    crowd = next(row for row in reversed(private) if row["attack"] == CROWD)
    return (
        f"On {rows[0]['data']}, copies of the records reveal {copied['members']:.1%} of members' freshly drawn"
        f" secrets ({copied['outsiders']:.1%} of outsiders'); private records reveal at most {found:.1%}. For true"
        f" secrets, members fare worse than outsiders by at most {gain['members'] - gain['outsiders']:.1%}"
        f" ({gain['release']}, {gain['attack']}), where {gain['permitted'] - gain['outsiders']:.1%} is permitted."
        f" Without a control, the {crowd['members']:.1%} found through the {CROWD} ({crowd['release']}) would look"
        f" like a leak, but for outsiders it is {crowd['outsiders']:.1%}: that is a fact about the population."
    )


def _chart() -> dict[str, Any]:
    rate = {"type": "quantitative", "title": "secrets guessed, 95 % ranges", "scale": {"zero": False}}
    who = {"field": "who", "type": "nominal", "title": None}
    common = {"y": {"field": "release", "type": "nominal", "title": None, "sort": None}, "yOffset": who, "color": who}
    fold = [
        {"fold": ["members", "outsiders"], "as": ["who", "share"]},
        {"calculate": "datum[datum.who + ', low']", "as": "from"},
        {"calculate": "datum[datum.who + ', high']", "as": "to"},
    ]
    layers = [
        {
            "mark": {"type": "rule", "size": 2},
            "encoding": common | {"x": rate | {"field": "from"}, "x2": {"field": "to"}},
        },
        {"mark": {"type": "point", "filled": True, "size": 50}, "encoding": common | {"x": rate | {"field": "share"}}},
    ]
    return {
        "title": "Attribute inference on people in the data and on others",
        "transform": fold,
        "facet": {"column": {"field": "attack", "type": "nominal", "title": None, "sort": None}},
        "spec": {"width": 220, "height": 200, "layer": layers},
    }


ITEM = Item.declared(
    "attribute-inference",
    run,
    full={"people": "4,000", "epsilons": "0.5, 1 and 4"},
    quick={"people": "1,000", "epsilons": "1"},
)
