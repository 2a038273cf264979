"""Attacks on synthetic rows themselves, which is all that most people see of a network or of amortised F."""

from collections.abc import Iterator

from reaedp.attacks.attack import Attack
from reaedp.attacks.attribute import by_neighbours, infer_random
from reaedp.attacks.people import People
from reaedp.attacks.rounds import cores
from reaedp.attacks.shadow import most_exposed, shadow
from reaedp.attacks.space import Space
from reaedp.contract import Contract
from reaedp.evaluation.refit import Refit
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.paper.item import Experiment
from reaedp.paper.population import AXES, DELTA, NAMES, UNIT, population
from reaedp.privacy.budget import Budget
from reaedp.privacy.permitted import permitted_by
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.marginal_model import MarginalModel

#: Few and narrow columns, so that a release can be made hundreds of times; the last is the secret.
COLUMNS = ("marital-status", "occupation", "sex", "income>50K")
_PLACES = [NAMES.index(name) for name in COLUMNS]
_AXES = tuple(AXES[place] for place in _PLACES)
_SECRET = len(COLUMNS) - 1
#: Releases made again for the shadow attack, and at which ε.
FITS, SHADOWED = 400, (0.1, 1.0, 8.0)
NETWORK_ROWS, AMORTISED_ROWS = "network, its rows", "amortised F, its rows"


class AttackedRecords:
    """People by lot in and out of a data set, of which synthetic rows are made at any price."""

    def __init__(self, experiment: Experiment) -> None:
        size = experiment.runs(1_000, 4_000)
        codes = population(experiment, 2 * size).codes[:, _PLACES]
        self.people = People(codes[:size], codes[size:], Space.of(_AXES))
        self.experiment = experiment

    def attacks(self, epsilon: float) -> Iterator[tuple[str, Attack]]:
        """Secrets that were drawn anew, by the nearest row; in long runs also a network's shadows."""
        contract = Contract(dataset="public", unit=UNIT, budget=Budget(10, DELTA), ledger="none", columns=_AXES)
        network = MarginalModel.within(epsilon, DELTA, contract, COLUMNS)
        amortised = Amortised.within(epsilon, DELTA, contract, COLUMNS)
        made: dict[str, Mechanism] = {NETWORK_ROWS: network, AMORTISED_ROWS: amortised}
        for release, mechanism in made.items():
            noise = Calibrated(mechanism, counting_sensitivity(UNIT))
            again = Refit(contract, COLUMNS, noise, len(self.people.members))
            yield release, self._secrets(again)
            if mechanism is network and epsilon in SHADOWED and not self.experiment.quick:
                yield from ((release, attack) for attack in self._shadows(again))

    def _secrets(self, again: Refit) -> Attack:
        nearest = by_neighbours(self.people.space, _SECRET, 1)
        promise, most = permitted_by(again.noise.price), len(self.people.members)
        return infer_random(self.people, again, _SECRET, nearest, promise, rng=self.experiment.rng, most=most)

    def _shadows(self, again: Refit) -> tuple[Attack, ...]:
        members, rng = self.people.members, self.experiment.rng

        def told(done: int, of: int) -> None:
            self.experiment.progress(f"shadow {done} of {of}")

        promise, target = permitted_by(again.noise.price), most_exposed(members, self.people.space)
        return shadow(members, target, again, promise, runs=FITS, rng=rng, workers=cores(), progress=told)
