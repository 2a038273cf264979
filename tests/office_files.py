"""Ten files such as offices have them, and what a custodian types from the first command to a verified release."""

import gzip
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

ROWS = 1_500
#: What every custodian must decide; nothing has a default.
PRIVACY = "--change add-remove --at-least 1000 --epsilon 1 --delta 1e-6 --ledger budget.sqlite"
LEARNED = "--bounds days --bins 10 --levels ward --epsilon 0.3 --delta 1e-7"
TOWNS = ("Köln", "Düsseldorf", "Münster", "Aachen")


@dataclass(frozen=True, slots=True)
class Office:
    """A file, how it is made, and the options of `reaedp init` that say what is public about it."""

    file: str
    make: Callable[[Path], None]
    init: str
    #: Commands between `init` and `plan`.
    between: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[str, ...]:
        """From the first to the last, without the name of the program."""
        data = self.file
        return (
            f"init {data} --name office {PRIVACY} {self.init}",
            *self.between,
            f"look {data} contract.toml",
            "plan plan.toml",
            f"release plan.toml --data {data} --out published",
            "verify published --ledger budget.sqlite",
        )


def chance() -> random.Random:
    """The same files every time."""
    return random.Random(20261117)


def day(chance: random.Random) -> date:
    """A day of 2024."""
    return date(2024, 1, 1) + timedelta(days=chance.randrange(366))


def semicolons(path: Path) -> None:
    """An export of a program for Windows: semicolons, decimal commas, days before months, Latin-1."""
    random = chance()
    lines = ["Nr;Alter;Größe;Wohnort;Aufnahme"]
    for number in range(ROWS):
        size = f"{random.gauss(1.7, 0.1):.2f}".replace(".", ",")
        age = random.choice([str(random.randrange(18, 95)), "k.A."])
        lines.append(f"{number};{age};{size};{random.choice(TOWNS)};{day(random):%d.%m.%Y}")
    path.write_text("\n".join(lines) + "\n", encoding="cp1252")


def workbook(path: Path) -> None:
    """A workbook whose data is in its second sheet."""
    from openpyxl import Workbook

    random, book = chance(), Workbook()
    book.active.title = "Read me"
    book.active.append(["This workbook was exported on 1 May."])
    sheet = book.create_sheet("Staff 2024")
    sheet.append(["Department", "Hours", "Started", "Part time"])
    for _ in range(ROWS):
        hours = random.choice([40, 38.5, 20, "n/a"])
        sheet.append([random.choice(["Sales", "Lab", "IT"]), hours, day(random), random.choice(["yes", "no"])])
    book.save(path)


def stata(path: Path) -> None:
    """A file of Stata with labels for its values."""
    import pandas as pd
    import pyreadstat

    random = chance()
    frame = pd.DataFrame(
        {
            "sex": [random.choice([1, 2]) for _ in range(ROWS)],
            "health": [random.choice([1, 2, 3, 4, 5]) for _ in range(ROWS)],
            "weight": [round(random.gauss(75, 12), 1) for _ in range(ROWS)],
        }
    )
    labels = {
        "sex": {1: "male", 2: "female"},
        "health": {1: "very good", 2: "good", 3: "fair", 4: "bad", 5: "very bad"},
    }
    pyreadstat.write_dta(frame, str(path), variable_value_labels=labels)


def spss(path: Path) -> None:
    """A file of SPSS with a code for no answer."""
    import pandas as pd
    import pyreadstat

    random = chance()
    frame = pd.DataFrame(
        {
            "region": [random.choice([1, 2, 3]) for _ in range(ROWS)],
            "trust": [random.choice([*range(11), 99]) for _ in range(ROWS)],
            "year": [random.randrange(1930, 2006) for _ in range(ROWS)],
        }
    )
    labels = {"region": {1: "north", 2: "middle", 3: "south"}}
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)


def packed(path: Path) -> None:
    """A compressed table, with last year's published one beside it."""
    random = chance()

    def table(rows: int) -> str:
        lines = ["plan,visits,cost,smoker"]
        for _ in range(rows):
            cost = random.lognormvariate(5, 1)
            lines.append(
                f"{random.choice('ABC')},{min(30, int(random.expovariate(0.2)))},{cost:.2f},{random.choice('yn')}"
            )
        return "\n".join(lines) + "\n"

    path.with_name("published-2023.csv").write_text(table(300), encoding="utf-8")
    path.write_bytes(gzip.compress(table(ROWS).encode()))


