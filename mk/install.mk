# SPDX-License-Identifier: Apache-2.0
# The program in bin, what it needs of its own in libexec/numaprof (it finds that beside itself: profiler/install/installed_files.c), manual
# pages and the header. The reports run with the system's Python, kept apart from whatever else is installed for it.

DESTDIR ?=
PRIVATE := $(PREFIX)/libexec/numaprof
INTO     = $(DESTDIR)$(PRIVATE)
SHARE    = $(DESTDIR)$(PREFIX)/share
HEADERS := $(wildcard include/*.h)
# With what they link to.
PAGES   := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md $(wildcard docs/*.md docs/dev/*.md docs/pictures/*) tests/bench/README.md
# Packagers: INSTALL_REPORTS='--alone --python /usr/bin/python3', and another program than build/numaprof.
INSTALL_REPORTS ?=
INSTALL_PROGRAM ?= $(BUILD)/numaprof

install: all man ## install below PREFIX (/usr/local); DESTDIR=FOLDER for packagers
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)install -Dm755 $(INSTALL_PROGRAM) $(DESTDIR)$(PREFIX)/bin/numaprof
	$(Q)install -Dm644 $(PRELOAD) $(INTO)/libnumaprof-preload.so
	$(Q)$(VENV)/bin/python mk/install-reports $(INSTALL_REPORTS) $(INTO)
	$(Q)for page in $(BUILD)/man/*.1; do install -Dm644 $$page $(DESTDIR)$(PREFIX)/share/man/man1/$${page##*/} || exit 1; done
	$(Q)install -Dm644 $(BUILD)/completions/numaprof $(SHARE)/bash-completion/completions/numaprof
	$(Q)install -Dm644 $(BUILD)/completions/_numaprof $(SHARE)/zsh/site-functions/_numaprof
	$(Q)install -Dm644 $(BUILD)/completions/numaprof.fish $(SHARE)/fish/vendor_completions.d/numaprof.fish
	$(Q)for page in $(PAGES); do install -Dm644 $$page $(SHARE)/doc/numaprof/$$page || exit 1; done
	$(Q)for header in $(HEADERS); do install -Dm644 $$header $(DESTDIR)$(PREFIX)/include/$${header##*/} || exit 1; done

uninstall: ## remove what install put there
	$(Q)rm -rf $(INTO)
	$(Q)rm -f $(DESTDIR)$(PREFIX)/bin/numaprof $(addprefix $(DESTDIR)$(PREFIX)/include/,$(notdir $(HEADERS)))
	$(Q)rm -rf $(SHARE)/doc/numaprof
	$(Q)rm -f $(SHARE)/bash-completion/completions/numaprof $(SHARE)/zsh/site-functions/_numaprof
	$(Q)rm -f $(SHARE)/fish/vendor_completions.d/numaprof.fish
	$(Q)rm -f $(DESTDIR)$(PREFIX)/share/man/man1/numaprof{,-*}.1
.PHONY: install uninstall
