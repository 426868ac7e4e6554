# SPDX-License-Identifier: Apache-2.0
"""As tests/lab/test_jobs_lab.py, with the other launcher."""

from __future__ import annotations

from pathlib import Path

import pytest
from hybrid_job import assert_outliers, run_job

LAUNCHER = "mpiexec.openmpi --allow-run-as-root --oversubscribe --bind-to none"

pytestmark = [pytest.mark.requires("lab", "openmpi"), pytest.mark.timeout(1800), pytest.mark.alone]


def test_outliers_are_exactly_the_ranks_that_initialise_serially(tmp_path: Path) -> None:
    assert_outliers(run_job(LAUNCHER, "libmpi.so.40", tmp_path), "Open MPI")
