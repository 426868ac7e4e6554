# SPDX-License-Identifier: Apache-2.0

corpus: all lab $(BUILD)/.packages-test ## judge the advice on programs with known truth; writes their rows of docs/corpus.md
	$(Q)$(VENV)/bin/python tests/corpus/run.py --table docs/corpus.md $(CORPUSFLAGS)

.PHONY: corpus

placements: all lab examples $(BUILD)/.packages-test ## compare placements of numaprof try with the same fix in the source
	$(Q)$(VENV)/bin/python tests/corpus/placements.py

.PHONY: placements
