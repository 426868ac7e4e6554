# SPDX-License-Identifier: Apache-2.0
"""Reports of numaprof: reads a recording and says who suffers from remote memory, why, and what to change."""

import resource
import sys

# Python takes a bytecode file that a limit for files (ulimit -f) cuts off for a whole one, in every later run.
if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
    sys.dont_write_bytecode = True
