# SPDX-License-Identifier: Apache-2.0
"""What people see. Views put evidence on paper; they decide nothing."""
