# SPDX-License-Identifier: Apache-2.0
# What is handed out, into build/dist. The version has one place: reports/pyproject.toml.

DIST   := build/dist
NAMED  := numaprof-$(VERSION)
ARCH   := $(or $(firstword $(subst -, ,$(CROSS))),$(shell uname -m))
STAGED := $(BUILD)/stage

wheel: static $(BUILD)/.venv ## a wheel for pip and pipx: program, preload library, reports
	$(call say,WHEEL,$(DIST))
	$(Q)$(VENV)/bin/pip install -q --disable-pip-version-check build wheel
	$(Q)VERSION=$(VERSION) CROSS=$(CROSS) ARCH=$(ARCH) mk/wheel $(STATIC) $(PRELOAD) $(VENV) $(DIST)

# DEBFULLNAME and DEBEMAIL name the packager, as for Debian's own tools.
deb: all man $(BUILD)/shared/numaprof $(BUILD)/.packages-deb ## a Debian package
	$(call say,DEB,$(DIST))
	$(Q)rm -rf $(STAGED)/deb && $(MAKE) install DESTDIR=$(abspath $(STAGED)/deb) PREFIX=/usr \
	    INSTALL_PROGRAM=$(BUILD)/shared/numaprof INSTALL_REPORTS='--alone --python /usr/bin/python3'
	$(Q)VERSION=$(VERSION) mk/deb $(STAGED)/deb $(DIST)

dist: static man ## a tarball with the static program, that runs wherever it is unpacked
	$(call say,DIST,$(DIST))
	$(Q)rm -rf $(STAGED)/dist && $(MAKE) install DESTDIR=$(abspath $(STAGED)/dist) PREFIX=/$(NAMED) INSTALL_PROGRAM=$(STATIC) \
	    INSTALL_REPORTS="--python '/usr/bin/env -S python3'"
	$(Q)rm $(STAGED)/dist/$(NAMED)/libexec/numaprof/libnumaprof-preload.so # the static program brings it
	$(Q)cp LICENSE $(STAGED)/dist/$(NAMED) && strip $(STAGED)/dist/$(NAMED)/bin/numaprof
	$(Q)mkdir -p $(DIST) && tar cJf $(DIST)/$(NAMED)-linux-$(ARCH).tar.xz --owner=0 --group=0 --sort=name -C $(STAGED)/dist $(NAMED)

release: wheel deb dist ## all of these, with checksums
	$(Q)cd $(DIST) && sha256sum numaprof?$(VERSION)[-_]* > SHA256SUMS && cat SHA256SUMS

# A root of the distribution's minimal packages and Python. A mirror whose lists have expired will do for a test.
MINIMAL_ROOT := $(BUILD)/cache/minimal-root.tar
$(MINIMAL_ROOT): | $(BUILD)/.packages-deb
	$(call say,ROOT,$@)
	$(Q)mkdir -p $(@D) && mmdebstrap -q --format=tar --variant=minbase --include=python3,python3-venv \
	    --aptopt='Acquire::Check-Valid-Until "false"' stable $@.new && mv $@.new $@

test-packages: release examples $(BUILD)/.venv-test $(MINIMAL_ROOT) ## wheel, package and tarball in a clean root; needs root and a network
	$(Q)PYTHONDONTWRITEBYTECODE= $(PYTEST) -q tests/packaging $(TESTFLAGS)
.PHONY: wheel deb dist release test-packages
