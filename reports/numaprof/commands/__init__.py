# SPDX-License-Identifier: Apache-2.0
"""One module for each command; main(arguments) returns the exit status."""
