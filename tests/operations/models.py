"""The models that the operation tests write and read, as a document and as a class."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

import keypact
from keypact.classes import bind

# Servers are shared by the workers of a run, tables are not.
MARK = uuid.uuid4().hex[:8]

SCHEMA = keypact.load_schema(
    text=f"""
dms_version: "0.1"
namespace: tests.operations
models:
  - name: User
    table: {{name: users-{MARK}}}
    naming: {{convention: camelCase}}
    keys:
      partition: {{attribute: PK, type: S}}
      sort: {{attribute: SK, type: S}}
    attributes:
      - {{attribute: PK, type: S, required: true, roles: [pk]}}
      - {{attribute: SK, type: S, required: true, roles: [sk]}}
      - {{attribute: createdAt, type: S, format: rfc3339nano, roles: [created_at]}}
      - {{attribute: updatedAt, type: S, format: rfc3339nano, roles: [updated_at]}}
      - {{attribute: version, type: N, format: int, roles: [version]}}
      - {{attribute: ttl, type: N, format: unix_seconds, roles: [ttl], optional: true}}
      - {{attribute: nickname, type: S, optional: true, omit_empty: true}}
      - {{attribute: email, type: S, optional: true}}
      - {{attribute: city, type: S, optional: true}}
      - {{attribute: age, type: N, optional: true}}
      - {{attribute: tags, type: SS, optional: true, omit_empty: true}}
      - {{attribute: lucky, type: NS, optional: true}}
      - {{attribute: settings, type: S, json: true, optional: true}}
      - {{attribute: photo, type: B, binary: true, optional: true}}
      - {{attribute: address, type: M, optional: true}}
      - {{attribute: history, type: L, optional: true}}
    indexes:
      - name: by-email
        type: GSI
        partition: {{attribute: email, type: S}}
        sort: {{attribute: createdAt, type: S}}
      - name: by-city
        type: GSI
        partition: {{attribute: city, type: S}}
        projection: {{type: KEYS_ONLY}}
      - name: by-age
        type: LSI
        partition: {{attribute: PK, type: S}}
        sort: {{attribute: age, type: N}}
  - name: Counter
    table: {{name: counters-{MARK}}}
    keys:
      partition: {{attribute: name, type: S}}
    attributes:
      - {{attribute: name, type: S, required: true, roles: [pk]}}
      - {{attribute: count, type: N, optional: true}}
      - {{attribute: owner, type: S, required: true}}
      - {{attribute: seen, type: SS, optional: true}}
      - {{attribute: log, type: L, optional: true}}
      - {{attribute: note, type: S, optional: true, omit_empty: true}}
  - name: Secret
    table: {{name: secrets-{MARK}}}
    keys:
      partition: {{attribute: id, type: S}}
    attributes:
      - {{attribute: id, type: S, required: true, roles: [pk]}}
      - {{attribute: token, type: S, optional: true, encryption: {{}}}}
      - {{attribute: pins, type: NS, optional: true, encryption: {{}}}}
      - {{attribute: label, type: S, optional: true}}
      - {{attribute: version, type: N, format: int, roles: [version]}}
  - name: Lock
    table: {{name: locks-{MARK}}}
    keys:
      partition: {{attribute: id, type: S}}
    attributes:
      - {{attribute: id, type: S, required: true, roles: [pk]}}
      - {{attribute: holder, type: S, optional: true, tags: {{lease: holder}}}}
      - {{attribute: fence, type: N, optional: true, tags: {{lease: token}}}}
      - {{attribute: until, type: N, optional: true, tags: {{lease: until}}}}
      - {{attribute: createdAt, type: S, format: rfc3339nano, roles: [created_at]}}
      - {{attribute: updatedAt, type: S, format: rfc3339nano, roles: [updated_at]}}
"""
)


@bind(SCHEMA.model("User"))
@dataclass(kw_only=True, slots=True)
class User:
    """The same model's items as instances."""

    pk: str
    sk: str
    created_at: str | None = None
    updated_at: str | None = None
    version: int | None = None
    ttl: int | None = None
    nickname: str | None = None
    email: str | None = None
    city: str | None = None
    age: int | None = None
    tags: set[str] = field(default_factory=set)
    lucky: set[int] | None = None
    settings: Any = None
    photo: bytes | None = None
    address: dict[str, Any] | None = None
    history: list[Any] | None = None
