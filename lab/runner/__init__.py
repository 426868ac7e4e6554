# SPDX-License-Identifier: Apache-2.0
"""The runner of the emulated NUMA machine: machine descriptions, QEMU's arguments, the guest's life."""
