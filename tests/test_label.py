"""Names from outside as people may see them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp.label import MOST_LETTERS, different, no_formula, shown

BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"


@given(st.text(max_size=300))
def test_what_is_shown_is_short_and_has_no_character_that_hides_or_turns(text: str) -> None:
    seen = shown(text)
    assert len(seen) <= MOST_LETTERS
    assert not any(mark in seen for mark in BIDI)
    assert all(unicodedata.category(c)[0] != "C" or c in "\u200c\u200d" for c in seen)


@given(st.lists(st.text(max_size=200), max_size=20))
def test_different_texts_never_become_one(texts: list[str]) -> None:
    apart = list(dict.fromkeys(texts))
    assert len(apart) == len(set(different(apart)))


@pytest.mark.parametrize("text", ["plain", "", "12", "-7", "+1.5", "1=1", "é", "-1..5"])
def test_what_is_no_formula_stays_as_it_is(text: str) -> None:
    assert text == no_formula(text)


@pytest.mark.parametrize("text", ["=A1", "+A1", "-A1", "@A1", "\tA1", "\r=A1", "\n=A1", "=\nA1"])
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert f"'{text}" == no_formula(text)


def test_joiners_of_scripts_stay_and_long_texts_keep_both_ends() -> None:
    assert "می‌خواهم" == shown("می‌خواهم")
    cut = shown("begin" + "x" * 500 + "end")
    assert cut.startswith("begin")
    assert cut.endswith("end")
    assert "…" in cut
