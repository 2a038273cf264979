"""The journey: all steps in their order. A new step is a module of pages/ and a name here."""

from reaedp.studio.pages.budget import BUDGET
from reaedp.studio.pages.columns import COLUMNS
from reaedp.studio.pages.data import DATA
from reaedp.studio.pages.files import FILES
from reaedp.studio.pages.plan import PLAN
from reaedp.studio.pages.unit import UNIT
from reaedp.studio.step import Step

STEPS: tuple[Step, ...] = (DATA, UNIT, COLUMNS, BUDGET, PLAN, FILES)
