// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The truth by page: tells the hardware which thread each CPU runs, and shows what it counted in debugfs. Only where
 * the machine wants it (module parameter truth): the hardware then has rows.
 */
#include "driver.h"

#include <linux/debugfs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>

static struct dentry *lab_truth_folder;
static struct tracepoint *lab_truth_switch, *lab_truth_exec;

/* An exec keeps the thread's number and not its memory: the low bits of the kernel's count of them tell which. */
static u32 lab_truth_task(const struct task_struct *task)
{
	return (task->pid & (LAB_BIT(LAB_TASK_BITS) - 1)) |
		(task->self_exec_id & (LAB_BIT(LAB_EXEC_BITS) - 1)) << LAB_TASK_BITS;
}

static void lab_truth_switched(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
                               unsigned int state)
{
	WRITE_ONCE(lab_device_cpu(smp_processor_id())->task, lab_truth_task(next));
}

static void lab_truth_executed(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *binary)
{
	preempt_disable();
	WRITE_ONCE(lab_device_cpu(smp_processor_id())->task, lab_truth_task(task));
	preempt_enable();
}

static void lab_truth_find(struct tracepoint *tracepoint, void *data)
{
	if (strcmp(tracepoint->name, "sched_switch") == 0)
		lab_truth_switch = tracepoint;
	else if (strcmp(tracepoint->name, "sched_process_exec") == 0)
		lab_truth_exec = tracepoint;
}

/* The row at this place when those of all CPUs stand one after another. */
static const struct lab_row *lab_truth_at(loff_t place, int *cpu)
{
	for_each_online_cpu(*cpu) {
		struct lab_cpu *hardware = lab_device_cpu(*cpu);
		u32 rows = READ_ONCE(hardware->rows);

		if (place < rows)
			return &lab_rows(lab_shared, hardware - lab_shared->cpu)[place];
		place -= rows;
	}
	return NULL;
}

static void *lab_truth_seek(struct seq_file *file, loff_t *place)
{
	int cpu;

	if (*place == 0)
		return SEQ_START_TOKEN;
	return (void *)lab_truth_at(*place - 1, &cpu);
}

static void *lab_truth_next(struct seq_file *file, void *row, loff_t *place)
{
	++*place;
	return lab_truth_seek(file, place);
}

static void lab_truth_end(struct seq_file *file, void *row)
{
}

static void lab_truth_head(struct seq_file *file)
{
	u64 lost = 0;
	int cpu;

	for_each_online_cpu(cpu)
		lost += READ_ONCE(lab_device_cpu(cpu)->rows_lost);
	seq_printf(file, "# lines that found no row: %llu\n", lost);
	seq_puts(file, "tid\texec\tcpu\tnode\tpage\tpage_node\tdram_read\tdram_rfo\tdram_prefetch_read\tdram_prefetch_rfo"
		       "\tcache_read\tcache_rfo\tcache_prefetch_read\tcache_prefetch_rfo\n");
}

static int lab_truth_show(struct seq_file *file, void *place)
{
	const struct lab_row *row = place;
	unsigned int from, class;
	int cpu;

	if (place == SEQ_START_TOKEN) {
		lab_truth_head(file);
		return 0;
	}
	lab_truth_at(file->index - 1, &cpu);
	seq_printf(file, "%u\t%u\t%d\t%d\t0x%llx\t%u", lab_row_tid(row), lab_row_exec(row), cpu, cpu_to_node(cpu),
		   lab_row_page(row) << PAGE_SHIFT, lab_row_home(row));
	for (from = 0; from < 2; from++)
		for (class = 0; class < LAB_ROW_CLASSES; class++)
			seq_printf(file, "\t%u", READ_ONCE(row->lines[from][class]));
	seq_putc(file, '\n');
	return 0;
}

static const struct seq_operations lab_truth_sops = {
	.start = lab_truth_seek, .next = lab_truth_next, .stop = lab_truth_end, .show = lab_truth_show
};
DEFINE_SEQ_ATTRIBUTE(lab_truth);

int lab_truth_init(void)
{
	int error;

	if (!lab_shared->truth_rows)
		return 0;
	for_each_kernel_tracepoint(lab_truth_find, NULL);
	if (!lab_truth_switch || !lab_truth_exec)
		return -ENOENT;
	error = tracepoint_probe_register(lab_truth_switch, lab_truth_switched, NULL);
	if (error)
		return error;
	error = tracepoint_probe_register(lab_truth_exec, lab_truth_executed, NULL);
	if (error) {
		tracepoint_probe_unregister(lab_truth_switch, lab_truth_switched, NULL);
		return error;
	}
	lab_truth_folder = debugfs_create_dir("numaprof-lab", NULL);
	debugfs_create_file("lines", 0444, lab_truth_folder, NULL, &lab_truth_fops);
	return 0;
}

void lab_truth_exit(void)
{
	if (!lab_shared->truth_rows)
		return;
	debugfs_remove(lab_truth_folder);
	tracepoint_probe_unregister(lab_truth_exec, lab_truth_executed, NULL);
	tracepoint_probe_unregister(lab_truth_switch, lab_truth_switched, NULL);
	tracepoint_synchronize_unregister();
}
