# SPDX-License-Identifier: Apache-2.0
# Tests in tiers, by folder (tests/README.md). No test is run twice, but for those marked `shares_cpu` (tests/lab_plugin.py).

PYTEST  := $(VENV)/bin/python -m pytest -c tests/pytest.ini --rootdir=.
# What needs a clean root, a browser, a Slurm, sanitizer builds or an emulated machine.
SLOW    := tests/packaging tests/browser tests/slurm tests/sanitized tests/growth tests/lab tests/dialects tests/emulator
# One more than CPUs: a third of the tests' time is waiting.
WORKERS ?= $(shell expr $$(nproc) + 1)
TESTS   ?= tests

# libpfm is the second source for event encodings; the program does not need it.
UNITS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/c/*.c)))
$(UNITS): ALL_CFLAGS += -Wno-override-init # records by hand: a default, then what the case changes
$(BUILD)/tests/units: $(UNITS) $(ARCHIVE)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--wrap=realloc,--wrap=strdup -o $@ $^ $(LIBS) -lpfm

units: $(BUILD)/tests/units
.PHONY: units

# What tests read and no package installs. Without a network it is not there, and the tests that need it are skipped.
TEST_CACHE := $(BUILD)/cache/sarif-schema-2.1.0.json $(BUILD)/cache/prometheus-node-exporter

# PostgreSQL's programs, unpacked where its packages are not installed: these make a database and start its service.
# Without a network, or Debian's tools, the tests that need it are skipped.
POSTGRESQL := $(if $(wildcard /usr/lib/postgresql/*/bin/pgbench),,$(BUILD)/cache/postgresql)
$(BUILD)/cache/postgresql: | $(BUILD)/.packages-long
	$(call say,UNPACK,$@)
	-$(Q)rm -rf $@.new && mkdir -p $@.new && cd $@.new && \
	    apt-get -qq -o APT::Sandbox::User=root download $$(apt-cache depends postgresql postgresql-client | sed -n 's/^ *Depends: //p') && \
	    for package in *.deb; do \
	        dpkg-deb --fsys-tarfile "$$package" | tar x --exclude=bitcode ./usr/lib/postgresql ./usr/share/postgresql || exit; \
	    done && rm -- *.deb && mv ../$(@F).new ../$(@F)

# On all CPUs, once all packages are there: only one installer may run at a time.
built: $(BUILD)/.packages $(BUILD)/.packages-examples $(BUILD)/.packages-test
	$(Q)$(MAKE) -s -j$$(nproc) all units examples man $(BUILD)/.pprof
.PHONY: built

# Go compiles its tools when they are first used, from 1.24 on.
$(BUILD)/.pprof:
	-$(Q)! command -v go >/dev/null || go tool pprof -h >/dev/null 2>&1
	$(Q)touch $@

# Tests that need a package of the long tests are skipped where it is not installed.
check: built $(BUILD)/.venv-test $(TEST_CACHE) ## the inner loop: all tests without browser, Slurm, sanitizers, large recordings, emulated machine
	$(Q)PYTHONDONTWRITEBYTECODE= $(PYTEST) -q -n $(WORKERS) --dist worksteal $(TESTS) $(SLOW:%=--ignore=%) $(TESTFLAGS)

judge: $(BUILD)/.venv-test ## judge the decisions about placement on compact recordings of all corpus programs
	$(Q)$(VENV)/bin/python tests/judge/judge.py $(JUDGEFLAGS)
.PHONY: judge

# The program alone: to install its package would start its service.
$(BUILD)/cache/prometheus-node-exporter:
	$(Q)mkdir -p $@.deb
	-$(Q)command -v $(@F) >/dev/null || ( cd $@.deb && apt-get download -qq prometheus-node-exporter 2>/dev/null && dpkg -x *.deb . && mv usr/bin/$(@F) ../ ); rm -rf $@.deb

