# SPDX-License-Identifier: Apache-2.0
"""Nodes, and which of them share memory controllers."""
