"""What the reading role and its tables must be: a role that can do nothing but read, and tables that are whole.

The one idea: "read only" is a setting that a session can undo, a right is not. So the role must have no way to write,
and every row of a table must be visible to it, or what is counted is not what the policy says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lapwing.engines.postgresql.catalogue import Ask, Catalogued, Installed
from lapwing.errors import InvalidInput
from lapwing.policy import Policy

#: The first version in which nobody may create things in the schema public unless told so, and that is tested.
OLDEST = 15
#: Roles of PostgreSQL's own that reach beyond the tables.
_MIGHTY = (
    "pg_checkpoint",
    "pg_create_subscription",
    "pg_execute_server_program",
    "pg_maintain",
    "pg_read_server_files",
    "pg_signal_backend",
    "pg_write_all_data",
    "pg_write_server_files",
)
# The role itself, the one that came in if a setting made it another, and all that they can become with SET ROLE.
_ROLES = """
SELECT r.oid, r.rolname, r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication
FROM pg_catalog.pg_roles AS r
WHERE pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER') OR pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
"""
_WRITES = """
SELECT n.nspname, c.relname
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN pg_catalog.unnest(%s::pg_catalog.oid[]) AS r(oid)
WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND (c.relowner = r.oid OR pg_catalog.has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    OR pg_catalog.has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE'))
ORDER BY 1, 2 LIMIT 1
"""
_CREATES = """
SELECT n.nspname FROM pg_catalog.pg_namespace AS n CROSS JOIN pg_catalog.unnest(%s::pg_catalog.oid[]) AS r(oid)
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND (n.nspowner = r.oid OR pg_catalog.has_schema_privilege(r.oid, n.oid, 'CREATE'))
ORDER BY 1 LIMIT 1
"""
_CREATES_SCHEMAS = """
SELECT 1 FROM pg_catalog.unnest(%s::pg_catalog.oid[]) AS r(oid)
WHERE pg_catalog.has_database_privilege(r.oid, pg_catalog.current_database(), 'CREATE') LIMIT 1
"""
_ADVICE = "Have the database's owner make a role that only reads: see the guide, Protect a database table"


def check_server(server: Installed) -> None:
    """Refuses a server on which statements could mean something else."""
    if server.version < OLDEST * 10_000:
        problem = f"the server is PostgreSQL {server.release}, and the oldest that can be asked is {OLDEST}"
        raise InvalidInput("E125", problem, f"Upgrade it to PostgreSQL {OLDEST} or later")
    if server.encoding != "UTF8":
        raise InvalidInput(
            "E125",
            f"the database writes letters in {server.encoding}, where a text may be none",
            "Copy the tables to a database with the encoding UTF8",
        )


def check_role(ask: Ask) -> None:
    """Refuses a role that could write, see past row security, or become a role that does."""
    roles = ask(_ROLES)
    for _, name, powers in roles:
        if powers or name in _MIGHTY:
            raise InvalidInput("E121", f"the role that reads is, or can become, {name!a}, which may do more", _ADVICE)
    oids = [oid for oid, *_ in roles]
    written = ask(_WRITES, oids)
    if written:
        problem = f"the role that reads may write to {'.'.join(written[0])!a}"
        raise InvalidInput("E121", problem, _ADVICE)
    created = ask(_CREATES, oids)
    if created:
        problem = f"the role that reads may create things in the schema {created[0][0]!a}"
        raise InvalidInput("E121", problem, _ADVICE)
    if ask(_CREATES_SCHEMAS, oids):
        raise InvalidInput("E121", "the role that reads may create schemas in the database", _ADVICE)


def check_relation(table: str, relation: Catalogued | None, readable: bool, trusted: bool) -> Catalogued:
    """Refuses what is no table whose rows are all there to be read; a view, unless the curator trusts it."""
    if relation is None or not readable:
        raise InvalidInput(
            "E103",
            f"the relation of table {table!r} is not there, or the role may not read it",
            "Correct its name, or GRANT USAGE on its schema and SELECT on it",
        )
    if relation.sort == "v" and not trusted:
        raise InvalidInput(
            "E122",
            f"{relation.schema}.{relation.name} is a view: it may fail on a value, or differ from reader to reader",
            "Protect the tables behind it, or a materialized view; or give --trust-view",
        )
    if relation.foreign:
        raise InvalidInput(
            "E122",
            f"{relation.schema}.{relation.name} is, or has a part that is, in another database",
            "Protect it there",
        )
    if relation.partial:
        raise InvalidInput(
            "E120",
            f"row security hides rows of {relation.schema}.{relation.name} from the role that reads",
            "Give the role a policy for all rows by taking row security off the table, or copy the table",
        )
    return relation


def check_apart(policy: Policy, relations: Mapping[str, Catalogued]) -> None:
    """Refuses a public table that shares rows with a private one: as a part of it, or computed from it."""
    private = [relations[table.name] for table in policy.tables if table.role == "private"]
    for table in policy.tables:
        public = relations[table.name]
        shared = any(each.oid in public.drawn or public.oid in each.drawn for each in private)
        if table.role == "public" and shared:
            raise InvalidInput(
                "E112",
                f"the public table {table.name!r} reads the data of a private table",
                "Take it out of the policy, or give it a table of its own",
            )


def check_names(table: str, relation: Catalogued) -> None:
    """Refuses two columns whose names SQL takes for one."""
    names: Iterable[str] = [column.name.lower() for column in relation.columns]
    if len(set(names)) != len(relation.columns):
        raise InvalidInput(
            "E115", f"two columns of table {table!r} have one name, in letters of any case", "Rename one of them"
        )
