"""Where the policy and the ledger of a table lie: beside it, under its name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lapwing.errors import InvalidInput
from lapwing.ledger import SUFFIX as LEDGER
from lapwing.policy import SUFFIX as POLICY
from lapwing.policy import Policy, read_policy
from lapwing.policy.addresses import Address, is_address, table_address

#: Files that hold several tables: one is named after ``::``.
DATABASES = {".duckdb", ".db", ".ddb"}


@dataclass(frozen=True, slots=True)
class Places:
    """A table's data, the name it has in SQL, and the files beside it."""

    data: Path
    relation: str | None
    name: str
    #: the address of the database that holds the table; then ``data`` only says where the policy is
    url: str | None = None

    @property
    def source(self) -> str | Path:
        """What an engine reads."""
        return self.url or self.data

    @property
    def path(self) -> str:
        """The source as the policy writes it."""
        return self.url or self.data.name

    @property
    def shown(self) -> str:
        """The source as people write it."""
        return str(self.data) if self.url is None else Address(self.url).with_relation(self.relation or "")

    @property
    def policy(self) -> Path:
        """``NAME.lapwing.toml``, in the folder of the data."""
        return self.data.parent / f"{self.name}{POLICY}"

    @property
    def ledger(self) -> Path:
        """``NAME.lapwing.ledger``, in the folder of the data."""
        return self.data.parent / f"{self.name}{LEDGER}"


def places(source: str | Path, folder: str | Path = ".") -> Places:
    """SOURCE is a Parquet or CSV file, a folder of them, ``FILE.duckdb::TABLE``, an address, or the policy itself.

    Beside a table that is behind an address there is no place: its policy is in ``folder``.
    """
    if isinstance(source, str) and is_address(source):
        address, relation = table_address(source)
        name = (relation or "").rpartition(".")[2] or PurePosixPath(address.folder or "").stem
        return Places(Path(folder) / name, relation, name, address.url)
    if not isinstance(source, str | os.PathLike):
        # its type alone: a data frame shows its rows when it is written out
        raise InvalidInput("S120", f"a table cannot be a {type(source).__name__}", "Give a path, or a data frame")
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


def protected(at: Places) -> Policy:
    """The policy of a table; refuses a table that has none."""
    if not at.policy.is_file():
        if at.url is None and not at.data.exists():
            raise InvalidInput("S121", f"there is no file or folder {str(at.data)!r}", "Correct its path")
        raise InvalidInput(
            "S121",
            f"{at.shown!r} has no policy, and a table without one is not answered from",
            "Protect it first: lapwing protect SOURCE --epsilon 1; or name the policy's file",
        )
    policy = read_policy(at.policy)
    named = policy.table(at.name)
    if at.url is not None and (named is None or (named.path, named.relation) != (at.url, at.relation)):
        raise InvalidInput(
            "S121", f"{at.policy.name!r} here is the policy of another table", "Name the file of the policy you mean"
        )
    return policy


def ledger_of(at: Places, policy: Policy) -> str | Path:
    """Where the ledger of a policy is: in a database, or beside the policy."""
    return policy.ledger or at.ledger
