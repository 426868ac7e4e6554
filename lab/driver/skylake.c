// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Skylake-SP. Encodings: libpfm4, table skx; request and response bits, generic events and PEBS source codes: the
 * kernel's arch/x86/events/intel/core.c (SKL_*) and ds.c.
 */
#include "driver.h"

#include <asm/processor.h>
