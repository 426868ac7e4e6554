# SPDX-License-Identifier: Apache-2.0
"""What the evidence means: the verdict, who uses which object, what a fix can give back, and how things are named."""
