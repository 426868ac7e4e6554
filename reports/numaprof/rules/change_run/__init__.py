# SPDX-License-Identifier: Apache-2.0
"""Rules that advise to run the program differently."""
