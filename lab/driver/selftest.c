// SPDX-License-Identifier: GPL-2.0-or-later
/* At every start: each CPU reads memory of each node, and the hardware must say the right address and home. */
#include "driver.h"

#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/smp.h>

struct lab_selftest {
	struct page *page;
	const char *failure;
};

enum { LAB_SELFTEST_OFFSET = 0x5c8 }; /* anywhere in the page */

static const struct lab_record *lab_selftest_find(const struct lab_cpu *hardware, u64 from, u64 address)
{
	for (; from != hardware->head; from++)
		if (hardware->records[from % LAB_RECORDS].address == address)
			return &hardware->records[from % LAB_RECORDS];
	return NULL;
}

static void lab_selftest_read(void *argument)
{
	struct lab_selftest *test = argument;
	struct lab_cpu *hardware = lab_device_cpu(smp_processor_id());
	u64 address = (u64)page_address(test->page) + LAB_SELFTEST_OFFSET, from = hardware->head;
	const struct lab_record *record;

	hardware->slots[0] = (struct lab_slot){
		.unit = LAB_UNIT_LOADS, .levels = LAB_BIT(LAB_KERNEL), .outcomes = LAB_ALL_OUTCOMES, .period = 1, .left = 1,
	};
	lab_device_watch(hardware, LAB_WATCH_LOADS);
	hardware->active = 1;
	hardware->running = 1;
	barrier();
	READ_ONCE(*(u64 *)address);
	barrier();
	hardware->running = 0;
	hardware->active = 0;
	lab_device_watch(hardware, 0);
	record = lab_selftest_find(hardware, from, address);
	hardware->tail = hardware->head;
	if (!record)
		test->failure = "the hardware did not see a load";
	else if (record->physical != page_to_phys(test->page) + LAB_SELFTEST_OFFSET)
		test->failure = "the hardware sees another physical address";
	else if (record->home != page_to_nid(test->page))
		test->failure = "the hardware sees another home node";
}

static int lab_selftest_node(int node)
{
	struct lab_selftest test = { .page = __alloc_pages_node(node, GFP_KERNEL | __GFP_THISNODE, 0) };
	int cpu;

	if (!test.page)
		return 0; /* a node without memory */
	for_each_online_cpu(cpu) {
		smp_call_function_single(cpu, lab_selftest_read, &test, 1);
		if (test.failure)
			break;
	}
	__free_page(test.page);
	if (!test.failure)
		return 0;
	pr_err("CPU %d, memory of node %d: %s\n", cpu, node, test.failure);
	return -EIO;
}

int lab_selftest(void)
{
	int node, error = lab_device_simulate(LAB_SIMULATE_MEMORY);

	for_each_node_state(node, N_MEMORY)
		if (!error)
			error = lab_selftest_node(node);
	return lab_device_simulate(LAB_SIMULATE_NOTHING) ?: error;
}
