#: expect no flow
#: how self-composition
#: truth the coin is the same whatever the secret
#: example {"hidden": true}
from lapwing import flip, flow


@flow(hidden="secret", result="public")
def noise_only(hidden: bool) -> bool:
    """Both runs draw the same coin at the same place."""
    out = hidden
    coin = flip(1 / 3)
    if hidden:
        out = coin
    else:
        out = coin
    return out
