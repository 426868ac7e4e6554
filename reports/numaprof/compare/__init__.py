# SPDX-License-Identifier: Apache-2.0
"""Two sides of one or several runs each: what changed, and what the spread of the runs allows to say."""
