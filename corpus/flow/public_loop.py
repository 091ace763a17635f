#: expect no flow
#: how typing
#: truth only public values decide and only public values are returned
#: example {"hidden": 5, "limit": 9}
from lapwing import flow


@flow(hidden="secret", limit="public", result="public")
def public_loop(hidden: int, limit: int) -> int:
    """The secret is used, and what is computed from it stays where it is."""
    total = 0
    kept = 0
    i = 0
    while i < limit:
        total += i
        kept += hidden
        i += 1
    return total
