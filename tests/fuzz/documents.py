"""Contracts and plans with slips are read, or refused in words; what is read has a fingerprint, and prices."""

from collections.abc import Iterator
from pathlib import Path

from fuzz.laws import Finding
from mutations import FILES, mutants
from reaedp import Contract, Plan
from reaedp.errors import DeclarationError, ReaedpError


def documents(seed: int, number: int, folder: Path) -> Iterator[list[Finding]]:
    """What each of so many spoilt files breaks."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for place, (name, content) in enumerate(mutants(seed, number)):
        (folder / name).write_bytes(content)
        yield [Finding(law, f"toml {seed} {place} {name}", words) for law, words in _read(folder / name)]
        (folder / name).write_text(FILES[name], encoding="utf-8")


def _read(path: Path) -> list[tuple[str, str]]:
    try:
        if path.name.endswith("plan.toml"):
            plan = Plan.load(path)
            for request in plan.requests():
                request.charge(plan.contract)
        else:
            Contract.load(path).fingerprint.encode()
    except DeclarationError as error:
        return [] if str(error).strip() else [("a refusal has words", "")]
    except ReaedpError as error:
        return [("a document is refused as a declaration", f"{type(error).__name__}: {error}")]
    except Exception as error:  # what nobody foresaw is what is looked for
        return [("no traceback", f"{type(error).__name__}: {error}"[:2_000])]
    return []
