# SPDX-License-Identifier: Apache-2.0
# The library that goes into the target. -fexceptions: C++ exceptions and pthread_exit pass through thread_run.
# -Dsyscall: the library stands before syscall(), and its own calls must pass that.
# -Wframe-larger-than: it runs on the program's stacks, which may be a few pages (tests/launch/test_launch_small_stacks.py).

PRELOAD_SOURCES := $(shell find collectors/preload -name "*.c" | LC_ALL=C sort) \
    core/system/clock.c core/process/elf_kind.c core/process/exec_path.c core/process/exec_rights.c core/topology/cpulist.c core/topology/thread_mask.c collectors/placement/placement_file.c
PRELOAD_OBJECTS := $(PRELOAD_SOURCES:%.c=$(BUILD)/preload/%.o)
PRELOAD         := $(BUILD)/libnumaprof-preload.so

preload: $(PRELOAD)
.PHONY: preload

ifndef SANITIZE
$(PRELOAD): $(PRELOAD_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-z,now -Wl,-z,nodelete -Wl,--no-undefined $(LDFLAGS) -o $@ $^ -ldl

$(BUILD)/preload/%.o: %.c mk/preload.mk $(BUILD)/.packages
	$(call say,CC,"$< (preload)")
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fexceptions -fvisibility=hidden -ftls-model=initial-exec -Dsyscall=preload_syscall -Wframe-larger-than=1536 -MMD -MP -c -o $@ $<
-include $(shell find $(BUILD)/preload -name '*.d' 2>/dev/null)
endif
