# SPDX-License-Identifier: Apache-2.0
"""make truth: how far what numaprof says is from what the emulated machines did."""
