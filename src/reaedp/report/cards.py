"""The first screen: who is protected, how far off the numbers are, and what is left of the budget."""

from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.ledger.admission import shown as spoken
from reaedp.report.panel import Card
from reaedp.report.promise import composed, ledger_state, noun, odds
from reaedp.report.published import Published, PublishedFolder
from reaedp.report.releases import mean_error


def cards(folder: PublishedFolder) -> tuple[Card, ...]:
    """Three answers to what most people ask first."""
    return _protected(folder), _off(folder.releases[0]), _left(folder)


def _protected(folder: PublishedFolder) -> Card:
    one = noun(folder.contract)
    return Card(
        "Who is protected",
        f"each {one}",
        f"Everything here changes the odds of any guess about one {one} by a factor of at most"
        f" {odds(composed(folder))}.",
    )


def _off(release: Published) -> Card:
    return Card(
        "How far off",
        mean_error(release),
        f"Average error of each number in “{shown(release.title, 80)}”. Grey: could be noise alone.",
    )


def _left(folder: PublishedFolder) -> Card:
    total, limit = composed(folder), folder.contract.budget.epsilon
    spent, left = ledger_state(folder.record, total)
    return Card(
        "What is left",
        f"ε = {spoken(left, up=False)} of {about(limit)}",
        f"For one more release with Laplace noise. These cost ε = {spoken(total, up=True)}; with all earlier ones"
        f" ε = {spoken(spent, up=True)} is spent for good.",
    )
