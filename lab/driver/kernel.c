// SPDX-License-Identifier: GPL-2.0-or-later
/* The perf core's side of a PMU is not exported to modules. A kprobe tells where kallsyms_lookup_name is. */
#include "driver.h"

#include <linux/kprobes.h>

struct lab_kernel lab_kernel;

int lab_kernel_find(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);
	int error = register_kprobe(&probe);

	if (error) {
		pr_err("kallsyms_lookup_name cannot be found: error %d\n", error);
		return error;
	}
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	lab_kernel.overflow = (void *)lookup("perf_event_overflow");
	lab_kernel.callchain = (void *)lookup("perf_callchain");
	lab_kernel.log_lost = (void *)lookup("perf_log_lost_samples");
	if (!lab_kernel.overflow || !lab_kernel.callchain || !lab_kernel.log_lost) {
		pr_err("this kernel lacks functions of the perf core that the driver needs\n");
		return -ENOENT;
	}
	return 0;
}
