"""An endpoint that answers canned bytes, in a process of its own.

`python -m bench.client_endpoint` prints its port. What DynamoDB would look up is made
beforehand; the last item put is kept, and told to whoever asks for ``Bench.LastPut``.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from typing import Any

from bench import client_item

LAST_PUT = "Bench.LastPut"


def _response(body: bytes) -> bytes:
    head = (
        "HTTP/1.1 200 OK\r\n"
        "Server: Server\r\n"
        "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
        "Content-Type: application/x-amz-json-1.0\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: keep-alive\r\n"
        "x-amzn-RequestId: 4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQNSO5AEMVJF66Q9ASUAAJG\r\n"
        f"x-amz-crc32: {zlib.crc32(body)}\r\n\r\n"
    )
    return head.encode() + body


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def get_body() -> bytes:
    """The body of a GetItem's answer."""
    return _json({"Item": client_item.typed_item()})


def _canned() -> dict[bytes, bytes]:
    count = client_item.QUERY_ITEMS
    items = [client_item.typed_item(number) for number in range(count)]
    return {
        b"GetItem": _response(get_body()),
        b"PutItem": _response(b"{}"),
        b"Query": _response(_json({"Count": count, "Items": items, "ScannedCount": count})),
    }


class Endpoint(asyncio.Protocol):
    """One connection: an answer for every whole request."""

    canned = _canned()
    last_put = b"{}"

    def connection_made(self, transport: Any) -> None:
        self._write = transport.write
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer = buffer = self._buffer + data
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        headers = {}
        for line in buffer[:end].split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        whole = end + 4 + int(headers[b"content-length"])
        if len(buffer) < whole:
            return
        self._buffer = buffer[whole:]
        target = headers[b"x-amz-target"]
        operation = target.rsplit(b".", 1)[-1]
        if operation == b"PutItem":
            Endpoint.last_put = buffer[end + 4 : whole]
        if target == LAST_PUT.encode():
            self._write(_response(Endpoint.last_put))
        else:
            self._write(self.canned[operation])


async def main() -> None:
    """Answer until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Endpoint, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
