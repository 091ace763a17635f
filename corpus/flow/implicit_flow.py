#: expect leak
#: how two runs
#: truth the test decides which constant is returned
#: example {"salary": 5}
from lapwing import flow


@flow(salary="secret", result="public")
def implicit_flow(salary: int) -> int:
    """No value is copied, but the branch taken tells on which side of 1000 the secret is."""
    if salary > 1000:
        rich = 1
    else:
        rich = 0
    return rich
