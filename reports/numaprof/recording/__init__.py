# SPDX-License-Identifier: Apache-2.0
"""Reads one recording: the file, its codes, and the SQL of every question. The only room that knows SQLite."""
