"""One Hypothesis profile: no deadlines (a busy machine is not a bug), failures that can be reproduced."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("lapwing", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lapwing")


# Tables are as wide as in a pipe, whatever the width of the terminal that the tests run in.
os.environ.pop("COLUMNS", None)
