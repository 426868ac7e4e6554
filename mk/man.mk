# SPDX-License-Identifier: Apache-2.0

man: $(BUILD)/.man ## manual pages and shell completions, into build/man and build/completions
.PHONY: man

$(BUILD)/.man: $(BUILD)/numaprof $(BUILD)/.venv $(BUILD)/numaprof-lab mk/man mk/completions mk/help_text.py $(wildcard docs/man/*.txt profiler/commands/commands.c reports/numaprof/commands/*.py lab/runner/cli.py)
	$(call say,MAN,$(BUILD)/man)
	$(Q)rm -rf $(BUILD)/man
	$(Q)PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python mk/man $(BUILD)/man
	$(Q)PYTHONDONTWRITEBYTECODE=1 $(VENV)/bin/python mk/completions $(BUILD)/completions
	$(Q)touch $@
