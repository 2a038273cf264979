"""What a source file reaches: modules by any kind of import, and randomness by any name.

Names are followed to where they were imported from, so that an alias hides nothing. What cannot be followed (a module
that is looked up while the program runs) is a finding of its own.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

#: Where the public names live, by the name of each.
Homes = dict[str, str]

#: Modules that give randomness, or identifiers made from it.
RANDOM_MODULES = ("random", "secrets", "uuid", "numpy.random", "scipy.stats.qmc", "ssl", "opendp")
#: Functions of other modules that do.
RANDOM_FUNCTIONS = ("os.urandom", "os.getrandom", "os.random", "time.time_ns", "tempfile.mktemp")
#: What may be named of `numpy.random`: the type of a generator that is an argument.
TYPES = ("numpy.random.Generator",)
#: What looks modules or code up while the program runs.
DYNAMIC_MODULES = ("builtins", "importlib", "imp", "pkgutil", "runpy", "zipimport", "ctypes")
DYNAMIC_NAMES = (
    "__import__",
    "__builtins__",
    "__loader__",
    "__spec__",
    "compile",
    "eval",
    "exec",
    "globals",
    "sys.modules",
)
#: What takes an attribute by a name that is computed.
LOOK_UPS = ("delattr", "getattr", "setattr", "vars")
#: Dunder attributes that lead from one object to all others.
BACK_DOORS = ("__dict__", "__globals__", "__subclasses__", "__builtins__", "__loader__")
#: Randomness in the words of a database or of an operating system.
RANDOM_TEXT = re.compile(
    r"\b(random|rand|randn|uuid|gen_random_uuid|setseed|newid)\s*\(\s*\)|/dev/u?random", re.IGNORECASE
)
RANDOM_CLAUSE = re.compile(r"\b(TABLESAMPLE|USING\s+SAMPLE)\b")


@cache
def parsed(path: Path) -> ast.Module:
    """A source file, read once for all rules."""
    return ast.parse(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=1024)
def walked(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes; every rule goes through those of every file."""
    return tuple(ast.walk(tree))


def imports(tree: ast.AST, homes: Homes | None = None) -> list[str]:
    """Every module and every name in it that is imported; a public name of the package by its home, too."""
    found = _imported(tree)
    return [*found, *_at_home(found, homes)]


@lru_cache(maxsize=1024)
def _imported(tree: ast.AST) -> tuple[str, ...]:
    found = []
    for node in walked(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.append(node.module or "")
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(found)


@lru_cache(maxsize=1024)
def calls(tree: ast.AST) -> tuple[str, ...]:
    """What is called, as it is written."""
    return tuple(ast.unparse(node.func) for node in walked(tree) if isinstance(node, ast.Call))


def reached(tree: ast.AST, homes: Homes | None = None) -> list[str]:
    """Every imported name, and every attribute of one that is used, by its full name whatever it is called here."""
    found = _used(tree)
    return [*found, *_at_home(found, homes)]


@lru_cache(maxsize=1024)
def _used(tree: ast.AST) -> tuple[str, ...]:
    origins = _origins(tree)
    inner = {id(node.value) for node in walked(tree) if isinstance(node, ast.Attribute)}
    found = []
    for node in walked(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner:
            first, _, rest = (_dotted(node) or "").partition(".")
            found += [f"{origins[first]}.{rest}".removesuffix(".")] if first in origins else []
    return tuple(found)


def randomness(tree: ast.AST) -> list[str]:
    """Every way in which this source could draw something at random."""
    used = reached(tree)
    found = {name for name in used if _within(name, RANDOM_MODULES) and not _within(name, TYPES)}
    found |= {name for name in used if name in RANDOM_FUNCTIONS}
    found |= {repr(text) for text in _texts(tree) if RANDOM_TEXT.search(text) or RANDOM_CLAUSE.search(text)}
    return sorted(found)


def dynamic(tree: ast.AST) -> list[str]:
    """Every way in which this source could reach a module or code that its imports do not show."""
    used = reached(tree)
    found = {name for name in used if _within(name, DYNAMIC_MODULES) and not _within(name, ("importlib.metadata",))}
    found |= {name for name in used if _within(name, DYNAMIC_NAMES)}
    found |= {node.id for node in walked(tree) if isinstance(node, ast.Name) and node.id in DYNAMIC_NAMES}
    found |= {node.attr for node in walked(tree) if isinstance(node, ast.Attribute) and node.attr in BACK_DOORS}
    modules = set(_modules(tree))
    for node in walked(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LOOK_UPS:
            target = _dotted(node.args[0]) if node.args else None
            if target is not None and target.partition(".")[0] in modules:
                found.add(f"{node.func.id}({target})")
    return sorted(found)


def whole_package(tree: ast.AST) -> list[str]:
    """Imports of the package under its own name, through which every public name could be reached."""
    return [
        alias.name
        for node in walked(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.split(".")[0] == "reaedp"
    ] + [
        f"{node.module}.*"
        for node in walked(tree)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    ]


def _at_home(names: Iterable[str], homes: Homes | None) -> list[str]:
    """Public names of the package by the modules where they live: `from reaedp import Curator` reaches the curator."""
    split = (name.split(".") for name in names)
    return [
        ".".join([homes[parts[1]], *parts[1:]])
        for parts in split
        if homes and parts[0] == "reaedp" and len(parts) > 1 and parts[1] in homes
    ]


def _within(name: str, parents: tuple[str, ...]) -> bool:
    return any(name == parent or name.startswith(f"{parent}.") for parent in parents)


def _origins(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for."""
    found = {}
    for node in walked(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _modules(tree: ast.AST) -> Iterator[str]:
    """Names that stand for modules, as far as imports tell: what is imported whole, and what one would be called."""
    for node in walked(tree):
        if isinstance(node, ast.Import):
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            full = ((alias, f"{node.module}.{alias.name}") for alias in node.names)
            yield from (alias.asname or alias.name for alias, name in full if name in RANDOM_MODULES)


def _dotted(node: ast.AST) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _texts(tree: ast.AST) -> list[str]:
    """Strings that are no docstrings."""
    explained = {
        id(node.body[0].value)
        for node in walked(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in walked(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained
    ]
