# SPDX-License-Identifier: Apache-2.0
# The examples: scalar code, so that every load is an instruction of its own. An ending in _parallel means PARALLEL_INIT.

EXAMPLE_NAMES := sum_serial sum_parallel sum_pthreads_serial sum_pthreads_parallel fill_vector_serial \
                 fill_vector_parallel new_array shared_table in_cache recycled arena fork_server migrant mismatch tiles \
                 mapped_file false_sharing lopsided sparse growing $(if $(shell command -v gfortran),heat)
EXAMPLES := $(addprefix $(BUILD)/examples/,$(EXAMPLE_NAMES))
EXAMPLE_FLAGS := -O2 -g -fno-tree-vectorize $(WARNINGS) -Wno-unknown-pragmas -fopenmp -pthread
CC_c := $(CC) -std=gnu17
CC_cpp := $(CXX) -std=c++17
CC_f90 := gfortran -std=f2008

examples: $(EXAMPLES) ## build the examples into build/examples (examples/README.md)
.PHONY: examples

# One program in other clothes, for the tests: what the report says must not depend on them.
EXAMPLE_VARIANTS := $(addprefix $(BUILD)/examples/,renamed sum_lto sum_stripped fill_vector_lto)
test-variants: $(EXAMPLE_VARIANTS)
.PHONY: test-variants
test: test-variants

$(EXAMPLES) $(EXAMPLE_VARIANTS): examples/examples.mk $(BUILD)/.packages
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)source='$(filter examples/%.c examples/%.cpp examples/%.f90,$^)'; case "$$source" in \
	    *.c) set -- $(CC_c);; *.cpp) set -- $(CC_cpp);; *) set -- $(CC_f90);; esac; \
	    "$$@" $(filter-out $(if $(filter %.c,$^),,-Wstrict-prototypes -Wmissing-prototypes $(if $(filter %.f90,$^),-Wno-unknown-pragmas)),$(EXAMPLE_FLAGS)) \
	    $(EXAMPLE_DEFINES) -o $@ $$source
	$(Q)$(EXAMPLE_FINISH)

$(BUILD)/examples/%_parallel: EXAMPLE_DEFINES := -DPARALLEL_INIT
$(BUILD)/examples/%_lto: EXAMPLE_DEFINES := -O3 -flto
$(BUILD)/examples/sum_stripped: EXAMPLE_FINISH = cd $(@D) && objcopy --only-keep-debug $(@F) $(@F).debug && \
    strip $(@F) && objcopy --add-gnu-debuglink=$(@F).debug $(@F)
$(addprefix $(BUILD)/examples/,sum_serial sum_parallel renamed sum_lto sum_stripped): examples/sum.c
$(addprefix $(BUILD)/examples/,sum_pthreads_serial sum_pthreads_parallel): examples/sum_pthreads.c
$(addprefix $(BUILD)/examples/,fill_vector_serial fill_vector_parallel fill_vector_lto): examples/fill_vector.cpp
$(BUILD)/examples/new_array: examples/new_array.cpp
$(addprefix $(BUILD)/examples/,fill_vector_serial fill_vector_parallel fill_vector_lto new_array): $(BUILD)/.packages-examples
$(BUILD)/examples/heat: examples/heat.f90
$(addprefix $(BUILD)/examples/,shared_table in_cache recycled arena fork_server migrant mismatch tiles mapped_file \
    false_sharing lopsided sparse growing): $(BUILD)/examples/%: examples/%.c
