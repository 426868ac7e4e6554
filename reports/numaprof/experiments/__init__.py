# SPDX-License-Identifier: Apache-2.0
"""Runs of one program under several settings: `numaprof sweep`, `policies`, and `try` (trials/)."""
