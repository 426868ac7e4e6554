# SPDX-License-Identifier: Apache-2.0
"""The dataclasses that every renderer reads. docs/json.md describes their JSON form."""
