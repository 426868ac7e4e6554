// SPDX-License-Identifier: GPL-2.0-or-later
/* The device: memory shared with the hardware, and the calls to it. */
#include "driver.h"

#include <linux/delay.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/smp.h>

struct lab_shared *lab_shared;

static struct pci_dev *lab_device;
static DEFINE_PER_CPU(struct lab_cpu *, lab_device_part);
static DEFINE_MUTEX(lab_device_lock);

enum { LAB_PCI_VENDOR = 0x1af4, LAB_PCI_IVSHMEM = 0x1110, LAB_PCI_BAR = 2 };

#define LAB_CALL(call) asm volatile(".byte " __stringify(LAB_CALL_BYTES) "\n\t.long %c0" : : "i"(call) : "memory")

static void lab_device_who(void *index)
{
	LAB_CALL(LAB_CALL_WHO);
	*(int *)index = READ_ONCE(lab_shared->who);
}

/* The hardware's number of each CPU: the firmware's order need not be the kernel's. */
static int lab_device_number_cpus(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		int index = -1;

		lab_shared->who = -1;
		smp_call_function_single(cpu, lab_device_who, &index, 1);
		if (index < 0 || index >= lab_shared->cpus) {
			pr_err("CPU %d does not reach the hardware\n", cpu);
			return -EIO;
		}
		per_cpu(lab_device_part, cpu) = &lab_shared->cpu[index];
	}
	return 0;
}

struct lab_cpu *lab_device_cpu(int cpu)
{
	return per_cpu(lab_device_part, cpu);
}

void lab_device_watch(struct lab_cpu *hardware, u32 watch)
{
	if (hardware->watch == watch)
		return;
	WRITE_ONCE(hardware->watch, watch);
	LAB_CALL(LAB_CALL_WATCH);
}

/* Switching throws away all code that QEMU has translated; it is done when all CPUs have stopped once. */
int lab_device_simulate(enum lab_simulation what)
{
	unsigned long limit = jiffies + 60 * HZ;
	int error = 0;

	mutex_lock(&lab_device_lock);
	if (READ_ONCE(lab_shared->simulating) == what)
		goto unlock;
	if (what == LAB_SIMULATE_NOTHING)
		LAB_CALL(LAB_CALL_SIMULATE + LAB_SIMULATE_NOTHING);
	else if (what == LAB_SIMULATE_MEMORY)
		LAB_CALL(LAB_CALL_SIMULATE + LAB_SIMULATE_MEMORY);
	else
		LAB_CALL(LAB_CALL_SIMULATE + LAB_SIMULATE_ALL);
	while (READ_ONCE(lab_shared->simulating) != what && !error) {
		usleep_range(100, 500);
		if (time_after(jiffies, limit)) {
			pr_err("the hardware does not answer\n");
			error = -EIO;
		}
	}
unlock:
	mutex_unlock(&lab_device_lock);
	return error;
}

int lab_device_init(void)
{
	int error;

	lab_device = pci_get_device(LAB_PCI_VENDOR, LAB_PCI_IVSHMEM, NULL);
	if (!lab_device) {
		pr_err("there is no shared-memory device\n");
		return -ENODEV;
	}
	error = pci_enable_device(lab_device);
	if (error)
		goto put;
	lab_shared =
		memremap(pci_resource_start(lab_device, LAB_PCI_BAR), pci_resource_len(lab_device, LAB_PCI_BAR), MEMREMAP_WB);
	if (!lab_shared) {
		error = -ENOMEM;
		goto put;
	}
	error = -EIO;
	if (lab_shared->magic != LAB_MAGIC || lab_shared->version != LAB_VERSION) {
		pr_err("the hardware is not there, or of another version\n");
		goto unmap;
	}
	error = lab_device_number_cpus();
	if (error)
		goto unmap;
	return 0;
unmap:
	memunmap(lab_shared);
put:
	pci_dev_put(lab_device);
	return error;
}

void lab_device_exit(void)
{
	memunmap(lab_shared);
	pci_dev_put(lab_device);
}
