# SPDX-License-Identifier: Apache-2.0
# The examples: scalar code, so that every load is an instruction of its own. An ending in _parallel means PARALLEL_INIT.

EXAMPLES := $(addprefix $(BUILD)/examples/,sum_serial sum_parallel sum_pthreads_serial sum_pthreads_parallel \
              shared_table in_cache recycled)
EXAMPLE_CFLAGS := -std=gnu17 -O2 -g -fno-tree-vectorize $(WARNINGS) -Wno-unknown-pragmas

examples: $(EXAMPLES) ## build the examples into build/examples (examples/README.md)
.PHONY: examples

$(EXAMPLES): examples/examples.mk $(BUILD)/.packages
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(EXAMPLE_CFLAGS) $(EXAMPLE_DEFINES) -fopenmp -pthread -o $@ $(filter %.c,$^)

$(BUILD)/examples/%_parallel: EXAMPLE_DEFINES := -DPARALLEL_INIT
$(BUILD)/examples/sum_serial $(BUILD)/examples/sum_parallel: examples/sum.c
$(BUILD)/examples/sum_pthreads_serial $(BUILD)/examples/sum_pthreads_parallel: examples/sum_pthreads.c
$(addprefix $(BUILD)/examples/,shared_table in_cache recycled): $(BUILD)/examples/%: examples/%.c
