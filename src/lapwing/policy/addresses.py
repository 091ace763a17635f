"""Tables behind an address: ``postgresql://[user@]host[:port]/database/schema.table``, and never a password in it.

The one idea: a policy is a file that people share and keep, so an address says where a table is and who reads it, and
nothing that would let anybody in. Passwords come from where the database's own programs take them. A table on a
cluster of Spark is ``spark://host[:port]/catalog.schema.table``, or ``…/parquet:/folder`` for a folder it can read, and
``…/delta:/folder`` for one of Delta.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from lapwing.errors import InvalidInput
from lapwing.policy.identifiers import is_identifier, quoted

_SCHEMES = ("postgresql", "postgres")
#: What may stand behind the question mark: where the server is and how its identity is checked.
_OPTIONS = ("host", "port", "service", "sslcert", "sslkey", "sslmode", "sslrootcert")
_SECRETS = ("password", "passfile", "sslpassword", "options")
_SPOKEN = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_REMEDY = "Write postgresql://reader@host/database/schema.table"
_SPARK, _SPARK_PORT = "spark", 15002
_PARQUET, _DELTA = _FOLDERS = ("parquet:", "delta:")
_LOGGED = ("hudi:", "iceberg:")
_SPARK_REMEDY = "Write spark://host:15002/catalog.schema.table, spark://host:15002/parquet:/folder or …/delta:/folder"


@dataclass(frozen=True, slots=True)
class Address:
    """A database on a server, or a cluster; ``url`` is the one way to write it."""

    url: str

    @property
    def is_cluster(self) -> bool:
        """Whether Spark is behind it."""
        return self.url.startswith(f"{_SPARK}://")

    @property
    def folder(self) -> str | None:
        """The folder on a cluster that is the table; None where a table is named."""
        _, found, path = urlsplit(self.url).path.partition(":")
        return unquote(path) if found and self.is_cluster else None

    @property
    def is_delta(self) -> bool:
        """Whether a log in the folder says which of its files count."""
        return self.is_cluster and urlsplit(self.url).path.startswith(f"/{_DELTA}")

    @property
    def server(self) -> str:
        """The cluster alone."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc, "", parts.query, ""))

    def with_relation(self, relation: str) -> str:
        """The address of a table in the database, as people write it."""
        place, question, options = self.url.partition("?")
        return f"{place}{f'/{relation}' if relation else ''}{question}{options}"


def is_address(text: object) -> bool:
    """Whether this means a database on a server rather than a file."""
    return isinstance(text, str) and _SPOKEN.match(text) is not None


def database_address(text: str) -> Address:
    """The address of a database: nothing may follow its name. Of a cluster, or of a folder on it."""
    found, rest = _parsed(text)
    if rest and found.is_cluster:
        raise _malformed("the address of a cluster goes on behind its name", "Write spark://host:15002")
    if rest:
        raise _malformed("the address of a database goes on behind its name", "Write postgresql://user@host/database")
    return found


def table_address(text: str) -> tuple[Address, str | None]:
    """The database, and the relation in it as ``schema.table``; no relation for a folder on a cluster."""
    found, rest = _parsed(text)
    names = unquote(rest).split(".")
    if found.is_cluster:
        return found, None if found.folder else _on_cluster(names)
    if len(names) == 1:
        names = ["public", *names]
    if len(names) != 2 or not all(map(is_identifier, names)):
        raise _malformed(
            f"the address names no table: {quoted(unquote(rest))} is not schema.table",
            f"{_REMEDY}; names have letters a to z, digits and underscores",
        )
    return found, ".".join(names)


def ledger_address(text: str) -> tuple[Address, str]:
    """The database that holds ledgers, and the name of one in it."""
    found, rest = _parsed(text)
    if found.is_cluster:
        raise _malformed("a ledger cannot be kept in Spark", "Keep it in PostgreSQL, or in a file: leave --ledger out")
    name = unquote(rest)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,49}", name):  # PostgreSQL cuts names off at 63 letters
        raise _malformed(
            f"the address names no ledger: {quoted(name)} is no name of up to 50 letters",
            "Write postgresql://role@host/database/NAME",
        )
    return found, name


