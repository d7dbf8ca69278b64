"""Type stubs are what the module is: written from its tables, compared with it by mypy's stubtest."""

import os
import shutil
import subprocess
import sys

import pytest


def test_the_stub_of_models_is_written_from_the_options(root):
    check = subprocess.run([sys.executable, str(root / "tools/make_python_stub"), "--check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stderr


@pytest.mark.skipif(shutil.which("stubtest") is None, reason="mypy is not there")
def test_stubs_agree_with_the_module(tmp_path):
    environment = dict(os.environ, MYPYPATH=os.environ["PYTHONPATH"])
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")  # packages that are used where they are there
    # pybind11's classes have its metaclass, and a constructor that takes anything and refuses
    (tmp_path / "allowed").write_text(r"daedal\._daedal\.[A-Z]\w+(\.__init__)?" + "\n")
    found = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "daedal", "--mypy-config-file", "mypy.ini", "--allowlist", "allowed"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
    )
    assert found.returncode == 0, found.stdout + found.stderr
