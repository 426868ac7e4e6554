# SPDX-License-Identifier: Apache-2.0
"""Text for people: formats of numbers, cleaned names, source lines, messages. Knows nothing of recordings."""
