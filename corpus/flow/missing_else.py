#: expect leak
#: how two runs
#: truth what is not assigned tells as much as what is
#: example {"salary": 5}
from lapwing import flow


@flow(salary="secret", result="public")
def missing_else(salary: int) -> bool:
    """Where nothing happens, something is said too."""
    poor = True
    if salary > 1000:
        poor = False
    return poor
