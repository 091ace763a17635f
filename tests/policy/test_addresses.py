"""Addresses: one way to write each, and no password in any."""

import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.policy import Analyst, Budget, Column, Policy, Table, policy_text
from lapwing.policy.addresses import database_address, is_address, ledger_address, table_address
from lapwing.policy.policy_reader import parse_policy


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgres://ana@host:5433/db", "postgresql://ana@host:5433/db"),
        ("postgresql:///db?host=/run/postgresql", "postgresql:///db?host=/run/postgresql"),
        ("postgresql://ana:@host/db?sslmode=require&host=h", "postgresql://ana@host/db?host=h&sslmode=require"),
        ("spark://host", "spark://host:15002"),
        ("spark://host:7/?use_ssl=true", "spark://host:7?use_ssl=true"),
        ("spark://[::1]", "spark://[::1]:15002"),
        ("spark://host/parquet:/a/b c/", "spark://host:15002/parquet:/a/b%20c"),
        ("spark://host/parquet:s3a://bucket/a?use_ssl=true", "spark://host:15002/parquet:s3a://bucket/a?use_ssl=true"),
    ],
)
def test_an_address_is_written_one_way(written, usual):
    assert database_address(written).url == usual
    assert database_address(usual).url == usual


def test_a_table_is_behind_its_database():
    address, relation = table_address("postgresql://ana@host/db/clinic.visits?sslmode=require")
    assert (address.url, relation) == ("postgresql://ana@host/db?sslmode=require", "clinic.visits")
    assert address.with_relation(relation) == "postgresql://ana@host/db/clinic.visits?sslmode=require"
    assert table_address("postgresql://host/db/visits")[1] == "public.visits"
    assert ledger_address("postgresql://host/db/my-ledger_1.a")[1] == "my-ledger_1.a"


def test_a_table_is_on_its_cluster_or_is_a_folder_of_it():
    address, relation = table_address("spark://host/clinic.visits?use_ssl=true")
    assert (address.url, relation) == ("spark://host:15002?use_ssl=true", "spark_catalog.clinic.visits")
    assert address.with_relation(relation) == "spark://host:15002/spark_catalog.clinic.visits?use_ssl=true"
    assert table_address("spark://host/visits")[1] == "spark_catalog.default.visits"
    folder, relation = table_address("spark://host/parquet:/a/b%20c/visits")
    assert (folder.folder, folder.server, relation) == ("/a/b c/visits", "spark://host:15002", None)
    logged, relation = table_address("spark://host/delta:s3a://bucket/visits/")
    assert (logged.url, relation) == ("spark://host:15002/delta:s3a://bucket/visits", None)
    assert (logged.folder, logged.is_delta, folder.is_delta) == ("s3a://bucket/visits", True, False)
    assert database_address("postgresql://h/d").folder is None


@pytest.mark.parametrize(
    "secret",
    [
        "postgresql://ana:hunter2@h/d/s.t",
        "postgresql://h/d/s.t?password=hunter2",
        "postgresql://h/d/s.t?options=-c%20hunter2",
        "spark://ana:hunter2@h/s.t",
        "spark://h/s.t?token=hunter2",
    ],
)
def test_a_password_is_refused_and_not_repeated(secret):
    for read in (table_address, database_address, ledger_address):
        with pytest.raises(InvalidInput) as refused:
            read(secret)
        assert refused.value.code == "S161"
        assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "mysql://h/d/s.t",
        *("postgresql://", "postgresql:///", "postgresql://h/d", "postgresql://h/d/a.b.c", "postgresql://h/d/a b"),
        *("postgresql://h:port/d/t", "postgresql://[/d/t", "postgresql://h/d/t#x", "postgresql://h/d/t?a=1"),
        "postgresql://h/d/t;drop",
        *(
            "spark://",
            "spark://h",
            "spark:///t",
            "spark://ana@h/t",
            "spark://h:port/t",
            "spark://h/a.b.c.d",
            "spark://h/a b",
        ),
        *("spark://h/parquet:", "spark://h/parquet:/", "spark://h/parquet:/a*", "spark://h/parquet:/a%7Bb,c%7D"),
        *("spark://h/t?use_ssl=false", "spark://h/t?x=1", "spark://h/t#x", "spark://h/t;token=x"),
    ],
)
def test_what_is_no_table_is_refused(text):
    assert is_address(text)
    with pytest.raises(InvalidInput) as refused:
        table_address(text)
    assert refused.value.code == "S160"


def test_folders_with_a_log_are_refused_by_name():
    with pytest.raises(InvalidInput, match="S160 a folder of hudi is not read"):
        table_address("spark://h/hudi:/warehouse/visits")


def test_files_are_no_addresses():
    assert not any(map(is_address, ["people.parquet", "/a/b.csv", "C:/x.parquet", "shop.duckdb::orders", 7, None]))


def test_a_policy_says_where_and_how_its_data_are():
    table = Table("visits", "postgresql://h/d", "private", None, None, (Column("a", "integer"),), "clinic.visits")
    policy = Policy(
        "visits", (table,), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),), "live", 60, "postgresql://h/l/visits"
    )
    assert parse_policy(policy_text(policy)) == policy
    for data, timeout, ledger in (
        ("alive", 60, None),
        ("live", 0, None),
        ("live", True, None),
        ("live", 60, "a.ledger"),
    ):
        with pytest.raises(InvalidInput):
            Policy("visits", (table,), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),), data, timeout, ledger)
    with pytest.raises(InvalidInput, match="S160"):
        Table("visits", "postgres://h/d", "private", None, None, (Column("a", "integer"),), "clinic.visits")


@pytest.mark.parametrize("text", ["http://127.0.0.1:8000/people", "https://stat.example/people"])
def test_the_address_of_a_server_is_told_from_that_of_a_database(text):
    with pytest.raises(InvalidInput, match="S160 this needs the table itself, and the address is that of a server"):
        table_address(text)
