"""Sealing what a model keeps encrypted, as plans: data keys may come from afar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .effects import NewKey, OpenKey, Plan
from .errors import EncryptionNotConfigured
from .schema.models import Model
from .values import Attributes

if TYPE_CHECKING:
    from .encryption import KeyProvider


def require_provider(model: Model, provider: KeyProvider | None) -> None:
    """Fail closed: a model with encrypted attributes is not written without a provider."""
    if model.encrypted and provider is None:
        names = ", ".join(sorted(model.encrypted))
        raise EncryptionNotConfigured(
            f"model {model.name} encrypts {names}; give its table encryption=…, nothing was sent"
        )


def seal_all(
    model: Model, attributes: Attributes, provider: KeyProvider | None
) -> Plan[Attributes]:
    """The attributes with every encrypted one in its envelope."""
    require_provider(model, provider)
    names = model.encrypted & attributes.keys()
    if provider is None or not names:
        return attributes
    # Loaded only where something is sealed: most programs never need it.
    from .encryption import seal

    key = yield NewKey(provider)
    sealed = {
        name: seal(name, attributes[name], data_key=key.plaintext, edk=key.edk) for name in names
    }
    return attributes | sealed


def open_all(
    model: Model, attributes: Attributes, provider: KeyProvider | None
) -> Plan[Attributes]:
    """The attributes with every envelope opened."""
    names = model.encrypted & attributes.keys()
    if not names:
        return attributes
    require_provider(model, provider)
    assert provider is not None
    from .encryption import edk_of, unseal

    opened: Attributes = {}
    keys: dict[bytes, bytes] = {}
    for name in sorted(names):
        edk = edk_of(name, attributes[name])
        if edk not in keys:
            keys[edk] = yield OpenKey(provider, edk)
        opened[name] = unseal(name, attributes[name], data_key=keys[edk])
    return attributes | opened
