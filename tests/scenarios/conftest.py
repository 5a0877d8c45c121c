"""Scenarios are told to the built program; tests/scenarios/lake.py has the words."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from lake import Lake  # noqa: E402


@pytest.fixture
def ads(tmp_path):
    """The example project with nothing landed yet."""
    return Lake.of_ads(tmp_path)
