"""What is refused, and with which HTTP status: the codes are those of the command line, and those of the door (D)."""

from __future__ import annotations

from lapwing.errors import BudgetExceeded, LapwingError

REFUSED, UNKNOWN, FORBIDDEN, NOT_FOUND, NOT_ALLOWED = 400, 401, 403, 404, 405
BUDGET, TOO_MANY, MISTAKE, UNAVAILABLE = 409, 429, 500, 503

#: Refusals that are nobody's fault who asks: the data, the ledger or the policy are not as they should be.
_UNAVAILABLE = {"D102", "D103", "D128", "S134", "S142", "L119", "L120"}


class Refusal(LapwingError):
    """A refusal of the door itself, which knows its status."""

    def __init__(
        self, status: int, code: str, problem: str, remedy: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(code, problem, remedy)
        self.status = status
        self.headers = headers or {}


def status_of(refused: LapwingError) -> int:
    """The HTTP status of a refusal."""
    if isinstance(refused, Refusal):
        return refused.status
    if isinstance(refused, BudgetExceeded):
        return BUDGET
    if refused.code == "L110":
        return FORBIDDEN
    if refused.code in _UNAVAILABLE or refused.code[0] == "E" or (refused.code[0] == "L" and refused.code < "L110"):
        return UNAVAILABLE
    return REFUSED


def as_json(refused: LapwingError) -> dict[str, str]:
    """A refusal as every route of the API answers it."""
    return {"code": refused.code, "problem": refused.problem, "remedy": refused.remedy}


def unknown(problem: str = "there is no token, or it opens nothing") -> Refusal:
    """Nobody knows who asks; which of the reasons it is, is not said."""
    remedy = "Make a token with: lapwing account token; programs send it as Authorization: Bearer TOKEN"
    return Refusal(UNKNOWN, "D121", problem, remedy, {"WWW-Authenticate": "Bearer"})


def forbidden(problem: str, remedy: str) -> Refusal:
    """It is known who asks, and they may not."""
    return Refusal(FORBIDDEN, "D122", problem, remedy)


def not_found(
    what: str = "there is nothing at this address", remedy: str = "Look at the list of tables for what there is"
) -> Refusal:
    """Nothing is there, or nothing that this account may know of."""
    return Refusal(NOT_FOUND, "D123", what, remedy)


def malformed(problem: str, remedy: str) -> Refusal:
    """A request that says nothing."""
    return Refusal(REFUSED, "D120", problem, remedy)


def too_many(what: str, seconds: int) -> Refusal:
    """More than an account, or an address, may ask for in so little time."""
    remedy = f"Wait {seconds} seconds and try again: nothing was charged"
    return Refusal(TOO_MANY, "D125", what, remedy, {"Retry-After": str(seconds)})


def mistake() -> Refusal:
    """A mistake of ours: what it was is for the log, and there it is a name and a place."""
    return Refusal(MISTAKE, "D131", "the server made a mistake", "Tell the curator, who finds its place in the log")
