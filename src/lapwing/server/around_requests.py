"""Around every request: its size, its host, the headers of the answer, one line in the log; and nothing else leaves.

The one idea: whatever goes wrong inside, what leaves is fixed words. An exception's text and its traceback may hold a
cell, so the log gets its type and the place in our code, and the answer gets neither.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapwing.server.request_bodies import LARGEST_BODY, SLOWEST_BODY, too_large, too_slow
from lapwing.server.statuses import REFUSED, Refusal, as_json, malformed, mistake

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # not no-referrer: with that a browser says of our own forms, too, that they come from nowhere
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_LOCAL = {"127.0.0.1", "localhost", "::1", "[::1]"}


@dataclass(frozen=True, slots=True)
class Doorway:
    """The outermost layer. Without a proxy (``secure``) only the names of this very machine are answered to."""

    app: ASGIApp
    log: Callable[[str], None]
    secure: bool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; or the start and the end of the server, which pass through."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # web sockets: there are none
            return
        passage = _Passage(scope, send, self.secure)
        try:
            self._check_host(scope)
            await self.app(scope, _bounded(scope, receive), passage.send)
        except Refusal as refused:
            await passage.refuse(refused)
        except Exception as failed:  # whatever it is, nothing of it leaves
            self.log(f"mistake {type(failed).__name__} at {_place(failed)}")
            await passage.refuse(mistake())
        who = ascii(scope.get("lapwing.account", "-"))[:80]
        self.log(f"{scope['method']} {ascii(scope['path'])[1:-1][:200]} {passage.status} {who}")

    def _check_host(self, scope: Scope) -> None:
        """A page elsewhere whose name was pointed at this machine could otherwise read what we say to it."""
        host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
        bare = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
        if not self.secure and bare.lower() not in _LOCAL:
            raise Refusal(
                REFUSED, "D132", "this server answers to this machine only", "Use 127.0.0.1, or serve --behind-proxy"
            )


@dataclass(slots=True)
class _Passage:
    """What leaves: with our headers, and with a status for the log."""

    scope: Scope
    to: Send
    secure: bool
    status: int = 0

    async def send(self, message: Message) -> None:
        """Hands on a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = [(name, value) for name, value in message.get("headers", []) if name.lower() != b"server"]
            names = {name.lower() for name, _ in given}
            ours = {**HEADERS, "cache-control": "no-store"}
            if self.secure:
                ours["strict-transport-security"] = "max-age=31536000"
            more = [(name.encode(), value.encode()) for name, value in ours.items() if name.encode() not in names]
            message = {**message, "headers": [*given, *more]}
        await self.to(message)

    async def refuse(self, refused: Refusal) -> None:
        """A refusal in place of an answer; nothing more where a part of the answer is out already."""
        if self.status:
            return
        body = json.dumps(as_json(refused)).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),  # what is left of a body that was not read is not taken for a request
        ]
        await self.send({"type": "http.response.start", "status": refused.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """The body, up to its largest size and its longest time; refused from its length already, where that is told."""
    names = [name for name, _ in scope["headers"]]
    if b"content-length" in names and b"transfer-encoding" in names:  # a proxy might see another end of it than we do
        raise malformed("the body says its length in two ways", "Send Content-Length alone")
    told = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not told.isdigit() or int(told) > LARGEST_BODY:
        raise too_large()
    size = 0
    until: float | None = asyncio.get_running_loop().time() + SLOWEST_BODY  # None when all of it has come

    async def bounded() -> Message:
        nonlocal size, until
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            raise too_slow() from None
        until = until if message.get("more_body", False) else None
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            raise too_large()
        return message

    return bounded


def _place(failed: BaseException) -> str:
    """The innermost line of ours that an exception went through; its text stays out, for it may quote a cell."""
    frames = [frame for frame in traceback.extract_tb(failed.__traceback__) if "lapwing" in frame.filename]
    if not frames:
        return "?"
    file = frames[-1].filename.replace("\\", "/")
    return f"lapwing/{file.rpartition('/lapwing/')[2]}:{frames[-1].lineno}"


def to_standard_error(line: str) -> None:
    """The log: one line for each request, on standard error, as services are expected to."""
    from lapwing.server.accounts.vault import now

    sys.stderr.write(f"{now()} {' '.join(line.splitlines())}\n")
    sys.stderr.flush()
