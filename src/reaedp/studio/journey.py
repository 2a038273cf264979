"""The journey: all steps, first those that a release needs. A new step is a module of pages/ and a name here."""

from reaedp.studio.pages.audit import AUDIT
from reaedp.studio.pages.budget import BUDGET
from reaedp.studio.pages.columns import COLUMNS
from reaedp.studio.pages.data import DATA
from reaedp.studio.pages.evaluate import EVALUATE
from reaedp.studio.pages.files import FILES
from reaedp.studio.pages.ledger import LEDGER
from reaedp.studio.pages.look import LOOK
from reaedp.studio.pages.plan import PLAN
from reaedp.studio.pages.release import RELEASE
from reaedp.studio.pages.requests import REQUESTS
from reaedp.studio.pages.unit import UNIT
from reaedp.studio.step import Step

STEPS: tuple[Step, ...] = (
    *(DATA, UNIT, COLUMNS, BUDGET, PLAN, RELEASE),
    *(LOOK, AUDIT, EVALUATE, LEDGER, REQUESTS, FILES),
)
