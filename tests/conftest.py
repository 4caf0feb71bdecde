"""Settings of the property tests."""

from __future__ import annotations

import os

from hypothesis import settings

# At a desk every run draws other examples and may find what nobody thought of. Where CI
# judges a change, the examples follow from the test alone, so that it judges the change; they
# are the same ones each time, so fewer of them do, where a test does not say how many.
settings.register_profile("ci", derandomize=True, max_examples=30)
if os.environ.get("CI"):
    settings.load_profile("ci")
