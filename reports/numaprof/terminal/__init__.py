# SPDX-License-Identifier: Apache-2.0
"""Renders documents as text for a terminal."""
