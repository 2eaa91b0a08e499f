"""The portable contract suite: scenarios and golden cursors that any language can run.

``python -m keypact.portable`` runs it on this library. README.md in this folder says how
another implementation is run.
"""

from .cursors import check_cursors
from .drivers import Call, Driver, Refused
from .runner import Failure, Report, run_scenarios
from .scenarios import DMS_VERSION, FOLDER, Scenario, load_scenarios

__all__ = [
    "DMS_VERSION",
    "FOLDER",
    "Call",
    "Driver",
    "Failure",
    "Refused",
    "Report",
    "Scenario",
    "check_cursors",
    "load_scenarios",
    "run_scenarios",
]
