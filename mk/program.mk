# SPDX-License-Identifier: Apache-2.0
# The C program: core/, collectors/ and profiler/ make one archive; main.c and the archive make numaprof.

SOURCES := $(filter-out profiler/main.c,$(shell find core collectors profiler -name "*.c" -not -path "collectors/preload/*" -not -path "profiler/install/static/*" | LC_ALL=C sort))
OBJECTS := $(SOURCES:%.c=$(BUILD)/obj/%.o)
ARCHIVE := $(BUILD)/libnumaprof.a
GENERATED := $(addprefix $(BUILD)/gen/,empty_recording.h recording_codes.h catalogue_text.h event_words.h version.h)

program: $(BUILD)/numaprof numaprof
.PHONY: program

numaprof: $(BUILD)/numaprof
	$(Q)ln -sf $< $@

# To find and bind the libraries takes a millisecond of the ten that a recording takes at least, so what they offer as
# archives goes into the program, if that is all there (libdw may want others on other systems). Sanitizers see more without.
ARCHIVED := $(if $(SANITIZE),$(LIBS),-Wl,-Bstatic -Wl,--start-group -ldw -lelf -lsqlite3 -lz -llzma -lbz2 -Wl,--end-group \
    -Wl,-Bdynamic -lm -pthread)

$(BUILD)/numaprof: $(BUILD)/obj/profiler/main.o $(ARCHIVE)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ARCHIVED) 2>/dev/null || \
	    $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Distributions want their own libraries in use, not copies in the program.
$(BUILD)/shared/numaprof: $(BUILD)/obj/profiler/main.o $(ARCHIVE)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(ARCHIVE): $(OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/gen/version.h: reports/pyproject.toml mk/program.mk
	$(Q)mkdir -p $(@D)
	$(Q)printf '#define %s "%s"\n' NUMAPROF_VERSION '$(VERSION)' BUILT_BY "$$($(CC) --version | head -1)" > $@

# -MMD writes which headers each object was made from.
$(BUILD)/obj/%.o: %.c $(BUILD)/.packages | $(GENERATED)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# The schema stands in every recording, comments and all, so that it explains itself.
$(BUILD)/gen/empty_recording.h: core/recording/schema.sql mk/empty-recording | $(BUILD)/.packages
	$(Q)mkdir -p $(@D)
	$(Q)$(PYTHON) mk/empty-recording $< > $@

$(BUILD)/gen/recording_codes.h: core/recording/schema.sql mk/recording-codes | $(BUILD)/.packages
	$(Q)mkdir -p $(@D)
	$(Q)$(PYTHON) mk/recording-codes $< > $@

# Text that the program carries: turned into a C string.
$(BUILD)/gen/catalogue_text.h: $(sort $(wildcard collectors/events/cpus/*.txt)) mk/text-to-header
	$(Q)mkdir -p $(@D)
	$(Q)mk/text-to-header catalogue_text $(filter %.txt,$^) > $@

$(BUILD)/gen/event_words.h: collectors/events/event_words.txt mk/program.mk
	$(Q)mkdir -p $(@D)
	$(Q)awk '/^[cp]/ { for (i = 2; i <= NF; i++) print "#define EVENT_" toupper($$i) " \"" $$i "\"" }' $< > $@
