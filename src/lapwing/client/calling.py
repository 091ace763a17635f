"""One call of a server: a token, JSON there and back, refusals as the exceptions they are on a file."""

from __future__ import annotations

import http.client
import ipaddress
import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from lapwing.errors import BudgetExceeded, InvalidInput, LapwingError
from lapwing.noise.source import SECURE

#: A question that pays is sent again, under the same key, when the connection fails; so it is charged once.
_ATTEMPTS = 3
_PAUSE = 0.5
_BUDGET, _SERVER_FAILED = 409, 500


@dataclass(frozen=True, slots=True)
class Remote:
    """A server, and the token to show it; the token is not shown to people."""

    scheme: str
    place: str
    prefix: str
    token: str = field(repr=False)
    timeout: float

    def get(self, *path: str) -> dict[str, Any]:
        """What is at an address."""
        return self._call("GET", path, None, None)

    def post(self, body: Mapping[str, object], *path: str, once: bool = False) -> dict[str, Any]:
        """What comes of a request; ``once`` gives it a key, so that sending it again charges nothing."""
        key = f"{SECURE.random_bits(128):032x}" if once else None
        return self._call("POST", path, body, key)

    def _call(
        self, method: str, path: tuple[str, ...], body: Mapping[str, object] | None, key: str | None
    ) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        address = self.prefix + "/api/" + "/".join(quote(word, safe="") for word in path)
        content = None if body is None else json.dumps(body).encode()
        for attempt in range(_ATTEMPTS):
            try:
                return self._once(method, address, content, headers)
            except (OSError, http.client.HTTPException):
                if attempt + 1 < _ATTEMPTS:
                    time.sleep(_PAUSE * (attempt + 1))
        charged = "; whether it was charged, its budget tells" if key is not None else ""
        raise LapwingError(
            "D140", f"the server {self.place} cannot be reached{charged}", "Check the address, and that it runs"
        )

    def _once(self, method: str, address: str, content: bytes | None, headers: dict[str, str]) -> dict[str, Any]:
        if self.scheme == "https":
            context = ssl.create_default_context()
            line: http.client.HTTPConnection = http.client.HTTPSConnection(
                self.place, timeout=self.timeout, context=context
            )
        else:
            line = http.client.HTTPConnection(self.place, timeout=self.timeout)
        try:
            line.request(method, address, content, headers)
            answer = line.getresponse()
            return _read(answer.status, answer.read())
        finally:
            line.close()


def server(url: str, token: str, timeout: float) -> tuple[Remote, str | None]:
    """The server of an address, and the table that the address names, if it does."""
    found = urlsplit(url)
    if found.scheme not in ("http", "https") or not found.hostname or found.username is not None:
        raise InvalidInput("D141", f"{url!r} is no address of a server", "Give something like https://stat.example")
    if found.scheme == "http" and not _is_local(found.hostname):
        raise InvalidInput(
            "D141", "the token would go to another machine in clear", "Give an address that begins with https://"
        )
    bare = token.strip() if isinstance(token, str) else ""
    if not bare or not bare.isascii() or not bare.isprintable():
        raise InvalidInput("D141", "the token is no token", "Give what lapwing account token printed")
    prefix, table = _split(found.path)
    return Remote(found.scheme, found.netloc, prefix, bare, timeout), table


def _split(path: str) -> tuple[str, str | None]:
    """What comes before the table, and the table: ``/people``, ``/tables/people``, ``/api/tables/people``."""
    words = [word for word in path.split("/") if word]
    if not words or words[-1] == "tables":
        words = [word for word in words if word not in ("api", "tables")]
        return "".join(f"/{word}" for word in words), None
    before = words[:-1]
    for known in ("tables", "api"):
        if before and before[-1] == known:
            before.pop()
    return "".join(f"/{word}" for word in before), words[-1]


def _read(status: int, content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if status == 200 and isinstance(found, dict):
        return found
    if not isinstance(found, dict) or not {"code", "problem", "remedy"} <= set(found):
        raise LapwingError(
            "D142", f"what answers there is no server of Lapwing (status {status})", "Check the address and its path"
        )
    kind = BudgetExceeded if status == _BUDGET else InvalidInput if status < _SERVER_FAILED else LapwingError
    raise kind(str(found["code"]), str(found["problem"]), str(found["remedy"]))


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
