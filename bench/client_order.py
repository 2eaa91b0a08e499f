"""The item as a declared class, as a user of Keypact writes it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import keypact
from bench.client_item import TABLE, VALUES


@dataclass(slots=True)
class Address:
    """Where it goes."""

    street: str
    city: str
    zip: str


@keypact.model(table=TABLE)
class Order:
    """An order."""

    pk: str = keypact.attribute(roles=("pk",))
    sk: str = keypact.attribute(roles=("sk",))
    name: str
    email: str
    status: str
    country: str
    currency: str
    channel: str
    note: str
    quantity: int
    version: int
    placed: int
    total: Decimal
    weight: Decimal
    paid: bool
    gift: bool
    tags: set[str]
    ratings: list[int]
    address: Address
    token: bytes


def order() -> Order:
    """The item as an instance."""
    return Order(**{**VALUES, "address": Address(**VALUES["address"])})
