# SPDX-License-Identifier: Apache-2.0
# One static program with everything in it, the preload library too: copied alone to any node of the same architecture, it
# records. The reports are read where Python is.

STATIC := $(BUILD)/static/numaprof
# The archives that libdw and libelf need in turn; the demangler and libpfm4, which the other program loads when it needs them.
STATIC_LIBS := -lpfm -ldw -lelf -lsqlite3 -lz -llzma -lbz2 -lm
NO_LOADING := $(foreach name,dlopen dlsym dlerror dlclose,-Wl,--wrap=$(name))
STATIC_OBJECTS := $(BUILD)/obj/profiler/main.o $(BUILD)/static/preload_image.o $(BUILD)/static/no_loading.o

static: $(STATIC) ## one program without dependencies, to be copied to any node: build/static/numaprof
.PHONY: static

$(BUILD)/static/preload_image.o $(BUILD)/static/no_loading.o: $(BUILD)/.packages-static

$(STATIC): $(STATIC_OBJECTS) $(ARCHIVE)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static -Wl,-u,__cxa_demangle -Wl,-u,pfm_initialize $(NO_LOADING) -o $@ $^ \
	    -Wl,--start-group $(STATIC_LIBS) -lstdc++ -Wl,--end-group

$(BUILD)/static/%.o: profiler/install/static/%.c $(PRELOAD)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -DPRELOAD_IMAGE='"$(PRELOAD)"' -c -o $@ $<
