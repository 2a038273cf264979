"""Three measures of a noisy picture at three ε, for both noises."""

from typing import Any

import numpy as np

from reaedp.answer import Integers
from reaedp.paper.image_noise import PICTURES, RANGE, RELEASES, Pixel, mean, measured, qualities, unless_missing
from reaedp.paper.item import Experiment, Item, Result, Specification, Verdict

EPSILONS = (0.5, 1.0, 2.0)
#: Two mean errors are comparable if they differ by less than this share of the smaller.
COMPARABLE = 0.1
#: The constants of structural similarity (Wang et al. 2004) for this range.
SMALL, SMALLER = (0.03 * RANGE) ** 2, (0.01 * RANGE) ** 2


@unless_missing
def run(experiment: Experiment) -> Result:
    """Both noises, and the Gaussian as published, on two pictures."""
    rows = measured(_row, EPSILONS, experiment)
    table = {key: [row[key] for row in rows] for key in rows[0]}
    found = {(row["picture"], row["noise"], row["ε"]): row for row in rows}
    return Result(table, _CHART, _verdict(found), _because(found))


def _row(name: str, noise: str, epsilon: float, true: Integers, experiment: Experiment) -> dict[str, Any]:
    found = qualities(true, RELEASES[noise], epsilon, experiment)
    whole = [whole_similarity(true, RELEASES[noise](true, epsilon, experiment.rng)) for _ in found]
    measures = {"PSNR": mean(found, "psnr"), "MAE": mean(found, "mae"), "SSIM": mean(found, "ssim")}
    return {"picture": name, "noise": noise, "ε": epsilon, **measures, "SSIM as published": float(np.mean(whole))}


def whole_similarity(true: Integers, released: Pixel) -> float:
    """Structural similarity with the whole picture as its only window, not below zero: as published."""
    (own, together), (_, other) = np.cov(true.ravel(), released.ravel(), ddof=0)
    first, second = true.mean(), released.mean()
    light = (2 * first * second + SMALLER) / (first**2 + second**2 + SMALLER)
    return max(0.0, float(light * (2 * together + SMALL) / (own + other + SMALL)))


Found = dict[tuple[str, str, float], dict[str, Any]]


def _verdict(found: Found) -> Verdict:
    comparable = max(_excess(found, name, epsilon) for name in PICTURES for epsilon in EPSILONS) < COMPARABLE
    return "holds" if comparable and _improves(found) else "does not hold"


def _improves(found: Found) -> bool:
    """Every measure, for both noises, from the smallest to the largest ε."""
    ends = [[found[name, noise, epsilon] for epsilon in (0.5, 2.0)] for name in PICTURES for noise in RELEASES]
    return all(
        small["PSNR"] < large["PSNR"] and small["SSIM"] < large["SSIM"] and small["MAE"] > large["MAE"]
        for small, large in ends
    )


def _excess(found: Found, name: str, epsilon: float) -> float:
    """By which share the mean error of Gaussian noise is larger."""
    laplace, gaussian = (found[name, noise, epsilon]["MAE"] for noise in ("Laplace", "Gaussian"))
    return float(gaussian / laplace - 1)


def _because(found: Found) -> str:
    laplace, gaussian = (found["camera", noise, 2.0] for noise in ("Laplace", "Gaussian"))
    wave = [found["synthetic wave", noise, 2.0]["MAE"] for noise in ("Laplace", "Gaussian")]
    improves = "All measures improve" if _improves(found) else "Not all measures improve"
    return (
        f"{improves} from ε = 0.5 to 2, but the noises are not comparable: on the photograph at ε = 2 Laplace has"
        f" {laplace['PSNR']:.1f} dB, MAE {laplace['MAE']:.0f} and SSIM {laplace['SSIM']:.2f}, Gaussian"
        f" {gaussian['PSNR']:.1f} dB, {gaussian['MAE']:.0f} and {gaussian['SSIM']:.2f}; on the paper's wave MAE is"
        f" {wave[0]:.0f} and {wave[1]:.0f}. For one pixel Laplace noise is pure and better; and at an SSIM of at most"
        f" {max(row['SSIM'] for row in found.values()):.2f} neither leaves a picture to look at."
    )


def _panel(measure: str) -> dict[str, Any]:
    return {
        "width": 240,
        "height": 240,
        "mark": {"type": "point", "filled": True, "size": 80},
        "encoding": {
            "x": {"field": "ε", "type": "ordinal", "title": "ε"},
            "xOffset": {"field": "noise", "type": "nominal"},
            "y": {"field": measure, "type": "quantitative", "title": measure, "scale": {"zero": True}},
            "color": {"field": "noise", "type": "nominal", "title": "noise"},
            "shape": {"field": "picture", "type": "nominal", "title": "picture"},
        },
    }


_CHART: Specification = {"hconcat": [_panel(measure) for measure in ("PSNR", "MAE", "SSIM")]}

ITEM = Item.declared("image-table", run, full={"releases": 100}, quick={"releases": 10})
