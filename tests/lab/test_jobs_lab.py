# SPDX-License-Identifier: Apache-2.0
"""A hybrid job that MPICH starts on two nodes; tests/emulator has that of Open MPI, whose launcher takes longer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hybrid_job import assert_outliers, run_job

pytestmark = [pytest.mark.requires("lab", "mpich"), pytest.mark.timeout(1800)]


def test_outliers_are_exactly_the_ranks_that_initialise_serially(tmp_path: Path) -> None:
    assert_outliers(run_job("mpiexec.hydra", "libmpich.so.12", tmp_path), "MPICH")
