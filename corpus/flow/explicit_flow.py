#: expect leak
#: how two runs
#: truth the result is the secret plus one
#: example {"salary": 5}
from lapwing import flow


@flow(salary="secret", result="public")
def explicit_flow(salary: int) -> int:
    """The secret is copied, if in disguise."""
    raised = salary + 1
    return raised
