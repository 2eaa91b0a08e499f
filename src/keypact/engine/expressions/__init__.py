"""DynamoDB's five kinds of expressions: read once, bound to each request, then run.

An ``Environment`` holds a request's names and values and binds its expressions to them.
"""

from .conditions import Condition
from .environment import Environment
from .key_conditions import KeyCondition, KeyStretch, KeyTest
from .paths import Projection
from .updates import Update

__all__ = [
    "Condition",
    "Environment",
    "KeyCondition",
    "KeyStretch",
    "KeyTest",
    "Projection",
    "Update",
]
