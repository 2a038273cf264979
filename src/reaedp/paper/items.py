"""All items of the paper, in its order."""

from importlib import import_module

from reaedp.paper.item import Item

_MODULES = (
    "pass_rate",
    "wiener_mean",
    "sensitivity_bound",
    "empirical_sensitivity",
    "baselines",
    "bins_ablation",
    "attacks",
    "attribute_inference",
    "real_data",
    "multi_dataset",
    "renyi_constants",
    "image_noise",
    "image_quality",
    "composition",
    "related_work",
    "parameter_domain",
    "noisy_sgd",
    "adaptive_bins",
)
ITEMS: tuple[Item, ...] = tuple(import_module(f"reaedp.paper.{module}").ITEM for module in _MODULES)
