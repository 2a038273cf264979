"""A made-up clinic to try everything with: visits of patients who never lived, the same ones every time."""

from collections.abc import Iterator

FILE = "visits.csv"
PATIENTS = 2_000


def visits() -> str:
    """The file: a row for each visit, of one to three visits of each patient."""
    return "patient,visit,age,sex,smokes,weight,ward\n" + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for number in range(PATIENTS):
        age = 18 + (number * number * 7 + number * 31) % 73
        sex = "fm"[(number * 13 // 7) % 2]
        smokes = "yes" if (number * 37) % 100 < 24 else "no"
        for visit in range(1 + (number * 11) % 7 // 3):
            day = f"2024-{1 + (number * 5 + visit * 4) % 12:02d}-{1 + (number * 3 + visit * 9) % 28:02d}"
            weight = 52 + (number * 17) % 45 + (8 if sex == "m" else 0) + visit
            ward = ("surgery", "heart", "children", "eyes")[(number * 7 + visit) % 9 % 4]
            yield f"P{number:05d},{day},{age},{sex},{smokes},{weight},{ward}"
