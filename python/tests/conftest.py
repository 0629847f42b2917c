"""The tests are of the installed wheel.  `scripts/wheel.sh test` runs them in a copy of this folder, far from the tree."""
import os

import hypothesis

# 10,000 cases a run are shared out among the tests, in parts of 10,000.
SHARES = {"permute": 2600, "copy": 1600, "written": 1800, "add": 1400, "interleave": 900, "deinterleave": 900, "fields": 800}
assert sum(SHARES.values()) == 10_000


def examples(name: str):
    """Settings for a test's share of the cases."""
    share = SHARES[name] * int(os.environ.get("WIDELOAD_CASES", "10000")) // 10_000
    return hypothesis.settings(max_examples=share, deadline=None, database=None, print_blob=True,
                               suppress_health_check=list(hypothesis.HealthCheck))
