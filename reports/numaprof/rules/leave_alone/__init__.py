# SPDX-License-Identifier: Apache-2.0
"""Rules that advise to change nothing."""
