# SPDX-License-Identifier: Apache-2.0

corpus: all lab $(BUILD)/.packages-test ## judge the advice on programs with known truth; renews their rows of tests/corpus/results.tsv
	$(Q)$(VENV)/bin/python tests/corpus/run.py --results tests/corpus/results.tsv $(CORPUSFLAGS)

.PHONY: corpus

placements: all lab examples $(BUILD)/.packages-test ## compare placements of numaprof try with the same fix in the source
	$(Q)$(VENV)/bin/python tests/corpus/placements.py

.PHONY: placements
