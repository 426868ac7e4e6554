# SPDX-License-Identifier: Apache-2.0
"""Reports of numaprof: reads a recording and says who suffers from remote memory, why, and what to change."""
