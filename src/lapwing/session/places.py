"""Where the policy and the ledger of a table lie: beside it, under its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lapwing.errors import InvalidInput
from lapwing.ledger import SUFFIX as LEDGER
from lapwing.policy import SUFFIX as POLICY

#: Files that hold several tables: one is named after ``::``.
DATABASES = {".duckdb", ".db", ".ddb"}


@dataclass(frozen=True, slots=True)
class Places:
    """A table's data, the name it has in SQL, and the files beside it."""

    data: Path
    relation: str | None
    name: str

    @property
    def policy(self) -> Path:
        """``NAME.lapwing.toml``, in the folder of the data."""
        return self.data.parent / f"{self.name}{POLICY}"

    @property
    def ledger(self) -> Path:
        """``NAME.lapwing.ledger``, in the folder of the data."""
        return self.data.parent / f"{self.name}{LEDGER}"


def places(source: str | Path) -> Places:
    """SOURCE is a Parquet or CSV file, a folder of them, ``FILE.duckdb::TABLE``, or the policy itself."""
    text, _, relation = str(source).partition("::")
    path = Path(text)
    if path.name.endswith(POLICY):
        return Places(path, None, path.name.removesuffix(POLICY))
    if path.suffix.lower() in DATABASES:
        if not relation:
            raise InvalidInput("S120", f"{path} is a database", f"Name one of its tables: {path}::TABLE")
        return Places(path, relation, relation.rpartition(".")[2])
    if relation:
        raise InvalidInput("S120", f"{path} is not a database", "Leave out ::TABLE")
    if not path.name:
        path = path.resolve()
    return Places(path, None, path.name if path.is_dir() else path.stem)
