# SPDX-License-Identifier: Apache-2.0
"""The program's source as a syntax tree, and the edits that place its memory."""