def _parsed(text: str) -> tuple[Address, str]:
    """The database, and what follows its name. No message quotes an address as a whole: it may hold a password."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise _malformed("the address of a database cannot be read", _REMEDY) from None
    if parts.scheme == _SPARK:
        return _cluster(parts, port)
    if parts.scheme in ("http", "https"):
        raise _malformed(
            "this needs the table itself, and the address is that of a server",
            "Give the table where it is protected; a server takes lapwing run, quote, explain, plan and advise",
        )
    if parts.scheme not in _SCHEMES:
        raise _malformed(f"no engine answers to {quoted(parts.scheme + '://')}", f"{_REMEDY}. {_SPARK_REMEDY}")
    options = parse_qsl(parts.query, keep_blank_values=True)
    if parts.password or any(name.lower() in _SECRETS for name, _ in options):
        raise InvalidInput(
            "S161",
            "the address holds a password or settings of its own, and a policy is shared",
            "Leave it out: put the password into the file that PGPASSFILE names, or name a service",
        )
    unknown = [name for name, _ in options if name not in _OPTIONS]
    if unknown or parts.fragment or len(dict(options)) != len(options):
        raise _malformed("the address has options that are not known here", f"Known are {', '.join(_OPTIONS)}")
    database, _, rest = parts.path.lstrip("/").partition("/")
    if not unquote(database) or "\0" in unquote(text):
        raise _malformed("the address names no database", _REMEDY)
    user = f"{quote(unquote(parts.username))}@" if parts.username else ""
    place = f"{parts.hostname or ''}{f':{port}' if port is not None else ''}"
    asked = f"?{urlencode(sorted(options), safe='/')}" if options else ""
    return Address(f"postgresql://{user}{place}/{quote(unquote(database), safe='')}{asked}"), rest


def _cluster(parts: SplitResult, port: int | None) -> tuple[Address, str]:
    """A cluster with the folder in its address, or what follows its name. A token is taken from the environment."""
    options = parse_qsl(parts.query, keep_blank_values=True)
    if parts.password or any(name.lower() == "token" for name, _ in options):
        raise InvalidInput(
            "S161",
            "the address holds a password or a token, and a policy is shared",
            "Leave it out: put the token into the environment, as SPARK_CONNECT_AUTHENTICATE_TOKEN",
        )
    if parts.username or not parts.hostname or parts.fragment or dict(options) not in ({}, {"use_ssl": "true"}):
        raise _malformed("the address of a cluster cannot be read", f"{_SPARK_REMEDY}; ?use_ssl=true may follow")
    rest = parts.path.removeprefix("/")
    if rest.startswith(_LOGGED):
        raise _malformed(
            f"a folder of {rest.partition(':')[0]} is not read: which of its files count is said in a log",
            "Store a copy of it as Parquet on the cluster, and name that",
        )
    stored = next((each for each in _FOLDERS if rest.startswith(each)), "")
    folder = unquote(rest.removeprefix(stored)) if stored else None
    if folder is not None and (not folder.strip("/") or any(letter in folder for letter in "*?[]{}\\\0,")):
        raise _malformed("the folder in the address is none, or a pattern for several", _SPARK_REMEDY)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = f"{_SPARK}://{host}:{_SPARK_PORT if port is None else port}"
    inside = "" if folder is None else f"/{stored}{quote(folder.rstrip('/'), safe='/:@=')}"
    return Address(f"{place}{inside}{'?use_ssl=true' if options else ''}"), "" if folder is not None else rest


def _on_cluster(names: list[str]) -> str:
    """``catalog.schema.table``, with the catalog and schema that Spark begins with where they are left out."""
    names = [*("spark_catalog", "default")[: max(0, 3 - len(names))], *names]
    if len(names) != 3 or not all(map(is_identifier, names)):
        raise _malformed(
            "the address names no table of a cluster",
            f"{_SPARK_REMEDY}; names have letters a to z, digits and underscores",
        )
    return ".".join(names)


def _malformed(problem: str, remedy: str) -> InvalidInput:
    return InvalidInput("S160", problem, remedy)
