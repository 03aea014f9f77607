"""Kind 20, a cached model that still wants the network: after the set-up none is there, and recall by meaning works."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from daemon import needs_model

PROGRAM = Path(__file__).with_name("unplugged.py")
NAMESPACE = ("unshare", "--net", "--map-root-user")  # a user may make one of their own


def namespaces_work() -> bool:
    try:
        return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@needs_model
@pytest.mark.skipif(not namespaces_work(), reason="this system lets nobody make a network namespace")
def test_case_20_without_a_network_meaning_is_found(tmp_path: Path) -> None:
    command = [*NAMESPACE, sys.executable, str(PROGRAM), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["model"]
    (best, *_) = told["hits"]
    assert best["content"] == "my sister moved to Ghent"
    assert "semantic" in best["backends"]
