"""What the tests of the Python package share: the repository, its models, its program."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def program():
    """Calls the command line in the root of the repository: the finished process."""
    path = os.environ["DAEDAL_PROGRAM"]

    def call(*words):
        return subprocess.run([path, *words], cwd=ROOT, capture_output=True, text=True, timeout=300)

    return call
