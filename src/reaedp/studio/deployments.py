"""What others chose: public facts about published releases, each with its source."""

from typing import NamedTuple


class Deployment(NamedTuple):
    """Who published what, for whose privacy, at which (ε, δ), and where that is written down."""

    who: str
    what: str
    protected: str
    epsilon: float
    delta: float | None
    source: str


#: Sorted by ε. Units differ: ε per day adds up with every day, and is not to be compared with one for ever.
DEPLOYMENTS = (
    Deployment(
        "Google", "Searches for symptoms of Covid-19 (2020)", "one day of a user", 1.68, None, "arXiv 2009.01265"
    ),
    Deployment(
        "Apple", "Use of kinds of health data", "one day of a user, on the phone", 2.0, None,
        "Differential Privacy, technical overview, Apple",
    ),
    Deployment(
        "Google", "Searches about Covid-19 vaccination (2021)", "one day of a user", 2.19, 1e-5, "arXiv 2107.01179"
    ),
    Deployment(
        "Apple", "Popular emoji", "one day of a user, on the phone", 4.0, None,
        "Differential Privacy, technical overview, Apple",
    ),
    Deployment(
        "US Census Bureau", "2020 census, redistricting data", "a person, for ever", 19.61, 1e-10,
        "Census Bureau, 9 June 2021: settings of the production run",
    ),
    Deployment(
        "LinkedIn", "Audience Engagements API", "one month of a member", 34.9, 7e-9, "arXiv 2002.05839"
    ),
)  # fmt: skip
