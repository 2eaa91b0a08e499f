"""Keys as bytes whose order is DynamoDB's: text by UTF-8, numbers by value, binary unsigned."""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from .attributes import decode_binary


def key_bytes(tag: str, content: str) -> bytes:
    """Bytes that compare as checked key values of one type do."""
    if tag == "S":
        return content.encode()
    if tag == "N":
        return number_bytes(content)
    return decode_binary(content)


def partition_bytes(encoded: bytes) -> bytes:
    """A partition key's bytes behind their hash.

    Scans walk partitions in the order of a hash, as DynamoDB does, so nobody comes
    to rely on a sorted scan; and a segment of a parallel scan is one range of it.
    """
    return crc32(encoded).to_bytes(4, "big") + encoded


def segment_bounds(segment: int, total: int) -> tuple[bytes, bytes | None]:
    """First hash of a scan's segment, and the first one past it (None: no end)."""
    low = -(-segment * _HASHES // total)
    high = -(-(segment + 1) * _HASHES // total)
    return low.to_bytes(4, "big"), None if high >= _HASHES else high.to_bytes(4, "big")


def join_parts(parts: list[bytes]) -> bytes:
    """Several attributes in one key, compared one after the other.

    Every part but the last is escaped and closed, so that no part can run into the next.
    """
    if len(parts) == 1:
        return parts[0]
    *closed, last = parts
    return b"".join(part.replace(b"\x00", b"\x00\xff") + b"\x00\x00" for part in closed) + last


def after_prefix(prefix: bytes) -> bytes | None:
    """The first bytes beyond all that begin with the prefix; None when there are none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes((stripped[-1] + 1,)) if stripped else None


@lru_cache(4096)
def number_bytes(text: str) -> bytes:
    """Sign, exponent, then digits two a byte; negatives are the complement, closed by 0xFF.

    Adjusted exponents run from -130 to 125, which is one byte exactly.
    """
    whole, _, fraction = text.lstrip("-").partition(".")
    whole = whole.lstrip("0")
    if whole:
        exponent = len(whole) - 1
        digits = (whole + fraction).rstrip("0")
    else:
        digits = fraction.lstrip("0")
        exponent = len(digits) - len(fraction) - 1
        digits = digits.rstrip("0")
    if not digits:
        return _ZERO
    if len(digits) % 2:
        digits += "0"
    magnitude = bytes((exponent + 130,)) + bytes.fromhex(digits)
    if text.startswith("-"):
        return _NEGATIVE + magnitude.translate(_COMPLEMENT) + b"\xff"
    return _POSITIVE + magnitude


_HASHES = 1 << 32
_NEGATIVE, _ZERO, _POSITIVE = b"\x01", b"\x02", b"\x03"
_COMPLEMENT = bytes(255 - byte for byte in range(256))
