"""`make install`: the program and Arrow's libraries beside it need nothing of the checkout."""
import os
import pathlib
import subprocess

import pytest

from lake import ROOT, STRANDLINE


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    build = pathlib.Path(STRANDLINE).parent
    done = subprocess.run([ROOT / "scripts" / "install.sh", build, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_library_is_found_outside_of_the_checkout(prefix):
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    out = subprocess.run(["ldd", prefix / "bin" / "strandline"], capture_output=True, text=True, check=True, env=environment).stdout
    arrow = [line for line in out.splitlines() if "libarrow" in line or "libparquet" in line]
    assert arrow and all(str(prefix) in line for line in arrow), out
    assert "not found" not in out and str(ROOT / ".deps") not in out


def test_it_runs_without_the_checkouts_dependencies(prefix, tmp_path):
    """In a mount namespace of its own the folder .deps is empty."""
    inside = (f"mount -t tmpfs none {ROOT / '.deps'} && cd {tmp_path} && {prefix}/bin/strandline init p && cd p && "
              f"{prefix}/bin/strandline run && {prefix}/bin/strandline run")
    done = subprocess.run(["unshare", "--mount", "sh", "-c", inside], capture_output=True, text=True, check=False)
    if done.returncode != 0 and "unshare" in done.stderr + done.stdout:
        pytest.skip("this machine allows no mount namespace")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing to do" in done.stdout
