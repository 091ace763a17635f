#: expect no flow
#: how typing
#: truth the result is as secret as what it is computed from
#: example {"salary": 5, "bonus": 2}
from lapwing import flow


@flow(salary="secret", bonus="public", result="secret")
def secret_result(salary: int, bonus: int) -> int:
    """Nothing flows down: whoever sees the result may see the salary."""
    if salary > 1000:
        return salary
    return salary + bonus
