# SPDX-License-Identifier: Apache-2.0
"""Writes what the commands make: pages, documents and files, each whole or not at all."""
