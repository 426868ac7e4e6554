# SPDX-License-Identifier: Apache-2.0
"""Fixes as code: what the allocating statement says, and the lines to add that place its memory."""
