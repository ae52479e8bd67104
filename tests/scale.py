"""How much of the same is tried: what every run can afford, and what the long one tries beside it. No tests."""

import os

LONG = os.environ.get("TEST_LONG") == "1"
"""Whether this is the long run, `make test-long`."""


def often(usual: int, long: int) -> int:
    """How many times something is tried: the first number in every run, the second in the long one."""
    return long if LONG else usual
