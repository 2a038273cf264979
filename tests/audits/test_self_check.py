"""The audit examines itself."""

import sys

import numpy as np
import pytest

from reaedp.audits.audit import QUICK
from reaedp.audits.broken import BROKEN, examined, low_order_bits
from reaedp.audits.finding import Verdict
from reaedp.audits.request_audit import audit_request
from reaedp.audits.self_check import _sound, self_test
from reaedp.mechanisms.noise import SecretNoise


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("name", BROKEN)
def test_every_broken_mechanism_is_convicted_again_and_again(name: str) -> None:
    for seed in range(3):
        finding = examined(name, BROKEN[name], np.random.default_rng(seed))
        assert Verdict.VIOLATED == finding.verdict, str(finding)
        assert finding.witness


@pytest.mark.slow
def test_the_panel_convicts_what_is_broken_and_nothing_else() -> None:
    seen: list[str] = []
    panel = self_test(np.random.default_rng(1), seen.append)
    assert () == panel.missed
    assert () == panel.false_alarms
    assert len(panel.specimens) == len(seen)
    assert f"{len(BROKEN)} of {len(BROKEN)} broken mechanisms convicted" in str(panel)


def test_the_panel_needs_no_library_for_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("PIL", "PIL.Image", "skimage"):
        monkeypatch.setitem(sys.modules, library, None)
    pictures = [(request, contract) for _, request, contract in _sound() if contract.picture is not None]
    assert 2 == len(pictures)
    for request, contract in pictures:
        assert audit_request(request, contract, rng=np.random.default_rng(3), runs=QUICK)


def test_low_order_bits_convict_doubles_and_say_nothing_about_integers() -> None:
    rng = np.random.default_rng(2)
    zero, one = (low_order_bits(answer + rng.laplace(0.0, 1.0, 5_000)) for answer in (0.0, 1.0))
    assert (zero[zero != 0] < 0).mean() > 0.7  # of doubles from 1/8 to 1/4 every fourth is a multiple of 2^-53
    assert (one[one != 0] > 0).all()
    assert min((zero != 0).sum(), (one != 0).sum()) > 100
    integers = [low_order_bits(SecretNoise().laplace(np.full(500, answer), 1.0)) for answer in (0, 1)]
    assert [{0.0, 1.0}] * 2 == [set(scores.tolist()) for scores in integers]
