#: expect no flow
#: how typing
#: truth neighbours have lists of the same length, so the length is public
#: example {"visits": [1, 2]}
from lapwing import each, flow, mechanism


@mechanism(visits=each(1))
@flow(visits="secret", result="public")
def known_length(visits: list[int]) -> list[int]:
    """A list with as many zeros as there are visits."""
    return [0 for _ in visits]
