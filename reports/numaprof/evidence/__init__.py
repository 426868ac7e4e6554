# SPDX-License-Identifier: Apache-2.0
"""What one recording tells, read once and frozen: counts, samples, objects, threads."""
