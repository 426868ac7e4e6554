# SPDX-License-Identifier: Apache-2.0
# The emulated NUMA machine: a downloaded kernel, a QEMU plugin (the hardware), a guest module (the PMU's driver) and the
# initrd that brings them together. Nothing is installed but QEMU and build tools; see docs/lab.md.

LAB       := $(BUILD)/lab
LAB_CACHE := $(BUILD)/cache/lab

lab: $(LAB)/hardware.so $(LAB)/initrd $(LAB)/blend $(LAB)/stores ## download and build the emulated NUMA machine (lab/run, numaprof lab)
.PHONY: lab

program: $(BUILD)/numaprof-lab
$(BUILD)/numaprof-lab: | $(BUILD)/.packages
	$(Q)ln -sf ../lab/run $@

$(LAB_CACHE)/complete: $(BUILD)/.packages-lab | lab/fetch-kernel
	$(Q)lab/fetch-kernel $(LAB_CACHE)

$(LAB)/vmlinuz: $(LAB_CACHE)/complete lab/unpack-kernel
	$(call say,UNPACK,$@)
	$(Q)lab/unpack-kernel $(LAB_CACHE) $(LAB)

HARDWARE_SOURCES := $(wildcard lab/hardware/*.c)
$(LAB)/hardware.so: $(HARDWARE_SOURCES) $(wildcard lab/hardware/*.h) lab/shared.h $(BUILD)/.packages-lab
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -O3 -march=x86-64-v2 -flto -fomit-frame-pointer -fPIC -fvisibility=hidden -shared \
	    -o $@ $(HARDWARE_SOURCES) -ldl

# The kernel's own build writes beside the sources: it works on a copy.
DRIVER_SOURCES := $(wildcard lab/driver/*)
$(LAB)/lab.ko: $(DRIVER_SOURCES) lab/shared.h $(LAB)/vmlinuz
	$(call say,KBUILD,$@)
	$(Q)mkdir -p $(LAB)/driver && cp -u $(DRIVER_SOURCES) lab/shared.h $(LAB)/driver
	$(Q)$(MAKE) -C $(LAB)/headers/build M=$(abspath $(LAB)/driver) CC=$(CC) modules > $(LAB)/driver.log 2>&1 \
	    || { cat $(LAB)/driver.log >&2; exit 1; }
	$(Q)cp $(LAB)/driver/lab.ko $@

$(LAB)/launch: lab/guest/launch.c $(BUILD)/.packages-lab
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -static -o $@ $<

$(LAB)/blend $(LAB)/stores: $(LAB)/%: lab/truth/%.c $(BUILD)/.packages-lab
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -O2 -g -fno-tree-vectorize -pthread -o $@ $<

truth: all examples lab ## what numaprof says against what the emulated machines did; TRUTH="--machine zen --program mixed"
	$(Q)PYTHONPATH=lab:reports $(VENV)/bin/python -m truth $(TRUTH)
.PHONY: truth

$(LAB)/initrd: $(LAB)/vmlinuz $(LAB)/launch $(LAB)/lab.ko lab/guest/init lab/make-initrd
	$(call say,INITRD,$@)
	$(Q)lab/make-initrd $(LAB)
