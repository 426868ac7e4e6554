# SPDX-License-Identifier: Apache-2.0
"""All SQL on recordings: one module for each subject."""
