"""Numbers of entries in addresses: as many digits as a ledger counts with; others lead nowhere."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor


class EntryConvertor(Convertor[int]):
    """``{charge:entry}`` in a route."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """As it stands in an address."""
        return str(value)


register_url_convertor("entry", EntryConvertor())
