"""One Hypothesis profile: no deadlines (a busy machine is not a bug), failures that can be reproduced."""

from hypothesis import HealthCheck, settings

settings.register_profile("lapwing", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lapwing")