# The schema of the OASIS, as the crate serde-sarif carries it.
SARIF_CRATE  := https://static.crates.io/crates/serde-sarif/serde-sarif-0.6.5.crate
SARIF_SHA256 := f4a7ecbfce99c6661d6aee53a014c7d144c44865e2023aa45637edef908215d0
$(BUILD)/cache/sarif-schema-2.1.0.json:
	$(Q)mkdir -p $(@D)
	-$(Q)curl -sSfL --connect-timeout 5 --max-time 60 -o $@.crate $(SARIF_CRATE) && echo '$(SARIF_SHA256)  $@.crate' | sha256sum -c --quiet && \
	    tar xzf $@.crate -O serde-sarif-0.6.5/src/schema.json > $@; rm -f $@.crate; test -s $@ || rm -f $@

# Where the emulated machine cannot be had (another system, no download), its tests are skipped, and say so.
.PHONY: lab-or-reason
lab-or-reason:
	$(Q)$(MAKE) lab || echo 'make: no emulated machine, for the reason above: tests that need it are skipped' >&2

long-tests: $(BUILD)/.packages-long | $(POSTGRESQL)
	$(Q)$(MAKE) check
.PHONY: long-tests

test: long-tests lab-or-reason ## check, and browser, Slurm, sanitizers, large recordings, and whole programs in the emulated machine
	$(Q)PYTHONDONTWRITEBYTECODE= $(PYTEST) -q $(filter-out tests/packaging tests/dialects tests/emulator,$(SLOW)) $(TESTFLAGS)

# MACHINES=1/3: the tests of the first third of the kinds of machines.
test-emulator: all examples $(BUILD)/.packages-test $(BUILD)/.packages-long $(BUILD)/.venv-test lab-or-reason ## proofs of the emulated machine itself, and of counts on machines of every kind
	$(Q)PYTHONDONTWRITEBYTECODE= $(PYTEST) -q tests/dialects tests/emulator $(addprefix --machines ,$(MACHINES)) $(TESTFLAGS)

# Damaged files are counted in rounds, because tests do not wait for a time; so many take five minutes on two quiet cores.
fuzz: export FUZZ ?= 120
fuzz: export LSAN_OPTIONS := suppressions=$(CURDIR)/tests/fuzz/leaks.txt:print_suppressions=0
fuzz: all $(BUILD)/.packages-test $(BUILD)/.venv-test ## damaged programs and perf.data files under the sanitizers (5 minutes)
	$(Q)$(MAKE) SANITIZE=address,undefined sanitized
	$(Q)PYTHONDONTWRITEBYTECODE= $(PYTEST) -q -n 4 tests/sanitized -k damaged $(TESTFLAGS)

# The seed is printed: HOSTILE_SEED=N make hostile tries the same once more. HOSTILE=10: a fifth of the attempts.
hostile: export HOSTILE ?= 50
hostile: export HOSTILE_SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d " ")
hostile: all examples $(BUILD)/.packages-test $(BUILD)/.venv-test ## attacks by chance on recorder, programs and recordings (15 minutes)
	$(Q)PYTHONDONTWRITEBYTECODE= $(PYTEST) -q -n $(WORKERS) --dist worksteal tests/hostile $(TESTFLAGS)

lint: all $(BUILD)/.packages-lint $(BUILD)/.venv-test ## compilers' warnings as errors, clang-tidy, ruff, mypy, shellcheck
	$(Q)mk/lint

golden: all units $(BUILD)/.venv-test ## write the golden files of the tests anew; look at the diff before you commit
	$(Q)$(PYTEST) -q -n $(WORKERS) $(TESTS) $(SLOW:%=--ignore=%) --golden $(TESTFLAGS)

pictures: all $(BUILD)/.packages-test $(BUILD)/.packages-long $(BUILD)/.venv-test ## pictures of the pages in build/pictures: two widths, light and dark, and on paper
	$(Q)NUMAPROF_PICTURES=$(abspath $(BUILD))/pictures $(PYTEST) -q tests/browser/test_page.py -k 'every_scenario or page_of_a_comparison' $(TESTFLAGS)
	$(Q)echo "pictures are in $(BUILD)/pictures"

.PHONY: fuzz hostile check test test-emulator pictures lint golden
