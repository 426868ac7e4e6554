# SPDX-License-Identifier: Apache-2.0
"""Whose the remote lines are."""
