# SPDX-License-Identifier: Apache-2.0

man: $(BUILD)/.man ## manual pages, into build/man
.PHONY: man

$(BUILD)/.man: $(BUILD)/numaprof $(BUILD)/.venv $(BUILD)/numaprof-lab mk/man $(wildcard docs/man/*.txt profiler/commands/commands.c reports/numaprof/commands/*.py lab/runner/cli.py)
	$(call say,MAN,$(BUILD)/man)
	$(Q)rm -rf $(BUILD)/man
	$(Q)$(VENV)/bin/python mk/man $(BUILD)/man
	$(Q)touch $@
