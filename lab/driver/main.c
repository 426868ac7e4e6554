// SPDX-License-Identifier: GPL-2.0-or-later
/* The module: finds the hardware and the language of this processor, and offers the PMU. Loaded once per boot. */
#include "driver.h"

#include <linux/module.h>

module_param_named(cloud, lab_cloud, bool, 0444);
MODULE_PARM_DESC(cloud, "refuse offcore events and precise sampling, as some hypervisors do");

static int __init lab_init(void)
{
	int error;

	lab_dialect = lab_dialect_find();
	if (!lab_dialect) {
		pr_err("no events are known for this processor\n");
		return -ENODEV;
	}
	error = lab_defect_init();
	if (error)
		return error;
	error = lab_kernel_find();
	if (error)
		return error;
	error = lab_device_init();
	if (error)
		return error;
	error = lab_selftest();
	if (error)
		goto exit_device;
	error = lab_sample_init();
	if (error)
		goto exit_device;
	error = lab_pmu_register();
	if (error)
		goto exit_sample;
	error = lab_ibs_register();
	if (error)
		goto exit_pmu;
	error = lab_truth_init();
	if (error)
		goto exit_ibs;
	pr_info("counters of %s, %u CPUs, %u nodes\n", lab_dialect->name, lab_shared->cpus, lab_shared->nodes);
	return 0;
exit_ibs:
	lab_ibs_unregister();
exit_pmu:
	lab_pmu_unregister();
exit_sample:
	lab_sample_exit();
exit_device:
	lab_device_exit();
	return error;
}

static void __exit lab_exit(void)
{
	lab_truth_exit();
	lab_ibs_unregister();
	lab_pmu_unregister();
	lab_sample_exit();
	lab_device_simulate(LAB_SIMULATE_NOTHING);
	lab_device_exit();
}

module_init(lab_init);
module_exit(lab_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Counters and load samples of numaprof's emulated NUMA machine");
