# noqa: A005  # only ever imported as tests.statistics
