# SPDX-License-Identifier: Apache-2.0
# What must be on the machine before anything is built: Debian packages, and a virtual environment for Python.

$(BUILD)/.packages: mk/packages.txt mk/packages
	$(Q)mk/packages build $(CROSS)
	$(Q)mkdir -p $(@D) && touch $@

$(BUILD)/.packages-%: mk/packages.txt mk/packages
	$(Q)mk/packages $*
	$(Q)mkdir -p $(@D) && touch $@

# The reports with these extras, and without setuptools, whose hook slows every start down.
define pip
	$(Q)$(VENV)/bin/pip install -q --disable-pip-version-check -e 'reports[$(1)]'
	$(Q)$(VENV)/bin/pip uninstall -qq -y --disable-pip-version-check setuptools
endef

# The reports run from the tree, so a change needs no new installation. $(PYTHON) is looked for only now: the line
# above may have installed it.
# SYSTEM_PYTHON=/usr/bin/python3: with the distribution's Python packages, without a network; the page then has no charts.
reports: $(BUILD)/.venv $(BUILD)/numaprof-reports $(BUILD)/.compiled ## the Python side: virtual environment and launcher
.PHONY: reports

$(BUILD)/.venv: reports/pyproject.toml | $(BUILD)/.packages
	$(call say,VENV,$(VENV))
ifdef SYSTEM_PYTHON
	$(Q)$(SYSTEM_PYTHON) -m venv --clear --system-site-packages --without-pip $(VENV)
	$(Q)echo $(abspath reports) > "$$(echo $(VENV)/lib/python3*/site-packages)/numaprof.pth"
	$(Q)$(VENV)/bin/python -c 'import jinja2, google.protobuf, prometheus_client' || \
	    { echo 'make: install python3-jinja2, python3-protobuf and python3-prometheus-client' >&2; exit 1; }
else
	$(Q)$(VENV)/bin/python -c '' 2>/dev/null || { rm -rf $(VENV) && $$(mk/find-python) -m venv $(VENV); }
	$(call pip,vega$(comma)source)
	$(Q)$(VENV)/bin/python -m numaprof.page.vega_bundle
endif
	$(Q)touch $@

# What only tests and lint need is several times larger than all the rest.
$(BUILD)/.venv-test: $(BUILD)/.venv
	$(call say,VENV,for tests)
	$(call pip,test$(comma)vega$(comma)source)
	$(Q)touch $@

# Not the launcher that pip writes. -I: PYTHONHOME and PYTHONPATH are for the program that is recorded.
$(BUILD)/numaprof-reports: $(BUILD)/.venv
	$(Q)rm -f $@
	$(Q)printf '#!%s -I\nimport sys\nfrom numaprof.commands.cli import main\nsys.exit(main())\n' \
	    $(abspath $(VENV))/bin/python3 > $@ && chmod +x $@

# Beforehand, since whoever runs a report need not be allowed to write here: compiling takes half the time of a report,
# seconds in the emulated machine.
$(BUILD)/.compiled: $(BUILD)/.venv $(shell find reports/numaprof -name '*.py')
	$(Q)$(VENV)/bin/python -m compileall -q reports/numaprof
	$(Q)touch $@