def hundred_columns(path: Path) -> None:
    """A survey with a hundred columns and a codebook, of which three are needed."""
    random = chance()
    names = ["respondent", *(f"q{number:02}" for number in range(1, 98)), "age", "sex"]
    lines = [",".join(names)]
    for number in range(ROWS):
        answers = [str(random.randrange(1, 6)) for _ in range(97)]
        lines.append(",".join([str(number), *answers, str(random.randrange(16, 99)), random.choice("12")]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    book = ["variable,type,min,max,values,label"]
    scale = "1=never | 2=rarely | 3=now and then | 4=often | 5=always"
    book += [f"q{number:02},category,,,{scale},Question {number}" for number in range(1, 98)]
    book += ["age,integer,16,110,,Age in years", "sex,category,,,1=male | 2=female,Sex"]
    path.with_name("codebook.csv").write_text("\n".join(book) + "\n", encoding="utf-8")


def several_rows(path: Path) -> None:
    """Visits of patients, of whom each may come several times."""
    random = chance()
    wards = ["surgery", "children", "heart"]
    visits = [f"P{random.randrange(ROWS):05},{random.choice(wards)},{random.randrange(30)}" for _ in range(3 * ROWS)]
    lines = ["patient,ward,days", *visits]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def three_dates(path: Path) -> None:
    """Dates in three forms, one for each column, with years of two digits among them."""
    random = chance()
    lines = ["born\tadmitted\tdischarged"]
    for _ in range(ROWS):
        born = date(1930, 1, 1) + timedelta(days=random.randrange(30_000))
        lines.append(f"{born:%d.%m.%Y}\t{day(random):%m/%d/%Y}\t{day(random):%d-%m-%y}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def free_text(path: Path) -> None:
    """Complaints in words, in quoted cells with line breaks, beside columns that can be counted."""
    random = chance()
    lines = ["ticket,channel,complaint,amount"]
    for number in range(ROWS):
        words = " ".join(
            random.choice(["late", "broken", "wrong, again", "thanks"]) for _ in range(random.randrange(1, 9))
        )
        lines.append(
            f'{number},{random.choice(["mail", "phone", "web"])},"{words}\n""really""",{random.randrange(500)}'
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def header_only(path: Path) -> None:
    """A table that nobody has filled yet."""
    path.write_text("age,sex,income\n", encoding="utf-8")


OFFICES: Mapping[str, Office] = {
    "semicolon and Latin-1": Office(
        "aufnahmen.csv",
        semicolons,
        "--encoding cp1252 --decimal , --dates %d.%m.%Y --missing k.A."
        " --kinds Alter=integer:0:120,Größe=number:1:2.2:12,Wohnort=category:Köln:Düsseldorf:Münster:Aachen"
        " --kinds Aufnahme=date:2024-01-01:2024-12-31:month",
    ),
    "Excel with two sheets": Office(
        "staff.xlsx",
        workbook,
        "--sheet 'Staff 2024' --missing n/a --kinds 'Department=category:Sales:Lab:IT,Hours=number:0:60:12'"
        " --kinds 'Part time=boolean,Started=date:2024-01-01:2024-12-31:month'",
    ),
    "Stata with labels": Office("health.dta", stata, "--labels --kinds weight=number:30:180:15"),
    "SPSS": Office(
        "trust.sav", spss, "--labels --missing trust=99 --kinds trust=integer:0:10,year=integer:1900:2010:10"
    ),
    "gzip": Office("claims.csv.gz", packed, "--from-public published-2023.csv"),
    "100 columns": Office("survey.csv", hundred_columns, "--codebook codebook.csv --columns age,sex,q01"),
    "several rows per person": Office(
        "visits.csv",
        several_rows,
        "--person patient --max-rows 3",
        (f"learn columns contract.toml --data visits.csv {LEARNED}",),
    ),
    "dates in three formats": Office(
        "stays.tsv",
        three_dates,
        "--dates born=%d.%m.%Y --dates admitted=%m/%d/%Y --dates discharged=%d-%m-%y --first-year 2000"
        " --kinds born=date:1920-01-01:2024-12-31:year,admitted=date:2024-01-01:2024-12-31:month"
        " --kinds discharged=date:2024-01-01:2024-12-31:month",
    ),
    "free text": Office("complaints.csv", free_text, "--kinds channel=category:mail:phone:web,amount=integer:0:500:50"),
    "header only": Office(
        "future.csv", header_only, "--kinds age=integer:0:120:5,sex=category:f:m,income=number:0:100000:20"
    ),
}
