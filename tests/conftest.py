"""Settings of the property tests."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# No property is judged by the time it takes, nor by how many of the examples that were drawn by
# chance were large or of no use; and an example that shares a folder with another empties it.
settings.register_profile(
    "desk",
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.function_scoped_fixture,
    ],
)
# At a desk every run draws other examples and may find what nobody thought of. Where CI
# judges a change, the examples follow from the test alone, so that it judges the change; they
# are the same ones each time, so fewer of them do, where a test does not say how many.
settings.register_profile("ci", settings.get_profile("desk"), derandomize=True, max_examples=30)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

# Who runs the tests in the background has them ignore interrupts, and so what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
