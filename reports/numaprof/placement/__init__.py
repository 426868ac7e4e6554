# SPDX-License-Identifier: Apache-2.0
"""Where memory should go, decided once: use_matrix -> candidates -> levers -> score -> decide -> explain."""
