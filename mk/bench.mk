# SPDX-License-Identifier: Apache-2.0
# Every tests/bench/bench_NAME.py, or those whose name BENCH is part of.

BENCHES = $(sort $(wildcard tests/bench/bench_*$(BENCH)*.py))

bench: all $(BUILD)/.packages-test $(BUILD)/.venv-test ## what recording and reporting cost, as ratios; BENCH=NAME for one
	$(Q)test -n "$(BENCHES)" || { echo 'make: no bench has that in its name: $(BENCH)' >&2; exit 1; }
	@echo "$$(nproc) CPUs, load $$(cut -d' ' -f1-3 /proc/loadavg): medians of alternating runs; on a busy computer only ratios mean something"
	$(Q)failed=0; for bench in $(BENCHES); do $(VENV)/bin/python $$bench || failed=1; done; exit $$failed
.PHONY: bench
