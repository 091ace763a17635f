"""One line of the ledger, and the hash that ties it to the line before.

The one idea: a hash is SHA-256 over every field and the previous hash, so it stands for the whole history up to there.
It is not keyed: whoever may write the file may read a key in it too, so a key would add nothing, and without one
anybody may verify. What a file alone cannot show is that it is an old copy, or that somebody rewrote everything from
some entry on, hashes included. A receipt kept elsewhere does show both: its hash is in the old history only.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields, replace
from operator import attrgetter

#: What an entry may be: the ledger opened, its budget changed, the data's snapshot noted, a charge, the one look at
#: the data that a charge allows, the release that came of it, and the end: the account is kept elsewhere from then on.
KINDS = ("opened", "budget", "snapshot", "charge", "run", "release", "closed")
GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry.

    ``terms`` is the entry that set the terms in force, and ``table_spent`` the total after this entry: every entry
    carries both on, so the newest one, which the head record vouches for, is enough to charge. ``analyst_spent`` is
    the analyst's total after a charge, and ``reference`` the charge that a run or release belongs to.
    """

    sequence: int
    time: str
    kind: str
    terms: int = 1
    analyst: str = ""
    price: str = ""
    query: str = ""
    snapshot: str = ""
    text: str = ""
    part: str = ""
    reference: int | None = None
    content: str = ""
    analyst_spent: str = ""
    table_spent: str = ""
    previous: str = GENESIS
    hash: str = ""

    def row(self) -> tuple[str | int | None, ...]:
        """The fields in their order, as the store keeps them."""
        row: tuple[str | int | None, ...] = _ROW(self)
        return row

    def digest(self) -> str:
        """The hash that this entry must carry."""
        return text_digest(json.dumps(self.row()[:-1]))

    def sealed(self) -> Entry:
        """The entry with its hash."""
        return replace(self, hash=self.digest())

    def is_whole(self) -> bool:
        """Whether the hash is that of the fields."""
        try:
            return self.hash == self.digest()
        except (TypeError, UnicodeError):  # a field was turned into something that is no text
            return False


FIELDS = [field.name for field in fields(Entry)]
_ROW = attrgetter(*FIELDS)


def text_digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
