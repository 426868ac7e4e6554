# SPDX-License-Identifier: Apache-2.0
"""Jobs of many ranks: a summary of each rank, and what they say together."""
