"""Made-up tables in the shape of TPC-H, for trying questions: python scripts/make_tpch.py FOLDER [--scale 0.01].

The names and kinds of columns, the sizes of tables and the ranges of numbers are those of the benchmark; the values are
drawn here. Two columns are added, since every row of a private table says whose it is: l_custkey, the customer of the
order that a line is of; orders have o_custkey already.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3),
    ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0),
    ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2),
    ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
)  # fmt: skip
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
INSTRUCTIONS = ("COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN")
COLOURS = ("azure", "blue", "cream", "forest", "green", "ivory", "lemon", "navy", "plum", "rose")
MATERIALS = ("BRASS", "COPPER", "NICKEL", "STEEL", "TIN")
KINDS = ("ECONOMY", "LARGE", "MEDIUM", "PROMO", "SMALL", "STANDARD")
FINISHES = ("ANODIZED", "BRUSHED", "BURNISHED", "PLATED", "POLISHED")
SIZES, VESSELS = ("JUMBO", "LG", "MED", "SM", "WRAP"), ("BAG", "BOX", "CAN", "CASE", "DRUM", "JAR", "PACK", "PKG")
WORDS = ("quick", "special", "final", "pending", "express", "requests", "deposits", "accounts", "packages", "ideas")
FIRST, LAST = datetime.date(1992, 1, 1), datetime.date(1998, 12, 31)
ORDERED = (datetime.date(1998, 8, 2) - FIRST).days


def tables(scale: float = 0.01, seed: int = 1) -> dict[str, pa.Table]:
    """All eight tables."""
    random = np.random.default_rng(seed)
    suppliers, parts = max(10, int(10_000 * scale)), max(20, int(200_000 * scale))
    customers, orders = max(30, int(150_000 * scale)), max(100, int(1_500_000 * scale))
    made = {
        "region": pa.table({"r_regionkey": list(range(5)), "r_name": list(REGIONS)}),
        "nation": pa.table(
            {
                "n_nationkey": list(range(25)),
                "n_name": [name for name, _ in NATIONS],
                "n_regionkey": [region for _, region in NATIONS],
            }
        ),
        "supplier": pa.table(
            {
                "s_suppkey": np.arange(1, suppliers + 1),
                "s_name": [f"Supplier#{key:09d}" for key in range(1, suppliers + 1)],
                "s_nationkey": random.integers(0, 25, suppliers),
                "s_acctbal": random.uniform(-999.99, 9999.99, suppliers).round(2),
            }
        ),
        "part": _parts(random, parts),
    }
    made["partsupp"] = _stock(random, parts, suppliers)
    made["customer"] = pa.table(
        {
            "c_custkey": np.arange(1, customers + 1),
            "c_name": [f"Customer#{key:09d}" for key in range(1, customers + 1)],
            "c_nationkey": (nation := random.integers(0, 25, customers)),
            "c_phone": [f"{10 + key}-{random.integers(100, 999)}-{random.integers(1000, 9999)}" for key in nation],
            "c_acctbal": random.uniform(-999.99, 9999.99, customers).round(2),
            "c_mktsegment": random.choice(SEGMENTS, customers),
        }
    )
    return made | _sales(random, customers, orders, parts, suppliers)


def _parts(random: np.random.Generator, many: int) -> pa.Table:
    return pa.table(
        {
            "p_partkey": np.arange(1, many + 1),
            "p_name": [" ".join(random.choice(COLOURS, 3, replace=False)) for _ in range(many)],
            "p_brand": [f"Brand#{a}{b}" for a, b in random.integers(1, 6, (many, 2))],
            "p_type": _joined(random, many, KINDS, FINISHES, MATERIALS),
            "p_size": random.integers(1, 51, many),
            "p_container": _joined(random, many, SIZES, VESSELS),
            "p_retailprice": (900 + np.arange(1, many + 1) % 1000).astype(float),
        }
    )


def _joined(random: np.random.Generator, many: int, *words: tuple[str, ...]) -> list[str]:
    """Names of one word of each kind."""
    return [" ".join(each) for each in zip(*(random.choice(kind, many) for kind in words), strict=True)]


def _stock(random: np.random.Generator, parts: int, suppliers: int) -> pa.Table:
    part = np.repeat(np.arange(1, parts + 1), 4)
    supplier = (part + np.tile(np.arange(4), parts) * (suppliers // 4 + 1)) % suppliers + 1
    return pa.table(
        {
            "ps_partkey": part,
            "ps_suppkey": supplier,
            "ps_availqty": random.integers(1, 10_000, len(part)),
            "ps_supplycost": random.uniform(1, 1000, len(part)).round(2),
        }
    )


def _sales(random: np.random.Generator, customers: int, orders: int, parts: int, suppliers: int) -> dict[str, pa.Table]:
    buyers = np.arange(1, customers + 1)
    buyers = buyers[buyers % 3 != 0]  # a third has no orders
    customer = random.choice(buyers, orders)
    day = random.integers(0, ORDERED - 151, orders)
    lines = random.integers(1, 8, orders)
    order = np.repeat(np.arange(orders), lines)
    many = len(order)
    part = random.integers(1, parts + 1, many)
    supplier = (part + random.integers(0, 4, many) * (suppliers // 4 + 1)) % suppliers + 1
    quantity = random.integers(1, 51, many).astype(float)
    price = (quantity * (900 + part % 1000)).round(2)
    shipped = day[order] + random.integers(1, 122, many)
    received = shipped + random.integers(1, 31, many)
    today = (datetime.date(1995, 6, 17) - FIRST).days
    open_line = shipped > today
    returned = np.where(received <= today, random.choice(["R", "A"], many), "N")
    discount, tax = random.integers(0, 11, many) / 100, random.integers(0, 9, many) / 100
    waiting = np.bincount(order, weights=open_line, minlength=orders)
    status = np.where(waiting == 0, "F", np.where(waiting == lines, "O", "P"))
    total = np.bincount(order, weights=price * (1 - discount) * (1 + tax), minlength=orders).round(2)
    words = random.choice(WORDS, (orders, 3))
    return {
        "orders": pa.table(
            {
                "o_orderkey": np.arange(1, orders + 1),
                "o_custkey": customer,
                "o_orderstatus": status,
                "o_totalprice": total,
                "o_orderdate": _days(day),
                "o_orderpriority": random.choice(PRIORITIES, orders),
                "o_shippriority": np.zeros(orders, np.int64),
                "o_comment": [" ".join(each) for each in words],
            }
        ),
        "lineitem": pa.table(
            {
                "l_orderkey": order + 1,
                "l_custkey": customer[order],
                "l_partkey": part,
                "l_suppkey": supplier,
                "l_quantity": quantity,
                "l_extendedprice": price,
                "l_discount": discount,
                "l_tax": tax,
                "l_returnflag": returned,
                "l_linestatus": np.where(open_line, "O", "F"),
                "l_shipdate": _days(shipped),
                "l_commitdate": _days(day[order] + random.integers(30, 91, many)),
                "l_receiptdate": _days(received),
                "l_shipmode": random.choice(MODES, many),
                "l_shipinstruct": random.choice(INSTRUCTIONS, many),
            }
        ),
    }


def _days(ahead: np.ndarray) -> pa.Array:
    start = (FIRST - datetime.date(1970, 1, 1)).days
    return pa.array(start + ahead, pa.int32()).cast(pa.date32())


def main() -> None:
    """Write the tables as Parquet files."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("folder", type=Path)
    words.add_argument("--scale", type=float, default=0.01)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables(given.scale, given.seed).items():
        pq.write_table(table, given.folder / f"{name}.parquet")
        sys.stdout.write(f"{name}: {table.num_rows:,} rows\n")


if __name__ == "__main__":
    main()
