#: expect no flow
#: how self-composition
#: truth what each round adds it takes away again, and the length is public
#: example {"visits": [3, 4]}
from lapwing import each, flow, mechanism


@mechanism(visits=each(1))
@flow(visits="secret", result="public")
def cancelled_list(visits: list[int]) -> int:
    """The number of visits, by way of a total that always comes back to 0."""
    total = 0
    for visit in visits:
        total = total + visit
        total = total - visit
    return total + len(visits)
